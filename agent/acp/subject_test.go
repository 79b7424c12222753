package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Only what a call names as a file is shown as its file.
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
			t.Errorf("subject of %s with locations %v = %+v, want %+v", of.input, of.locations, got, of.want)
		}
	}
}

// A tool's kind as its server states it is not trusted, whatever the role: only its name counts.
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
			t.Errorf("%q: %+v; want %+v", tool, got, want)
		}
		if allowed := strings.Contains(tool, "notes"); got.ReadOnly("ferrus", nil) == allowed {
			t.Errorf("%q is read-only: %v", tool, !allowed)
		}
	}
}

// A call that starts with its permission request is shown once, with the name of its tool, although
// the agent gives that only in its choices.
func TestACallThatBeginsWithItsRequestIsShown(t *testing.T) {
	var out bytes.Buffer
	s := &session{events: &events{out: &out}}
	s.Permit = func(_ context.Context, r Request) (Answer, error) {
		if r.Choice != "consult" || r.Title != `consult {"a":1}` {
			t.Errorf("the request is %+v, want consult with its arguments", r)
		}
		return Answer{Allow: true}, nil
	}
	handle := s.handle(t.Context())
	c := &conn{queue: make(chan message, 9)}
	for _, m := range []message{
		{ID: json.RawMessage("1"), Method: "session/request_permission", Params: json.RawMessage(`{"toolCall":{"toolCallId":
			"c1","kind":"other","title":"{\"a\":1}"},"options":[{"optionId":"x","name":"Always Allow for user: consult",
			"kind":"allow_always"},{"optionId":"y","name":"Allow","kind":"allow_once"}]}`)},
		{Method: "session/update", Params: json.RawMessage(`{"update":{"sessionUpdate":"tool_call","toolCallId":"c1",
			"title":"{}"}}`)},
		{Method: "session/update", Params: json.RawMessage(`{"update":{"sessionUpdate":"tool_call_update",
			"toolCallId":"c1","status":"completed"}}`)},
	} {
		handle(c, m)
	}
	<-c.queue // the answer, after its event
	var calls, results []string
	for line := range strings.Lines(out.String()) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case KindCall:
			calls = append(calls, e.Title)
		case KindResult:
			results = append(results, e.Title)
		}
	}
	if want := []string{`consult {"a":1}`}; !slices.Equal(calls, want) || !slices.Equal(results, want) {
		t.Errorf("calls %q, results %q", calls, results)
	}
}
