package pairs

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/pair"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
)

func newPairs(t *testing.T) *Pairs {
	loop := session.NewLoop(t.Context())
	loop.Start(func() {})
	t.Cleanup(loop.Close)
	return &Pairs{Project: hqtest.NewProject(t, nil), Loop: loop, Notices: &notice.List{},
		Idle: func() error { return nil }, Since: func() time.Time { return time.Time{} }, Changed: func() {}}
}

func TestWithoutARun(t *testing.T) {
	t.Parallel()
	p := newPairs(t)
	p.Stop(nil)
	p.Recover()
	if n := p.Newest(time.Time{}); n.Panes != nil || n.Pair != nil || n.Running {
		t.Errorf("Newest = %+v, want nothing", n)
	}
	if id, ok := p.Resumable(); ok {
		t.Errorf("Resumable = %q, want none", id)
	}
	_, err := p.SendMessage(core.SlotExecutor, "Use a map.")
	if err == nil || !strings.Contains(err.Error(), "no pair") {
		t.Errorf("SendMessage: %v, want that there is no pair", err)
	}
	_, err = p.Start(t.Context(), pair.Request{Again: true})
	if err == nil || !strings.Contains(err.Error(), "no run to resume") {
		t.Errorf("resume: %v, want that there is no run to resume", err)
	}
	p.Loop.Ask(func() {
		if len(p.Notices.All) != 0 {
			t.Errorf("the notices are %+v, want none", p.Notices.All)
		}
	})
}

// A run does not start while the loop has a session, or another run is under way.
func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	p := newPairs(t)
	busy := errors.New("the executor is running")
	p.Idle = func() error { return busy }
	if _, err := p.Start(t.Context(), pair.Request{Again: true}); !errors.Is(err, busy) {
		t.Errorf("Start while the loop has a session: %v, want %v", err, busy)
	}
	p.Idle = func() error { return nil }
	p.newest = &pairRun{over: make(chan struct{})}
	if _, err := p.Start(t.Context(), pair.Request{Again: true}); !errors.Is(err, errPairRuns) {
		t.Errorf("Start during a run: %v, want %v", err, errPairRuns)
	}
	close(p.newest.over)
	if _, err := p.Start(t.Context(), pair.Request{Again: true}); errors.Is(err, errPairRuns) {
		t.Errorf("Start after the run: %v", err)
	}
}

// The size of a pane is kept for the next run.
func TestASizeIsKept(t *testing.T) {
	t.Parallel()
	p := newPairs(t)
	p.Resize(core.SlotExecutor, 100, 40)
	if columns, rows := p.size(core.SlotExecutor); columns != 100 || rows != 40 {
		t.Errorf("size = %d, %d; want 100, 40", columns, rows)
	}
	if columns, rows := p.size(core.SlotReviewer); columns != 0 || rows != 0 {
		t.Errorf("the other pane's size = %d, %d; want 0, 0", columns, rows)
	}
}

func TestTheActivityHasStepsAndSessions(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 7, 0, 0, 0, time.UTC)
	step := func(from, to machine.State) pair.Step { return pair.Step{Event: "gated", From: from, To: to} }
	r := &pairRun{}
	for _, e := range []pair.Entry{
		{At: at, Type: "state", Step: step("working", "reviewing"), Verdict: "PASS", Text: "PASS"},
		{At: at, Type: "prompt", Text: "Do it."},
		{At: at, Type: "output", Text: "Done."},
		{At: at, Type: "session", Author: pair.Author{Agent: "one"}, Text: "exit 1", Step: step("working", "working")},
	} {
		r.add(e)
	}
	want := []store.Entry{
		{At: at, Event: string(core.KindChecked), By: "ferrus", From: "working", To: "reviewing", Why: "PASS"},
		{At: at, Event: "session", By: "one", Why: "exit 1"},
	}
	if got := r.journal(); !reflect.DeepEqual(got, want) {
		t.Errorf("the activity is\n%+v\nwant\n%+v", got, want)
	}
}

// A run that was stopped is resumed, also by the next conductor, until the state of the task changes. What ferrus notes
// about a session changes none.
func TestAStoppedRunIsResumed(t *testing.T) {
	t.Parallel()
	p := newPairs(t)
	p.Project = hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, "one", "other")
	o := pair.Options{Task: "Write it.", Primary: "one", Secondary: "other", Mode: "review", MaxIterations: 5}
	o.Words.Done, o.Words.Pass, o.Words.Rework, o.Words.Fail = "DONE", "PASS", "REWORK", "FAIL"
	run, err := pair.Create(t.Context(), p.Project, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run.Go(ctx); !errors.Is(err, pair.ErrCancelled) {
		t.Fatalf("the run ends with %v", err)
	}
	began, now := time.Now().Add(-time.Hour), time.Time{}
	p.Since = func() time.Time { return now }
	over := make(chan struct{})
	close(over)
	p.Recover()
	v, want := p.Newest(began).Pair, run.View()
	if v == nil || v.Why != want.Why || v.Resume != want.Resume || !v.Stopped {
		t.Errorf("the next conductor shows %+v, want %+v", v, want)
	}
	if v := p.Newest(time.Now().Add(time.Hour)).Pair; v != nil {
		t.Errorf("after a change of the task the next conductor shows %+v", v)
	}
	for _, newest := range []*pairRun{nil, {Run: run, since: began, over: over}} {
		p.newest = newest
		now = began
		if id, ok := p.Resumable(); !ok || id != run.Manifest.ID {
			t.Errorf("Resumable = %q, %v; want %q", id, ok, run.Manifest.ID)
		}
		now = time.Now().Add(time.Hour)
		if id, ok := p.Resumable(); ok {
			t.Errorf("Resumable = %q after a change of the task, want none", id)
		}
	}
}
