package pair

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/machine/pair"
)

// The run waits for an agent that has hit its usage limit, and does not count it as an error.
func TestLimitParks(t *testing.T) {
	t.Parallel()
	soon := agent.Limit{Until: time.Now().Add(time.Millisecond), Message: "You've hit your limit"}
	r, _ := newRun(t, newProject(t), pair.Single, []reply{
		{exit: 1, used: soon, says: "limit"}, {exit: 1, used: soon}, {exit: 1, used: soon},
		{edit: "good", says: "{DONE}"},
	}, nil)
	waits := 0
	r.Changed = func() {
		for _, v := range r.Panes() {
			if v.State == session.CoolingDown && v.Limit == soon.Message && !v.Until.IsZero() {
				waits++
				if v.TotalErrors != 0 {
					t.Errorf("the limit counts as an error: %+v", v)
				}
			}
		}
	}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := r.Transcript()
	if err != nil {
		t.Fatal(err)
	}
	parked := 0
	for _, e := range all {
		if e.Parked && strings.Contains(e.Text, "has reached its usage limit, which resets") {
			parked++
		}
	}
	if waits < 3 || parked != 3 {
		t.Errorf("%d waits were shown and %d are in the transcript, want 3", waits, parked)
	}
}

// If the vendor names no time, a human who does not want to wait stops the run and resumes it.
func TestLimitWithoutATime(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	r, c := newRun(t, newProject(t), pair.Single, []reply{
		{exit: 1, used: agent.Limit{Message: "You've hit your limit"}}, {edit: "good", says: "{DONE}"},
	}, nil)
	ctx, stop := context.WithCancel(t.Context())
	r.Changed = func() {
		for _, v := range r.Panes() {
			if v.Limit != "" && time.Until(v.Until) > 4*time.Minute {
				stop()
			}
		}
	}
	if err := r.Go(ctx); !errors.Is(err, ErrCancelled) {
		t.Fatal(err)
	}
	again, err := Open(r.project, r.Manifest.ID)
	if err != nil {
		t.Fatal(err)
	}
	again.Launcher = c
	m := &again.Manifest
	ended := m.CompletedAt.Add(-time.Hour)
	m.CreatedAt, m.CompletedAt = m.CreatedAt.Add(-time.Hour), &ended
	if err := again.save(); err != nil {
		t.Fatal(err)
	}
	if err := again.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(again.View().Began); took > 50*time.Minute {
		t.Errorf("a run that was stopped for an hour took %v", took)
	}
}

func TestErrorsOfAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents that fail")
	}
	t.Parallel()
	p := newProject(t)
	r, c := newRun(t, p, pair.Single, []reply{{exit: 1, says: "boom"}, {exit: 1, says: "no quota"}}, nil)
	err := r.Go(t.Context())
	var failed *FailedError
	if !errors.As(err, &failed) || failed.Reason != pair.AgentError || failed.Why != "primary (one): exit 1: no quota" {
		t.Fatalf("got %v, want an agent error with its exit", err)
	}
	// The launch is retried once after a wait, and then the run fails. A human may resume it.
	if len(c.prompts["one"]) != 2 {
		t.Errorf("%d launches, want 2", len(c.prompts["one"]))
	}
	c.replies["one"] = []reply{{exit: 1}, {edit: "good", says: "{DONE}"}}
	if err := r.Go(t.Context()); err != nil {
		t.Fatal(err)
	}
	if states, events := journey(t, r); states != "working failed working complete" ||
		events != "started agent_error resume done gated" || r.Manifest.Iteration != 1 {
		t.Errorf("the states are %s, the events %s and the iteration %d; want a failed run that resumed and completed",
			states, events, r.Manifest.Iteration)
	}
	r, c = newRun(t, p, pair.Review, nil, nil)
	c.missing = "other"
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Reason != pair.NotStarted ||
		failed.Why != "other: not found on PATH" {
		t.Errorf("got %v, want that other was not started", err)
	}
	if r.Manifest.State != "failed" || r.Manifest.ResumeState != "submitted" {
		t.Errorf("the run is %q, want %q; it would resume as %q, want %q",
			r.Manifest.State, "failed", r.Manifest.ResumeState, "submitted")
	}
}

func TestCancelAndResume(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs agents")
	}
	t.Parallel()
	for _, c := range []struct {
		name       string
		one, other []reply
		resume     string
		states     string
	}{
		{"working", []reply{{wait: true}, {edit: "good", says: "{DONE}"}}, []reply{{says: "{PASS}"}}, "working",
			"working failed working reviewing complete"},
		{"reviewing", []reply{{edit: "good", says: "{DONE}"}}, []reply{{wait: true}, {says: "{PASS}"}}, "reviewing",
			"working reviewing failed reviewing complete"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			r, cast := newRun(t, p, pair.Review, c.one, c.other)
			if err := SendMessage(p, r.Manifest.ID, Primary, "Mind the gap."); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-cast.begun; cancel() }()
			if err := r.Go(ctx); !errors.Is(err, ErrCancelled) {
				t.Fatal(err)
			}
			if m := r.Manifest; m.State != "failed" || m.Error != "cancelled" || string(m.ResumeState) != c.resume ||
				m.Iteration != 1 {
				t.Errorf("the run is %s because of %q and would resume as %s, want failed, cancelled and %s",
					m.State, m.Error, m.ResumeState, c.resume)
			}
			again, err := Open(p, r.Manifest.ID)
			if err != nil {
				t.Fatal(err)
			}
			again.Launcher = cast
			if err := again.Go(t.Context()); err != nil {
				t.Fatal(err)
			}
			if states, _ := journey(t, again); states != c.states || again.Manifest.Iteration != 1 {
				t.Errorf("the states are %s in iteration %d, want %s in 1",
					states, again.Manifest.Iteration, c.states)
			}
			// The message is in the repeated turn in flight, and in no other.
			for i, prompt := range cast.prompts["one"] {
				if !strings.Contains(prompt, "Mind the gap.") {
					t.Errorf("prompt %d lacks the message", i)
				}
			}
			if err := again.Go(t.Context()); !errors.Is(err, ErrComplete) {
				t.Error(err)
			}
		})
	}
}

func TestLimitIsRaised(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it plays several runs")
	}
	r, c := newRun(t, newProject(t), pair.Single, []reply{{edit: "bug 1", says: "{DONE}"}}, nil)
	r.Manifest.MaxIterations = 1
	var failed *FailedError
	if err := r.Go(t.Context()); !errors.As(err, &failed) || failed.Why != "max iterations reached" {
		t.Fatal(err)
	}
	var refusal *machine.Refusal
	if err := r.Go(t.Context()); !errors.As(err, &refusal) {
		t.Errorf("got %v, want a refusal", err)
	}
	r.Manifest.MaxIterations = 2
	c.replies["one"] = []reply{{edit: "good", says: "{DONE}"}}
	if err := r.Go(t.Context()); err != nil || r.Manifest.Iteration != 2 {
		t.Errorf("got %v, iteration %d; want no error in 2", err, r.Manifest.Iteration)
	}
	if !strings.Contains(c.prompts["one"][1], "! grep -q bug work.txt") {
		t.Error("the report of the previous gate is missing")
	}
}
