package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/wire"
)

// A verdict is refused unless it follows from the runs in the record, whatever the worker claims.
func TestAForgedVerdictIsRefused(t *testing.T) {
	t.Parallel()
	const tree = "1111111111111111111111111111111111111111"
	commands := []checks.Command{{Run: "go vet ./..."}, {Run: "go test ./..."}}
	asked := wire.Gate{Definition: core.Definition{Commands: commands}}
	passed := func() gate.Record {
		return gate.Record{Record: checks.Record{Verdict: checks.Pass, Tree: checks.Tree{Hash: tree},
			Commands: []checks.Result{{Command: "go vet ./..."}, {Command: "go test ./..."}}}}
	}
	for name, c := range map[string]struct {
		forge func(*gate.Record)
		words string // empty if accepted
	}{
		"honest":         {func(*gate.Record) {}, ""},
		"failed":         {func(r *gate.Record) { r.Verdict = checks.Fail }, ""},
		"another tree":   {func(r *gate.Record) { r.Tree.Hash = strings.Repeat("2", 40) }, "checked the tree 22"},
		"no tree":        {func(r *gate.Record) { r.Tree.Hash = "" }, "checked the tree"},
		"a failed one":   {func(r *gate.Record) { r.Commands[1].Exit = 1 }, "did not all run"},
		"a killed one":   {func(r *gate.Record) { r.Commands[0].Signal = "SIGKILL" }, "did not all run"},
		"one timed out":  {func(r *gate.Record) { r.Commands[0].TimedOut = true }, "did not all run"},
		"one is missing": {func(r *gate.Record) { r.Commands = r.Commands[:1] }, "did not all run"},
		"none":           {func(r *gate.Record) { r.Commands = nil }, "did not all run"},
		"another one":    {func(r *gate.Record) { r.Commands[1].Command = "true" }, "did not all run"},
		"a moved file":   {func(r *gate.Record) { r.Moved = []string{"a.go"} }, ""}, // as at home
		"its own word":   {func(r *gate.Record) { r.Verdict = "FINE\x1b[2J" }, "called a gate"},
		"cancelled":      {func(r *gate.Record) { r.Verdict = checks.Cancelled }, "called a gate"},
	} {
		r := passed()
		c.forge(&r)
		err := examine(&r, asked, tree)
		var broken *wire.Violation
		switch {
		case c.words == "" && err != nil:
			t.Errorf("%s: %v, want it accepted", name, err)
		case c.words != "" && (!errors.As(err, &broken) || !strings.Contains(broken.What, c.words)):
			t.Errorf("%s: %v, want a violation with %q", name, err, c.words)
		case c.words != "" && strings.ContainsAny(broken.What, "\x1b\n"):
			t.Errorf("%s: the violation is %q, want it without control characters", name, broken.What)
		}
	}
}

// A gate without commands passes only if home's configuration allows that, whatever the worker
// says.
func TestOnlyHomeAllowsThatNothingRuns(t *testing.T) {
	t.Parallel()
	tree := strings.Repeat("1", 40)
	for _, allowed := range []bool{false, true} {
		r := gate.Record{Record: checks.Record{Verdict: checks.Unproven, Allowed: true, Tree: checks.Tree{Hash: tree},
			Why: "nothing ran\x1b[2J"}}
		err := examine(&r, wire.Gate{Definition: core.Definition{AllowNone: allowed}}, tree)
		if err != nil || r.Green() != allowed || strings.Contains(r.Why, "\x1b") {
			t.Errorf("allowed %v: green %v, %q, %v; want green %v", allowed, r.Green(), r.Why, err, allowed)
		}
	}
}

// A worker's data about a gate is bounded and stripped of control characters.
func TestAFloodOfAGateIsRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads a flood")
	}
	part := append([]byte{wire.GateRecord}, make([]byte, wire.MaxMessage-1)...)
	log := append([]byte{wire.GateLog}, make([]byte, wire.MaxMessage-1)...)
	progress := func(p wire.GateProgress) []byte {
		body, err := json.Marshal(p)
		if err != nil {
			t.Error(err)
		}
		return append([]byte{wire.GateStep}, body...)
	}
	messages := [][]byte{{}, progress(wire.GateProgress{Index: 7, Line: "no such command"}),
		progress(wire.GateProgress{Index: -1, Line: "no such command"}),
		progress(wire.GateProgress{Command: "another", Line: "\x1b[2Ja line"})}
	for range wire.MaxGateLog/wire.MaxMessage + 10 {
		messages = append(messages, log)
	}
	for range maxGateRecord/wire.MaxMessage + 10 {
		messages = append(messages, part)
	}
	l := to(t, serving(handler{stream: func(_ wire.Method, s wire.Stream) error {
		for _, m := range messages {
			if err := s.Send(t.Context(), m); err != nil {
				return err
			}
		}
		return nil
	}}))
	s, err := wire.Open(t.Context(), l, wire.MethodGate, wire.Gate{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(nil)
	var shown []checks.Progress
	o := gate.Options{Definition: &core.Definition{Commands: []checks.Command{{Run: "go test"}}},
		Progress: func(p checks.Progress) { shown = append(shown, p) }}
	var kept, record bytes.Buffer
	err = followGate(t.Context(), s, o, &kept, &record)
	var broken *wire.Violation
	if !errors.As(err, &broken) || !strings.Contains(broken.What, "too long") {
		t.Errorf("reading to the end: %v, want a violation as too long", err)
	}
	if kept.Len() > wire.MaxGateLog+wire.MaxMessage || record.Len() > maxGateRecord {
		t.Errorf("home kept %d bytes of the log and %d of the record, more than the limits", kept.Len(), record.Len())
	}
	if len(shown) != 1 || shown[0].Command != "go test" || strings.Contains(shown[0].Line, "\x1b") ||
		!strings.Contains(shown[0].Line, "a line") {
		t.Errorf("home shows %+v, want go test with a clean line", shown)
	}
}

// Only a few single hosts can be requested, so a worker cannot make you allow everything.
func TestHostsThatAGateAsksFor(t *testing.T) {
	t.Parallel()
	many := make([]string, wire.MaxGateHosts+1)
	for i := range many {
		many[i] = "new.invalid"
	}
	for name, c := range map[string]struct {
		hosts []string
		bad   bool
	}{
		"hosts": {[]string{"new.invalid", "new.invalid:8080", "10.0.0.1"}, false}, "many": {many, true},
		"all": {[]string{"*"}, true}, "a pattern": {[]string{"*.invalid"}, true}, "below": {[]string{".invalid"}, true},
		"nothing": {[]string{""}, true}, "control": {[]string{"new.\x1binvalid"}, true},
	} {
		l := to(t, serving(handler{stream: func(_ wire.Method, s wire.Stream) error {
			for _, h := range c.hosts {
				if err := s.Send(t.Context(), append([]byte{wire.GateHost}, h...)); err != nil {
					return err
				}
			}
			return nil
		}}))
		s, err := wire.Open(t.Context(), l, wire.MethodGate, wire.Gate{})
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		var log, record bytes.Buffer
		o := gate.Options{Ask: func(host string) bool { asked = append(asked, host); return false }}
		err = followGate(t.Context(), s, o, &log, &record)
		s.Close(nil)
		if broken := new(*wire.Violation); errors.As(err, broken) != c.bad || !c.bad && err != nil {
			t.Errorf("%s: %v, want a violation: %v", name, err, c.bad)
		}
		if !c.bad && !slices.Equal(asked, c.hosts) || len(asked) > wire.MaxGateHosts {
			t.Errorf("%s: you are asked for %q, want %q", name, asked, c.hosts)
		}
	}
}
