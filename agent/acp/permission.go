package acp

import (
	"context"
	"encoding/json"
	"strings"
)

// Request is what an agent asks for.
type Request struct {
	Title   string // in the agent's words
	Kind    string // read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Subject string // a command, a file or an address; empty: the request names none
}

// Answer is what the agent gets.
type Answer struct {
	Allow  bool
	Reason string // of a refusal; empty: none is given
}

// permission answers a request.
func (s *session) permission(ctx context.Context, c *conn, id json.RawMessage, r RequestPermissionRequest,
	title string) {
	request := Request{Title: clip(title, maxText), Kind: r.ToolCall.Kind, Subject: clip(r.ToolCall.subject(), maxText)}
	answer, err := s.Permit(ctx, request)
	if err != nil {
		answer = Answer{Reason: err.Error()}
	}
	status := "refused"
	if answer.Allow {
		status = "allowed"
	}
	s.emit(Event{Kind: KindPermission, ID: r.ToolCall.ToolCallID, Title: request.Title, Status: status,
		Text: answer.Reason})
	response := RequestPermissionResponse{Outcome: outcome{Outcome: "cancelled"}}
	if option := choose(r.Options, answer); option != "" && ctx.Err() == nil {
		response.Outcome = outcome{Outcome: "selected", OptionID: option}
	}
	c.send(message{ID: id, Result: encode(response)})
}

// choose returns the option that is an answer; empty: none is.
func choose(options []PermissionOption, a Answer) string {
	kinds := []string{"reject_once", "reject_always"}
	if a.Allow { // not allow_always, which an agent may write to its settings
		kinds = []string{"allow_once"}
	}
	for _, kind := range kinds {
		for _, option := range options {
			if option.Kind == kind {
				return option.OptionID
			}
		}
	}
	return ""
}

// ReadOnly reports whether a request changes nothing: reading, searching and thinking, the
// commands of git that only show, and the tools of an MCP server.
func (r Request) ReadOnly(server string) bool {
	switch r.Kind {
	case "read", "search", "think":
		return true
	case "execute":
		return showsOnly(r.Subject)
	case "edit", "delete", "move", "switch_mode":
		return false
	}
	return strings.Contains(r.Title, server)
}

// showsOnly reports whether a command is one of git that shows something, and nothing else.
func showsOnly(command string) bool {
	if strings.ContainsAny(command, ";&|<>$`\\\n(){}") || strings.Contains(command, "--output") {
		return false
	}
	words := strings.Fields(command)
	if len(words) < 2 || words[0] != "git" {
		return false
	}
	switch words[1] {
	case "status", "diff", "log", "show":
		return true
	}
	return false
}
