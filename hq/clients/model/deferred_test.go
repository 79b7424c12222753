//go:build e2e

package model

import (
	"strings"
	"testing"
)

// deferred are requests in which the ferrus tools are not listed, as clients make
// them, and what leads to the first call.

func TestToolSearchLoadsDeferredTools(t *testing.T) {
	f := formats[0]
	s := start(t, LoopScript)
	body := f.body(workPrompt, []string{"ToolSearch", "Bash"}, nil)
	search := f.ask(t, s, body)
	if search.Tool.Name != "ToolSearch" || search.Args["query"] != "select:mcp__ferrus__wait_for_task" {
		t.Fatalf("acts %+v", search)
	}
	found := Turn{ID: "1", Name: "ToolSearch", Args: search.Args}
	body = f.body(workPrompt, []string{"ToolSearch", "Bash"}, []Turn{found})
	body["tools"] = append(body["tools"].([]any), map[string]any{"name": prefix + "wait_for_task",
		"defer_loading": true})
	if got := f.ask(t, s, body); !strings.HasPrefix(got.Text, "complaint: ") {
		t.Errorf("a deferred tool that no search brought is called: %+v", got)
	}
	messages := body["messages"].([]any)
	messages[len(messages)-1] = map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": "1",
			"content": []any{map[string]any{"type": "tool_reference", "tool_name": prefix + "wait_for_task"}}},
		map[string]any{"type": "text", "text": "Tool loaded."},
	}}
	if got := f.ask(t, s, body); got.Tool.Name != prefix+"wait_for_task" {
		t.Errorf("acts %+v", got)
	}
}

func TestBridgeCallsWhatASearchHasShown(t *testing.T) {
	f := formats[2]
	s := start(t, LoopScript)
	tools := []string{"tool_search", "tool_call", "run_shell_command"}
	search := f.ask(t, s, f.body(workPrompt, tools, nil))
	if search.Tool.Name != "tool_search" {
		t.Fatalf("acts %+v", search)
	}
	turns := []Turn{{ID: "1", Name: "tool_search", Args: search.Args, Result: `<functions>
<function>{"name":"mcp__ferrus__wait_for_task","description":"Wait","parametersJsonSchema":{}}</function>
</functions>`}}
	call := f.ask(t, s, f.body(workPrompt, tools, turns))
	if call.Tool.Name != "tool_call" || call.Args["name"] != prefix+"wait_for_task" {
		t.Fatalf("acts %+v", call)
	}
	turns = append(turns, Turn{ID: "2", Name: "tool_call", Args: call.Args, Result: claimed})
	if got := f.ask(t, s, f.body(workPrompt, tools, turns)); got.Tool.Name != "run_shell_command" {
		t.Errorf("the result through the bridge was not understood: %+v", got)
	}
}

func TestSearchItemBringsTools(t *testing.T) {
	f := formats[1]
	s := start(t, LoopScript)
	body := f.body(workPrompt, []string{"exec_command"}, nil)
	body["tools"] = []any{map[string]any{"type": "function", "name": "exec_command"},
		map[string]any{"type": "tool_search", "execution": "client"}}
	search := f.ask(t, s, body)
	if search.Tool.Name != "tool_search" || search.Args["query"] != "ferrus wait for task" {
		t.Fatalf("acts %+v", search)
	}
	body["input"] = append(body["input"].([]any),
		map[string]any{"type": "tool_search_call", "call_id": "1", "execution": "client", "arguments": search.Args},
		map[string]any{"type": "tool_search_output", "call_id": "1", "execution": "client", "tools": []any{
			map[string]any{"type": "namespace", "name": "mcp__ferrus",
				"tools": []any{map[string]any{"type": "function", "name": "wait_for_task", "defer_loading": true}}}}})
	if got := f.ask(t, s, body); got.Tool.Name != prefix+"wait_for_task" {
		t.Errorf("acts %+v", got)
	}
}

func TestProgramsCallTools(t *testing.T) {
	f := formats[1]
	s := start(t, LoopScript)
	body := f.body(workPrompt, nil, nil)
	delete(body, "tools")
	input := append([]any{map[string]any{"type": "additional_tools", "role": "developer", "tools": []any{
		map[string]any{"type": "namespace", "name": "functions", "tools": []any{
			map[string]any{"type": "custom", "name": "exec"}, map[string]any{"type": "function", "name": "wait"}}}}}},
		body["input"].([]any)...)
	step := func(items ...any) Action {
		t.Helper()
		input = append(input, items...)
		body["input"] = input
		return f.ask(t, s, body)
	}
	got := step()
	if got.Tool.Name != "exec" || !strings.HasPrefix(got.Program, `// @exec: {"yield_time_ms": 60000}`+"\n") ||
		!strings.Contains(got.Program, "await tools.mcp__ferrus__wait_for_task({});") {
		t.Fatalf("acts %+v", got)
	}
	got = step(map[string]any{"type": "custom_tool_call", "call_id": "1", "name": "exec", "input": got.Program},
		map[string]any{"type": "custom_tool_call_output", "call_id": "1", "output": "Script running with cell ID 3\n"})
	if got.Tool.Name != "wait" || got.Args["cell_id"] != "3" {
		t.Fatalf("a program that yields is not waited for: %+v", got)
	}
	got = step(map[string]any{"type": "function_call", "call_id": "2", "name": "wait", "arguments": encode(got.Args)},
		map[string]any{"type": "function_call_output", "call_id": "2", "output": "Script completed\n" + claimed})
	if got.Tool.Name != "exec" || !strings.Contains(got.Program, `tools.exec_command({"cmd":`) {
		t.Fatalf("acts %+v", got)
	}
	got = step(map[string]any{"type": "custom_tool_call", "call_id": "3", "name": "exec", "input": got.Program},
		map[string]any{"type": "custom_tool_call_output", "call_id": "3",
			"output": []any{map[string]any{"type": "input_text", "text": "Script completed\n"}}})
	if !strings.Contains(got.Program, "await tools.mcp__ferrus__check({});") {
		t.Errorf("acts %+v, %q", got, s.Complaints())
	}
}
