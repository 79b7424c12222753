package appserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// item is one item of a turn. It has more than 12 fields because each type of item has its own.
type item struct {
	ID, Type, Text, Status string

	Command, Cwd string
	Output       string `json:"aggregatedOutput"`
	ExitCode     *int
	Server, Tool string
	Arguments    json.RawMessage
	Query        string
	Summary      []string
	Changes      []struct{ Path, Diff string }
	Result       struct{ Content []struct{ Text string } }
	Error        *struct{ Message string }
}

// reconnecting begins the line about another try.
const reconnecting = "Reconnecting... "

// maxItems bounds what is remembered of a turn.
const maxItems = 10_000

// notice handles a notification of the program.
func (b *bridge) notice(method string, params json.RawMessage) {
	var n struct {
		Item item
		Turn struct {
			ID, Status string
			Error      *turnError
		}
		Error      turnError
		WillRetry  bool
		Plan       []struct{ Step, Status string }
		TokenUsage struct {
			Last struct{ InputTokens, CachedInputTokens, OutputTokens int }
		}
	}
	if json.Unmarshal(params, &n) != nil {
		return
	}
	switch method {
	case "turn/started":
		b.turn = n.Turn.ID
	case "item/started":
		b.started(n.Item)
	case "item/completed":
		b.completed(n.Item)
	case "turn/plan/updated":
		b.plan(n.Plan)
	case "thread/tokenUsage/updated":
		last := n.TokenUsage.Last
		b.update("agent_message_chunk", map[string]any{
			"content": map[string]any{"type": "text", "text": ""},
			"_meta": map[string]any{"usage": map[string]any{"inputTokens": last.InputTokens,
				"cachedReadTokens": last.CachedInputTokens, "outputTokens": last.OutputTokens}},
		})
	case "error":
		if n.WillRetry { // a line that is no message is shown
			words := strings.TrimPrefix(n.Error.words(), reconnecting)
			fmt.Fprintln(b.Out, strings.ReplaceAll(reconnecting+words, "\n", " "))
		}
	case "turn/completed":
		b.turnEnded(n.Turn.Status, n.Turn.Error)
	}
}

// turnError is why a turn failed.
type turnError struct {
	Message           string
	AdditionalDetails string
}

func (e turnError) words() string {
	if e.AdditionalDetails == "" || strings.Contains(e.Message, e.AdditionalDetails) {
		return e.Message
	}
	return e.Message + ": " + e.AdditionalDetails
}

func (b *bridge) turnEnded(status string, why *turnError) {
	switch status {
	case "completed":
		b.end("end_turn", nil)
	case "interrupted":
		b.end("cancelled", nil)
	default:
		failed := &rpcError{Code: -32603, Message: "the turn " + status}
		if why != nil {
			failed.Message = why.words()
		}
		b.end("", failed)
	}
}

func (b *bridge) plan(steps []struct{ Step, Status string }) {
	entries := []map[string]any{}
	for _, s := range steps {
		status := s.Status
		if status == "inProgress" {
			status = "in_progress"
		}
		entries = append(entries, map[string]any{"content": s.Step, "status": status, "priority": "medium"})
	}
	b.update("plan", map[string]any{"entries": entries})
}

// call returns an item as a call of a tool; nil: it is none.
func (i item) call() map[string]any {
	call := map[string]any{"toolCallId": i.ID, "status": "pending"}
	switch i.Type {
	case "commandExecution":
		command := unwrapShell(i.Command)
		input := map[string]any{"command": command}
		if i.Cwd != "" {
			input["cwd"] = i.Cwd
		}
		call["title"], call["kind"], call["rawInput"] = command, "execute", input
	case "mcpToolCall":
		call["title"], call["kind"], call["rawInput"] = "mcp__"+i.Server+"__"+i.Tool, "other", i.Arguments
		call["_meta"] = map[string]any{"toolName": call["title"]}
	case "fileChange":
		call["title"], call["kind"] = "change "+strings.Join(i.paths(), ", "), "edit"
		locations := []map[string]any{}
		for _, path := range i.paths() {
			locations = append(locations, map[string]any{"path": path})
		}
		call["locations"] = locations
	case "webSearch":
		call["title"], call["kind"], call["rawInput"] = "search the web", "fetch", map[string]any{"query": i.Query}
	default:
		return nil
	}
	return call
}

func (i item) paths() (all []string) {
	for _, c := range i.Changes {
		all = append(all, c.Path)
	}
	return all
}

func (b *bridge) started(i item) {
	call := i.call()
	if call == nil || len(b.items) >= maxItems {
		return
	}
	b.items[i.ID] = i
	b.update("tool_call", call)
}

func (b *bridge) completed(i item) {
	switch i.Type {
	case "agentMessage":
		b.update("agent_message_chunk", map[string]any{"content": textBlock(i.Text + "\n")})
	case "reasoning":
		b.update("agent_thought_chunk", map[string]any{"content": textBlock(strings.Join(i.Summary, "\n") + "\n")})
	}
	if i.call() == nil {
		return
	}
	if _, begun := b.items[i.ID]; !begun {
		b.started(i)
	}
	status, output := i.outcome()
	content := []map[string]any{}
	for _, part := range i.Changes {
		content = append(content, map[string]any{"type": "content", "content": textBlock(part.Diff)})
	}
	if output != "" {
		content = append(content, map[string]any{"type": "content", "content": textBlock(output)})
	}
	b.update("tool_call_update", map[string]any{"toolCallId": i.ID, "status": status, "content": content})
}

// outcome returns how a call ended, and what came of it.
func (i item) outcome() (status, output string) {
	output = i.Output
	for _, part := range i.Result.Content {
		output += part.Text
	}
	status = "completed"
	switch {
	case i.Error != nil:
		return "failed", i.Error.Message
	case i.ExitCode != nil && *i.ExitCode != 0:
		return "failed", fmt.Sprintf("exit %d\n%s", *i.ExitCode, output)
	case i.Status == "failed", i.Status == "declined":
		status = "failed"
		output = cmp.Or(output, i.Status)
	}
	return status, output
}

// textBlock returns a text as content.
func textBlock(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

// unwrapShell returns the command that a shell was started for.
func unwrapShell(command string) string {
	for _, shell := range []string{"bash -lc ", "bash -c ", "zsh -lc ", "zsh -c ", "sh -lc ", "sh -c "} {
		before, inner, ok := strings.Cut(command, shell)
		if !ok || strings.Contains(before, " ") {
			continue
		}
		if len(inner) > 1 && (inner[0] == '\'' || inner[0] == '"') && inner[len(inner)-1] == inner[0] {
			return strings.ReplaceAll(inner[1:len(inner)-1], `'\''`, "'")
		}
		return inner
	}
	return command
}
