package worker

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/hq/wire"
	"ferrus/store"
)

const homeA, homeB = "aaaaaaaaaaaa", "bbbbbbbbbbbb"

// build is the build of both ends.
var build = wire.Build{Protocol: wire.Protocol, Hash: "same", Version: "1", System: "test/test"}

func newWorker(t *testing.T, change ...func(*Options)) *Worker {
	t.Helper()
	heads := store.Heads(t.TempDir())
	o := Options{Dir: t.TempDir(), Build: build, Agents: func() []wire.Agent { return nil },
		Open: func(ctx context.Context, dir string) (*project.Task, error) {
			if _, err := store.Create(ctx, dir, core.New(time.Now()), heads); err != nil {
				return nil, err
			}
			return project.OpenKept(dir, heads)
		}}
	for _, f := range change {
		f(&o)
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ask makes a call on a link, and returns its error.
func ask(t *testing.T, h wire.Handler, m wire.Method, question any) ([]byte, error) {
	t.Helper()
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	return h.Call(t.Context(), m, body)
}

func greet(t *testing.T, h wire.Handler, home string) error {
	t.Helper()
	_, err := ask(t, h, wire.MethodHello, wire.Hello{Build: build, Home: home, Project: "app", Patience: 60})
	return err
}

// refused checks for an error with the given words.
func refused(t *testing.T, what string, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, want an error with %q", what, err, words)
	}
}

var methods = []wire.Method{wire.MethodStatus, wire.MethodHave, wire.MethodPlace, wire.MethodTree, wire.MethodStart,
	wire.MethodEnd, wire.MethodForget}

func TestAWorkerAnswersNothingBeforeItIsGreeted(t *testing.T) {
	t.Parallel()
	link := newWorker(t).Handler("")
	for _, m := range methods {
		_, err := ask(t, link, m, struct{}{})
		refused(t, string(m), err, errNotGreeted.Error())
	}
	for _, m := range []wire.Method{wire.MethodPack, wire.MethodFetch, wire.MethodPane, wire.MethodTools} {
		refused(t, string(m), link.Stream(t.Context(), m, []byte("{}"), nil), errNotGreeted.Error())
	}
}

// Another build learns which build runs here, and gets nothing else.
func TestAnotherBuildIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	link := newWorker(t).Handler("")
	other := build
	other.Hash = "another"
	body, err := ask(t, link, wire.MethodHello, wire.Hello{Build: other, Home: homeA})
	if err != nil || !strings.Contains(string(body), build.Hash) {
		t.Errorf("greeting another build: %s, %v; want this build's hash", body, err)
	}
	_, err = ask(t, link, wire.MethodStatus, struct{}{})
	refused(t, "its next call", err, errNotGreeted.Error())
}

// A link from one home can neither read nor end what belongs to another.
func TestALinkSpeaksOnlyForItsHome(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	link := w.Handler(homeA)
	refused(t, "another's greeting", greet(t, link, homeB), "belongs to another home")
	_, err := ask(t, link, wire.MethodStatus, struct{}{})
	refused(t, "the call after it", err, errNotGreeted.Error())
	if err := greet(t, link, homeA); err != nil {
		t.Errorf("the home's own greeting: %v", err)
	}
	for _, id := range []string{"", "..", "../x", "A", strings.Repeat("a", 65)} {
		refused(t, "the home "+id, greet(t, w.Handler(""), id), "no valid id")
	}
}

// The names of tasks and slots become parts of paths.
func TestNamesStayInside(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	outside := filepath.Join(w.Dir, "kept")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := w.Handler("")
	if err := greet(t, link, homeA); err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("0", 40)
	for _, name := range []string{"", ".", "..", "../../../kept", "/etc", "a/b", "-x", "a b",
		strings.Repeat("a", 200)} {
		task := wire.Task{Task: name, Attempt: 1}
		for m, question := range map[wire.Method]any{
			wire.MethodPlace:  wire.Place{Task: task, Commit: hash, Tree: hash},
			wire.MethodTree:   task,
			wire.MethodStart:  wire.Start{Task: task, Slot: "executor"},
			wire.MethodEnd:    wire.End{Task: task},
			wire.MethodForget: wire.Forget{Task: task},
		} {
			_, err := ask(t, link, m, question)
			refused(t, string(m)+" "+name, err, "not the name of a task")
		}
	}
	one := wire.Task{Task: "t-1", Attempt: 1}
	_, err := ask(t, link, wire.MethodPlace, wire.Place{Task: one, Commit: hash, Tree: hash, Below: "../.."})
	refused(t, "a directory outside", err, "leads out of the workspace")
	h := w.homes[homeA]
	if _, err := h.claim(one, func(a *attempt) { a.Commit = hash }); err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, link, wire.MethodStart, wire.Start{Task: one, Slot: "../../x"})
	refused(t, "a slot outside", err, "not the name of a slot")
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// Calls that name an ended attempt are refused, even after the worker restarts.
func TestAnAttemptThatIsOverIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	if err := greet(t, w.Handler(""), homeA); err != nil {
		t.Fatal(err)
	}
	if _, err := w.homes[homeA].claim(wire.Task{Task: "t-1", Attempt: 2}, nil); err != nil {
		t.Fatal(err)
	}
	again := newWorker(t, func(o *Options) {
		o.Dir = w.Dir
		o.Open = func(context.Context, string) (*project.Task, error) { return w.homes[homeA].project, nil }
	})
	for _, one := range []*Worker{w, again} {
		link := one.Handler("")
		if err := greet(t, link, homeA); err != nil {
			t.Fatal(err)
		}
		_, err := ask(t, link, wire.MethodTree, wire.Task{Task: "t-1", Attempt: 1})
		refused(t, "an older attempt", err, "attempt 1 of t-1 is over: attempt 2 replaced it")
	}
}

// A worker opens the homes that its predecessor had, which ends their gates even if home never
// greets it.
func TestAWorkerOpensTheHomesOfThePreviousOne(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	if err := greet(t, w.Handler(""), homeA); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(w.Dir, "homes", homeB, attemptsFile)
	if err := os.MkdirAll(filepath.Dir(broken), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := newWorker(t, func(o *Options) {
		o.Dir = w.Dir
		o.Open = func(context.Context, string) (*project.Task, error) { return w.homes[homeA].project, nil }
	})
	next.openAll(t.Context())
	if next.homes[homeA] == nil || len(next.homes) != 1 {
		t.Errorf("it opened the homes %v, want homeA", next.homes)
	}
}

// Homes share a worker's slots, if it sets a number.
func TestHomesShareTheSlots(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWorker(t, func(o *Options) { o.Slots = 2 })
	for _, id := range []string{homeA, homeB} {
		if err := greet(t, w.Handler(""), id); err != nil {
			t.Fatal(err)
		}
	}
	a, b := w.homes[homeA], w.homes[homeB]
	over := make(chan struct{})
	close(over)
	a.sessions["1"] = &running{Task: wire.Task{Task: "t-1"}, ended: make(chan struct{})}
	a.sessions["2"] = &running{Task: wire.Task{Task: "t-1"}, ended: make(chan struct{})} // its reviewer
	a.sessions["3"] = &running{Task: wire.Task{Task: "t-2"}, ended: over}
	if got := w.status(a).Slots; got != 2 {
		t.Errorf("the home with the task has %d slots, want 2", got)
	}
	if got := w.status(b).Slots; got != 1 {
		t.Errorf("the other home has %d slots, want 1", got)
	}
}

// stoppable is a process that ends when Stop asks it to, and records the grace period.
type stoppable struct {
	session.Process
	grace chan time.Duration
	done  chan struct{}
}

func (p *stoppable) End(_ context.Context, grace time.Duration) agent.Exit {
	select {
	case p.grace <- grace:
		close(p.done)
	default: // already asked
	}
	return agent.Exit{}
}

func (p *stoppable) PID() int { return 0 }

// Sessions are stopped gracefully once home has been silent for longer than its patience, and not
// before.
func TestASilentHomeLosesItsSessions(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	for _, id := range []string{homeA, homeB} {
		if err := greet(t, w.Handler(""), id); err != nil {
			t.Fatal(err)
		}
	}
	start := func(id string, silent time.Duration) *stoppable {
		h, p := w.homes[id], &stoppable{grace: make(chan time.Duration, 1), done: make(chan struct{})}
		s := &running{Task: wire.Task{Task: "t-1"}, home: h, process: p, ended: p.done}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sessions["1"], h.heard = s, time.Now().Add(-silent)
		return p
	}
	gone, near := start(homeA, 61*time.Second), start(homeB, 50*time.Second)
	w.inspect()
	if grace := <-gone.grace; grace != stopGrace {
		t.Errorf("the silent home's session got the grace periods %v, want %v", grace, stopGrace)
	}
	<-gone.done
	s := w.homes[homeA].sessions["1"]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.Contains(s.why, "home did not answer for 1m") {
		t.Errorf("the session ended because %q, want that home did not answer", s.why)
	}
	if w.homes[homeB].tasks() != 1 || len(near.grace) > 0 {
		t.Error("the other home's session was ended")
	}
}

// A worker of another build ends in favor of the next one only if that is installed.
func TestAWorkerGivesWayToANewProgram(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		w := newWorker(t, func(o *Options) { o.Replaced = func() bool { return replaced } })
		other := build
		other.Hash = "another"
		if _, err := ask(t, w.Handler(""), wire.MethodHello, wire.Hello{Build: other, Home: homeA}); err != nil {
			t.Fatal(err)
		}
		if got := len(w.old) == 1; got != replaced {
			t.Errorf("replaced %v: it gives way: %v, want %v", replaced, got, replaced)
		}
	}
}
