package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Request is what an agent asks for.
type Request struct {
	Title   string          // in the agent's words
	Kind    string          // read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Subject Subject         // what the call is about
	Call    string          // the agent's name of the call
	Input   json.RawMessage // arguments of the tool, if the agent says them
	Paths   []string        // that it touches, if the agent says them
	Tool    string          // name of the tool; empty: the agent does not say
	Choice  string          // name of the tool in Choices, without its server; empty: they do not say it
	Choices string          // names of the agent's possible answers, which may name the tool
}

// The kinds of calls.
const (
	CallRead    = "read"
	CallSearch  = "search"
	CallEdit    = "edit"
	CallDelete  = "delete"
	CallMove    = "move"
	CallExecute = "execute"
	CallFetch   = "fetch"
)

// Answer is what the agent gets.
type Answer struct {
	Allow  bool
	Always bool   // equal requests are allowed, too; if the agent can, it still asks again
	Reason string // of a refusal; empty: none is given
}

// permission answers a request.
func (s *session) permission(ctx context.Context, c *conn, id json.RawMessage, r RequestPermissionRequest,
	title string) {
	request := r.request(title)
	answer, err := s.Permit(ctx, request)
	if err != nil {
		answer = Answer{Reason: err.Error()}
	}
	option := choose(r.Options, answer)
	if option == "" && answer.Allow {
		answer = Answer{Reason: unanswerable}
	}
	status := "allowed"
	if !answer.Allow {
		status = "refused"
		s.refused.note(request, answer.Reason)
	}
	s.emit(Event{Kind: KindPermission, ID: r.ToolCall.ToolCallID, Title: request.Title, Status: status,
		Text: answer.Reason})
	response := RequestPermissionResponse{Outcome: outcome{Outcome: "cancelled"}}
	if option != "" && ctx.Err() == nil {
		response.Outcome = outcome{Outcome: "selected", OptionID: option}
	}
	c.send(message{ID: id, Result: encode(response)})
}

// request returns what is asked for. That a tool of an MCP server only reads, or that it names files, is its server's
// word, and left out.
func (r RequestPermissionRequest) request(title string) Request {
	c := r.ToolCall
	request := Request{Title: clip(title, maxText), Call: c.ToolCallID, Input: c.RawInput,
		Tool: clip(c.Meta.ToolName, maxStep), Choices: choices(r.Options), Choice: r.chosenTool()}
	if !ServerTool(request.Tool) {
		request.Kind, request.Subject, request.Paths = c.Kind, c.subject(), c.paths()
	}
	return request
}

// refusal is the newest request that was refused, if the agent has called nothing since. It may have said that it was
// refused, and ended its turn.
type refusal struct {
	mu  sync.Mutex // guards why
	why string
}

// note keeps that a request was refused; without a reason there is nothing to say.
func (r *refusal) note(request Request, reason string) {
	if reason == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = fmt.Sprintf("Your request for permission (%s) was refused: %s. Continue your work.", request.Title, reason)
}

// clear forgets the refusal: the agent calls something else, or another turn begins.
func (r *refusal) clear() { r.claim() }

// claim returns why permission was refused, and forgets it: a second call returns nothing.
func (r *refusal) claim() (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why, r.why = r.why, ""
	return why
}

// paths returns the files that a call touches.
func (c ToolCallUpdate) paths() (paths []string) {
	for _, l := range c.Locations {
		paths = append(paths, l.Path)
	}
	for _, part := range c.parts() {
		if part.Type == "diff" {
			paths = append(paths, part.Path)
		}
	}
	return paths
}

// unanswerable is why a request is refused that was allowed.
const unanswerable = "the agent offers no way to allow this only once; permit it for the task, or have it done in " +
	"another way"

// choose returns the option that is an answer; empty: none is. One that shares its id with an option of the other sort
// says nothing.
func choose(options []PermissionOption, a Answer) string {
	kinds := []string{"reject_once", "reject_always"}
	if a.Allow { // not allow_always, which an agent may write to its settings
		kinds = []string{"allow_once"}
		if a.Always {
			kinds = append(kinds, "allow_always")
		}
	}
	for _, kind := range kinds {
		for _, option := range options {
			opposite := func(o PermissionOption) bool {
				return o.OptionID == option.OptionID && allows(o.Kind) != allows(kind)
			}
			if option.Kind == kind && !slices.ContainsFunc(options, opposite) {
				return option.OptionID
			}
		}
	}
	return ""
}

func allows(kind string) bool { return strings.HasPrefix(kind, "allow") }

// choices returns the names of options.
func choices(options []PermissionOption) string {
	var names []string
	for _, option := range options {
		names = append(names, option.Name)
	}
	return clip(strings.Join(names, "; "), maxStep)
}

// Files returns the files that a request names.
func (r Request) Files() []string {
	if r.Subject.Path {
		return slices.Concat([]string{r.Subject.Text}, r.Paths)
	}
	return slices.Clone(r.Paths)
}

// ReadOnly reports whether a request changes nothing: reading, searching and thinking, the
// commands of git that only show, and the tools of an MCP server, which are given by name.
func (r Request) ReadOnly(server string, tools []string) bool {
	switch r.Kind {
	case "read", "search", "think":
		return true
	case "execute":
		return showsOnly(r.Subject.Text)
	case "other", "":
		return r.isOf(server, tools)
	}
	return false
}

// ServerTool reports whether a tool is named as one of an MCP server, as most clients name it. What its arguments
// mean, and whether it changes anything, only that server knows.
func ServerTool(name string) bool { return strings.HasPrefix(strings.ToLower(name), "mcp") }

// isOf reports whether a request is for a tool of an MCP server: its name says so or, without
// a name, the title before its arguments, or what the agent offers to always allow. Some
// agents name the tool there without its server.
func (r Request) isOf(server string, tools []string) bool {
	if r.Tool != "" {
		for _, prefix := range []string{"mcp__" + server + "__", "mcp_" + server + "_", server + "_", server + "-"} {
			if strings.HasPrefix(r.Tool, prefix) {
				return true
			}
		}
		return false
	}
	title, _, _ := strings.Cut(r.Title, "{")
	if slices.Contains(wordsOf(title), server) || slices.Contains(wordsOf(r.Choices), server) {
		return true
	}
	return slices.Contains(tools, r.Choice)
}

// toolName returns the name of the tool of a request; empty: it does not say it.
func (r RequestPermissionRequest) toolName() string {
	return cmp.Or(r.ToolCall.Meta.ToolName, r.chosenTool())
}

// chosenTool returns the tool that an agent offers to always allow: Qwen Code before 0.24 names it nowhere else.
func (r RequestPermissionRequest) chosenTool() string {
	for _, option := range r.Options {
		_, name, found := strings.Cut(option.Name, ": ")
		if found && r.ToolCall.Kind == "other" && len(name) <= maxStep && len(strings.Fields(name)) == 1 {
			return name
		}
	}
	return ""
}

// wordsOf returns the words of a text.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
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
