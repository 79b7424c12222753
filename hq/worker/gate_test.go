package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ferrus/checks"
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/wire"
)

// dialWorker returns a greeted link to a worker, and end, which cuts it.
func dialWorker(t *testing.T, w *Worker) (l wire.Link, end func()) {
	t.Helper()
	here, there := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = wire.Serve(context.WithoutCancel(t.Context()), wire.Bytes(there, there), w.Handler(""))
	}()
	l = wire.Dial(wire.Bytes(here, here))
	end = func() { l.Close(); there.Close(); <-served }
	t.Cleanup(end)
	hello := wire.Hello{Build: build, Home: homeA, Project: "app", Patience: 60}
	if err := wire.Ask(t.Context(), l, wire.MethodHello, hello, nil); err != nil {
		t.Fatal(err)
	}
	return l, end
}

// askedGate returns a gate with one command on a commit that a worker has.
func askedGate(t *testing.T, w *Worker, command string) wire.Gate {
	t.Helper()
	h := w.homes[homeA]
	if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("checked\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Commit(t, h.dir)
	head, err := h.git().Output(t.Context(), "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := h.git().TreeOf(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	base := core.Base{Commit: head, Tree: tree}
	d := core.Definition{Commands: []checks.Command{{Run: command}}, TimeoutSecs: 60,
		Sandbox: core.Sandbox{Mode: "off"}}
	return wire.Gate{Name: "merge_1_1", Commit: head, Base: base, Definition: d,
		Task: &core.Task{ID: "t-1", Base: base, Definition: &d}}
}

// received is a gate's output from a worker, from the first message on.
type received struct {
	record     gate.Record
	log, lines string
}

func receive(t *testing.T, s wire.Stream, until func(received) bool) (all received) {
	t.Helper()
	record := ""
	for {
		m, err := s.Receive(t.Context())
		if errors.Is(err, io.EOF) {
			if err := json.Unmarshal([]byte(record), &all.record); err != nil {
				t.Fatal(err)
			}
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch m[0] {
		case wire.GateStep:
			var at wire.GateProgress
			if err := json.Unmarshal(m[1:], &at); err != nil {
				t.Fatal(err)
			}
			all.lines += at.Line
		case wire.GateLog:
			all.log += string(m[1:])
		case wire.GateRecord:
			record += string(m[1:])
		}
		if until != nil && until(all) {
			return all
		}
	}
}

// pipes makes two named pipes: a command writes a line to the first when it starts, and exits when
// it can read a line from the second.
func pipes(t *testing.T) (command, begun, proceed string) {
	t.Helper()
	dir := t.TempDir()
	begun, proceed = filepath.Join(dir, "begun"), filepath.Join(dir, "proceed")
	for _, name := range []string{begun, proceed} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command = "echo it runs; echo one >>" + dir + "/count; echo >" + begun + "; read x <" + proceed + "; cat a.txt"
	return command, begun, proceed
}

// A gate continues when its link is lost, and asking for it again returns its result: it runs once.
func TestAGateSurvivesItsLink(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	w := newWorker(t)
	l, cut := dialWorker(t, w)
	command, begun, proceed := pipes(t)
	q := askedGate(t, w, command)
	s, err := wire.Open(t.Context(), l, wire.MethodGate, q)
	if err != nil {
		t.Fatal(err)
	}
	receive(t, s, func(r received) bool { return strings.Contains(r.lines, "it runs") })
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	cut()
	again, _ := dialWorker(t, w)
	if s, err = wire.Open(t.Context(), again, wire.MethodGate, q); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(proceed, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := receive(t, s, nil)
	if all.record.Verdict != checks.Pass || all.record.Tree.Hash != q.Base.Tree ||
		!strings.Contains(all.log, "checked") {
		t.Errorf("the record is %+v and the log %q, want a pass on the asked tree", all.record, all.log)
	}
	count, err := os.ReadFile(filepath.Join(filepath.Dir(begun), "count"))
	if err != nil || string(count) != "one\n" {
		t.Errorf("the command's own log is %q, %v; want one line", count, err)
	}
	s.Close(nil)
	awaitNoGate(t, w)
	h := w.homes[homeA]
	if left, _ := h.project.Store.List("checks"); len(left) > 0 {
		t.Errorf("files of a gate that home has fetched are left: %q", left)
	}
}

// awaitNoGate waits until a worker keeps no gate.
func awaitNoGate(t *testing.T, w *Worker) {
	t.Helper()
	h := w.homes[homeA]
	for left := 1; left > 0; {
		if t.Context().Err() != nil {
			t.Fatal("the worker still keeps the gate")
		}
		h.mu.Lock()
		left = len(h.gates)
		h.mu.Unlock()
	}
}

// A gate ends when home closes its stream, or has been silent for too long.
func TestAGateThatIsNotWantedEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*home, wire.Stream){
		"closed": func(_ *home, s wire.Stream) { s.Close(nil) },
		"silent": func(h *home, _ wire.Stream) { h.endAll("home is silent") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorker(t)
			l, _ := dialWorker(t, w)
			command, begun, _ := pipes(t)
			s, err := wire.Open(t.Context(), l, wire.MethodGate, askedGate(t, w, command))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.ReadFile(begun); err != nil {
				t.Fatal(err)
			}
			h := w.homes[homeA]
			if !h.lives() {
				t.Error("a home with a running gate has no activity")
			}
			end(h, s)
			awaitNoGate(t, w)
			if h.lives() {
				t.Error("the ended gate still counts as activity")
			}
		})
	}
}

// Requests for unknown gates or commits are refused, and so are more gates than a home needs.
func TestARefusedGate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	w := newWorker(t)
	l, _ := dialWorker(t, w)
	q := askedGate(t, w, "true")
	h := w.homes[homeA]
	for name, c := range map[string]struct {
		change func(*wire.Gate)
		words  string
	}{
		"path":    {func(q *wire.Gate) { q.Name = "../x" }, "not the name of a gate"},
		"commit":  {func(q *wire.Gate) { q.Commit = "--all" }, "not the hash"},
		"base":    {func(q *wire.Gate) { q.Base.Commit = "" }, "not the hash"},
		"missing": {func(q *wire.Gate) { q.Commit = strings.Repeat("1", 40) }, strings.Repeat("1", 40)},
		"many": {func(q *wire.Gate) {
			h.mu.Lock()
			defer h.mu.Unlock()
			for i := range maxGates {
				h.gates[strings.Repeat("x", i+1)] = &gateRun{cancel: func() {}, done: make(chan struct{})}
			}
		}, "16 gates"},
	} {
		changed := q
		c.change(&changed)
		s, err := wire.Open(t.Context(), l, wire.MethodGate, changed)
		if err == nil {
			_, err = s.Receive(t.Context())
		}
		refused(t, name, err, c.words)
		h.mu.Lock()
		clear(h.gates)
		h.mu.Unlock()
	}
}

// A finished gate whose result home never fetches makes room for another one.
func TestAnOldResultMakesRoom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	w := newWorker(t)
	l, _ := dialWorker(t, w)
	h := w.homes[homeA]
	for i := range maxGates {
		h.gates[strings.Repeat("x", i+1)] = &gateRun{cancel: func() {}, done: closed(), followers: min(i, 1)}
	}
	s, err := wire.Open(t.Context(), l, wire.MethodGate, askedGate(t, w, "true"))
	if err != nil {
		t.Fatal(err)
	}
	if all := receive(t, s, nil); all.record.Verdict != checks.Pass {
		t.Errorf("the record is %+v, want a pass", all.record)
	}
	var status wire.Status
	if err := wire.Ask(t.Context(), l, wire.MethodStatus, struct{}{}, &status); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(status.Gates, "x") || !slices.Contains(status.Gates, "xx") || len(status.Gates) != maxGates {
		t.Errorf("the worker keeps the gates %q, want the oldest dropped", status.Gates)
	}
	s.Close(nil)
	h.mu.Lock()
	for name := range h.gates {
		if strings.HasPrefix(name, "x") {
			delete(h.gates, name)
		}
	}
	h.mu.Unlock()
	awaitNoGate(t, w)
}

// A host that a gate's commands ask for is reported once, and again to each link that is opened
// later.
func TestAGateReportsHosts(t *testing.T) {
	t.Parallel()
	g := &gateRun{done: closed(), changed: make(chan struct{}, 1)}
	for i := range 2 * wire.MaxGateHosts {
		for range 2 {
			if g.refuse(fmt.Sprintf("h%d.invalid", i)) {
				t.Fatal("the host was allowed, want a refusal")
			}
		}
	}
	all, steps := g.next(0)
	if steps != wire.MaxGateHosts || string(all[0]) != "Hh0.invalid" || string(all[1]) != "Hh1.invalid" {
		t.Errorf("%d hosts are reported: %q; want the first ones up to the limit", steps, all)
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
