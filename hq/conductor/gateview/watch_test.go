package gateview

import (
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/hq/gate"
)

func TestTellingLine(t *testing.T) {
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"=== RUN", "--- FAIL: TestRetry (0.01s)", "    x_test.go:3: no", "FAIL", "FAIL"},
			"--- FAIL: TestRetry (0.01s)"},
		{[]string{"   Compiling x", "error[E0308]: mismatched types", "note"}, "error[E0308]: mismatched types"},
		{[]string{"one", "  two  "}, "two"},
		{nil, ""},
	} {
		if got := tellingLine(test.lines); got != test.want {
			t.Errorf("telling(%q) = %q, want %q", test.lines, got, test.want)
		}
	}
}

// The next gate knows how long each command took, also one that was cancelled in
// between.
func TestGateRemembersTimes(t *testing.T) {
	var g Watch
	g.Start(1, 1, []string{"vet", "test"}, time.Now())
	for i, took := range []time.Duration{time.Second, time.Minute} {
		g.Progress(checks.Progress{Index: i, Command: []string{"vet", "test"}[i], Done: &checks.Result{Duration: took}})
	}
	g.Start(2, 2, []string{"test", "vet"}, time.Now())
	g.Progress(checks.Progress{Index: 0, Command: "test"})
	g.Start(3, 3, []string{"vet", "test", "lint"}, time.Now())
	for i, want := range []time.Duration{time.Second, time.Minute, 0} {
		if r := g.View().Rows[i]; r.Last != want {
			t.Errorf("%s took %v, not %v", r.Command, r.Last, want)
		}
	}
}

// A conductor that begins knows the times of gates that others ran: beside the one
// that it shows, and for the next.
func TestTimesOfGatesBeforeTheConductor(t *testing.T) {
	var g Watch
	g.Remember(map[string]time.Duration{"vet": time.Second, "test": time.Minute})
	var r gate.Record
	r.Commands = []checks.Result{{Command: "vet", Duration: 2 * time.Second}}
	g.Recall(r)
	if row := g.View().Rows[0]; row.Took != 2*time.Second || row.Last != time.Second {
		t.Errorf("the gate that is shown: %+v", row)
	}
	g.Start(2, 2, []string{"vet", "test", "lint"}, time.Now())
	for i, want := range []time.Duration{2 * time.Second, time.Minute, 0} {
		if r := g.View().Rows[i]; r.Last != want {
			t.Errorf("%s took %v, not %v", r.Command, r.Last, want)
		}
	}
}

// A new task begins without the gate of the previous one, but with its times.
func TestNewTaskHasNoGate(t *testing.T) {
	var g Watch
	g.Start(1, 1, []string{"vet"}, time.Now())
	g.Progress(checks.Progress{Command: "vet", Done: &checks.Result{Duration: time.Second, Exit: 1}})
	g.finish(checks.Fail, "FAIL: vet", "log", time.Now())
	if g.Forget(); g.View().Ticket != 0 || len(g.View().Rows) != 0 {
		t.Errorf("the view is %+v, want an empty one", g.View())
	}
	g.Start(2, 1, []string{"vet"}, time.Now())
	if r := g.View().Rows[0]; r.Last != time.Second {
		t.Errorf("the row is %+v, want a second for its last run", r)
	}
}
