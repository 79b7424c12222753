package acp

import (
	"encoding/json"
	"testing"
)

// Only what a call names as a file is its place.
func TestSubject(t *testing.T) {
	for _, of := range []struct {
		input     string
		locations []ToolCallLocation
		want      subject
	}{
		{`{}`, nil, subject{}}, {`[]`, nil, subject{}}, {`{"path":" "}`, nil, subject{}},
		{`{"path":{}}`, nil, subject{}}, {`{"path":"a","pattern":"b"}`, nil, subject{text: "a", place: "a"}},
		{`{"pattern":"/x"}`, nil, subject{text: "/x", pattern: "/x"}}, {`{"query":"/x"}`, nil, subject{text: "/x"}},
		{`{"command":"/x"}`, nil, subject{text: "/x"}}, {`{"url":"/x"}`, nil, subject{text: "/x"}},
		{`{}`, []ToolCallLocation{{"a"}}, subject{text: "a", place: "a"}},
	} {
		c := ToolCallUpdate{RawInput: json.RawMessage(of.input), Locations: of.locations}
		if got := c.subject(); got != of.want {
			t.Errorf("%s %v: %+v", of.input, of.locations, got)
		}
	}
}
