package acp

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Only what a call names as a file is its place.
func TestSubject(t *testing.T) {
	for _, of := range []struct {
		input     string
		locations []ToolCallLocation
		want      Subject
	}{
		{`{}`, nil, Subject{}}, {`[]`, nil, Subject{}}, {`{"path":" "}`, nil, Subject{}},
		{`{"path":{}}`, nil, Subject{}}, {`{"path":"a","pattern":"b"}`, nil, Subject{Text: "a", Path: true}},
		{`{"pattern":"/x"}`, nil, Subject{Text: "/x", Pattern: true}}, {`{"query":"/x"}`, nil, Subject{Text: "/x"}},
		{`{"command":"/x"}`, nil, Subject{Text: "/x"}}, {`{"url":"/x"}`, nil, Subject{Text: "/x"}},
		{`{}`, []ToolCallLocation{{"a"}}, Subject{Text: "a", Path: true}},
	} {
		c := ToolCallUpdate{RawInput: json.RawMessage(of.input), Locations: of.locations}
		if got := c.subject(); got != of.want {
			t.Errorf("%s %v: %+v", of.input, of.locations, got)
		}
	}
}

// What the server of a tool says of it is not believed, whatever role is asked: only its name counts.
func TestAServerToolIsJudgedByItsName(t *testing.T) {
	for tool, want := range map[string]Request{
		"":                  {Kind: CallRead, Subject: Subject{Text: "a", Path: true}, Paths: []string{"b"}},
		"read_file":         {Kind: CallRead, Subject: Subject{Text: "a", Path: true}, Paths: []string{"b"}},
		"mcp__notes__send":  {},
		"MCP_notes_send":    {},
		"mcp__ferrus__wait": {},
	} {
		var r RequestPermissionRequest
		r.ToolCall.Kind, r.ToolCall.Meta.ToolName = CallRead, tool
		r.ToolCall.RawInput, r.ToolCall.Locations = json.RawMessage(`{"path":"a"}`), []ToolCallLocation{{"b"}}
		got := r.request("")
		want.Tool, want.Input = tool, r.ToolCall.RawInput
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v", tool, got)
		}
		if allowed := strings.Contains(tool, "notes"); got.ReadOnly("ferrus", nil) == allowed {
			t.Errorf("%q is read-only: %v", tool, !allowed)
		}
	}
}
