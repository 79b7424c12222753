//go:build e2e

package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const workPrompt = "You are the executor. Call mcp__ferrus__wait_for_task, mcp__ferrus__check, mcp__ferrus__submit, " +
	"mcp__ferrus__consult, mcp__ferrus__wait_for_consult, mcp__ferrus__ask_human, mcp__ferrus__wait_for_answer."

// format builds a request of one API and reads what was streamed back.
type format struct {
	name, path, shell string
	body              func(prompt string, tools []string, turns []Turn) map[string]any
	read              func(events []map[string]any) Action
}

var formats = []format{
	{"anthropic", "/v1/messages", "Bash", anthropicBody, anthropicRead},
	{"responses", "/v1/responses", "exec_command", responsesBody, responsesRead},
	{"chat", "/v1/chat/completions", "run_shell_command", chatBody, chatRead},
}

func anthropicBody(prompt string, tools []string, turns []Turn) map[string]any {
	var offered, messages []any
	for _, name := range tools {
		offered = append(offered, map[string]any{"name": name, "input_schema": map[string]any{"type": "object"}})
	}
	messages = append(messages, map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "text", "text": "<system-reminder>\nToday is Friday.\n</system-reminder>"},
		map[string]any{"type": "text", "text": prompt},
	}})
	for _, t := range turns {
		messages = append(messages,
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": t.ID,
				"name": t.Name, "input": t.Args}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": t.ID,
				"is_error": t.Failed,
				"content":  []any{map[string]any{"type": "text", "text": t.Result}}}}})
	}
	return map[string]any{"model": "m", "stream": true, "system": []any{map[string]any{"type": "text",
		"text": "You are a client."}}, "tools": offered, "messages": messages}
}

func anthropicRead(events []map[string]any) (a Action) {
	for _, e := range events {
		if block, ok := e["content_block"].(map[string]any); ok {
			a.Tool.Name = str(block, "name")
		}
		if delta, ok := e["delta"].(map[string]any); ok {
			a.Text += str(delta, "text")
			if raw := str(delta, "partial_json"); raw != "" {
				a.Args = object(raw)
			}
		}
	}
	return a
}

func responsesBody(prompt string, tools []string, turns []Turn) map[string]any {
	var offered, inner []any
	for _, name := range tools {
		if own, ok := strings.CutPrefix(name, prefix); ok {
			inner = append(inner, map[string]any{"type": "function", "name": own})
			continue
		}
		offered = append(offered, map[string]any{"type": "function", "name": name})
	}
	offered = append(offered, map[string]any{"type": "namespace", "name": "mcp__ferrus", "tools": inner})
	input := []any{
		map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text",
			"text": "<environment_context>\n</environment_context>"}}},
		map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text",
			"text": prompt}}},
	}
	for _, t := range turns {
		call := map[string]any{"type": "function_call", "call_id": t.ID, "name": t.Name, "arguments": encode(t.Args)}
		if own, ok := strings.CutPrefix(t.Name, prefix); ok {
			call["namespace"], call["name"] = "mcp__ferrus", own
		}
		input = append(input, call, map[string]any{"type": "function_call_output", "call_id": t.ID, "output": t.Result})
	}
	return map[string]any{"model": "m", "stream": true, "instructions": "You are a client.", "tools": offered,
		"input": input}
}

func responsesRead(events []map[string]any) (a Action) {
	for _, e := range events {
		item, ok := e["item"].(map[string]any)
		if !ok {
			continue
		}
		a.Tool = Tool{Name: joined(str(item, "namespace"), str(item, "name"))}
		a.Args, a.Program, a.Text = object(str(item, "arguments")), str(item, "input"), asString(item["content"])
		if str(item, "type") == "tool_search_call" {
			a.Tool.Name = "tool_search"
			a.Args, _ = item["arguments"].(map[string]any)
		}
	}
	return a
}

func chatBody(prompt string, tools []string, turns []Turn) map[string]any {
	var offered []any
	for _, name := range tools {
		offered = append(offered, map[string]any{"type": "function", "function": map[string]any{"name": name}})
	}
	messages := []any{map[string]any{"role": "system", "content": "You are a client."},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": prompt}}}}
	for _, t := range turns {
		messages = append(messages,
			map[string]any{"role": "assistant", "content": nil,
				"tool_calls": []any{map[string]any{"id": t.ID, "type": "function",
					"function": map[string]any{"name": t.Name, "arguments": encode(t.Args)}}}},
			map[string]any{"role": "tool", "tool_call_id": t.ID, "content": t.Result})
	}
	return map[string]any{"model": "m", "stream": true, "tools": offered, "messages": messages}
}

func chatRead(events []map[string]any) (a Action) {
	for _, e := range events {
		for _, choice := range list(e["choices"]) {
			delta, _ := choice["delta"].(map[string]any)
			a.Text += str(delta, "content")
			for _, call := range list(delta["tool_calls"]) {
				function, _ := call["function"].(map[string]any)
				a.Tool.Name, a.Args = str(function, "name"), object(str(function, "arguments"))
			}
		}
	}
	return a
}

func start(t *testing.T, script func(Conversation) Action) *Server {
	t.Helper()
	s, err := Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// post sends a request and returns the status and the events of the answer.
func post(t *testing.T, s *Server, path string, body any) (int, []map[string]any) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(s.URL+path, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var events []map[string]any
	scanner := bufio.NewScanner(response.Body)
	for scanner.Scan() {
		line, ok := strings.CutPrefix(scanner.Text(), "data: ")
		if !ok || line == "[DONE]" {
			continue
		}
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		events = append(events, event)
	}
	return response.StatusCode, events
}

// ask returns the action that a format's answer says.
func (f format) ask(t *testing.T, s *Server, body map[string]any) Action {
	t.Helper()
	status, events := post(t, s, f.path, body)
	if status != http.StatusOK {
		t.Fatalf("%s answered %d", f.name, status)
	}
	return f.read(events)
}
