package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// A red base is reported, counts against no limit, and fills the caches of later gates.
func TestBaseIsGatedOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "echo run >>$OUT/runs; test ! -f $HOME/.cache/x || touch $OUT/warm; mkdir -p $HOME/.cache; "+
		"touch $HOME/.cache/x; test -f work")
	if !BaseWanted(l.Task, l.world()) {
		t.Error("no base is wanted")
	}
	for range 2 {
		l.ok(RunBase(t.Context(), l.Task))
	}
	w := l.world()
	if !strings.HasPrefix(w.Task.Base.Red, "FAIL: echo run") || w.CheckRetries != 0 ||
		w.State != "Executing" || l.events() != "base_red" || BaseWanted(l.Task, w) {
		t.Errorf("%q, %d retries, %s, journal %s", w.Task.Base.Red, w.CheckRetries, w.State, l.events())
	}
	logs, err := filepath.Glob(filepath.Join(l.Dir, ".ferrus", "logs", "check_base_*.txt"))
	if l.ok(err); len(logs) != 1 {
		t.Fatalf("the logs of the base are %q, want one", logs)
	}
	text, err := os.ReadFile(logs[0])
	if l.ok(err); !strings.HasPrefix(string(text), "=== the base of the task, without its changes\n") {
		t.Errorf("the log does not say first what it is about:\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(l.out, "warm")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the base found a cache: %v", err)
	}
	r := l.run(l.check())
	if _, err := os.Stat(filepath.Join(l.out, "warm")); err != nil ||
		!strings.Contains(r.Report, "These failed before the task started, too") {
		t.Errorf("the base was not warmed (%v), or the report does not say what failed before the task:\n%s",
			err, r.Report)
	}
	l.write(filepath.Join(l.Dir, "work"), "")
	if r := l.run(l.check()); r.Verdict != checks.Pass || strings.Contains(r.Report, "failed before the task") {
		t.Errorf("want a pass, and a report without earlier failures:\n%s", r.Report)
	}
	if runs, err := os.ReadFile(filepath.Join(l.out, "runs")); string(runs) != "run\nrun\nrun\n" {
		t.Errorf("the runs are %q, %v; want 3", runs, err)
	}
	l.do(core.Command{Kind: "reset", By: project.HumanActor()})
	l.ok(os.Remove(filepath.Join(l.Dir, "work")))
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "again"})
	l.ok(RunBase(t.Context(), l.Task))
	if w := l.world(); w.Task.Base.Red == "" || BaseWanted(l.Task, w) {
		t.Errorf("the next task with this base: %+v", w.Task.Base)
	}
	if runs, _ := os.ReadFile(filepath.Join(l.out, "runs")); string(runs) != "run\nrun\nrun\n" {
		t.Errorf("the same base ran again: %q", runs)
	}
}

// startBase starts a run of the base, whose command makes a file, started, and then waits. It returns how the run ends.
func (l *fixture) startBase() <-chan error {
	l.Helper()
	ended := make(chan error, 1)
	go func() { ended <- RunBase(l.Context(), l.Task) }()
	l.until("a start", func() bool { _, err := os.Stat(filepath.Join(l.out, "started")); return err == nil })
	return ended
}

func TestGateGoesBeforeTheBase(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "touch $OUT/started; trap '' TERM; test -f work || sleep 1000")
	base := l.startBase()
	l.write(filepath.Join(l.Dir, "work"), "")
	if r := l.run(l.check()); r.Verdict != checks.Pass {
		t.Errorf("the gate says %s: %s; want a pass", r.Verdict, r.Why)
	}
	if err := <-base; err != nil || !BaseWanted(l.Task, l.world()) {
		t.Errorf("the base is done: %v", err)
	}
	if _, err := l.Store.ReadFile(wantedFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", wantedFile, err)
	}
}

// A conductor that starts with another task does not interrupt a run of the base: that has cleared away what runners
// left.
func TestWhatLostGatesLeftDoesNotInterruptTheBase(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "echo the base; touch $OUT/started; until test -f $OUT/go; do sleep 0.01; done")
	base := l.startBase()
	if err := KillLost(t.Context(), l.Task); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("KillLost returns %v; want that the lock is taken", err)
	}
	if lines := LastLines(l.Task, 1, 1); lines != "" {
		t.Errorf("%q is shown for a gate that has not started", lines)
	}
	l.write(filepath.Join(l.out, "go"), "")
	if err := <-base; err != nil || BaseWanted(l.Task, l.world()) {
		t.Errorf("the base is not done: %v", err)
	}
}

// TestACancelledGateIsNotWanted checks that a gate that no longer waits for the base does not stop the next run of it.
func TestACancelledGateIsNotWanted(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	for _, name := range []string{laneLock(0), project.BaseLock} {
		lock, err := l.Files.TryLock(name)
		l.ok(err)
		defer lock.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := lockGate(ctx, l.Task)
		done <- err
	}()
	wanted := func() bool { _, err := l.Files.ReadFile(wantedFile); return err == nil }
	l.until("a gate that waits", wanted)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || wanted() {
		t.Errorf("the gate ends with %v, and %s is left: %t", err, wantedFile, wanted())
	}
}

// The human's own run needs no ticket that the base could see in the state.
func TestForcedGateGoesBeforeTheBase(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "touch $OUT/started; test -f work || sleep 1000")
	base := l.startBase()
	l.write(filepath.Join(l.Dir, "work"), "")
	r, err := Force(t.Context(), l.Task, Options{})
	if l.ok(err); r.Verdict != checks.Pass {
		t.Errorf("the gate says %s: %s; want a pass", r.Verdict, r.Why)
	}
	l.ok(<-base)
}

func TestBaseIsNotWanted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t)
	if BaseWanted(l.Task, l.world()) {
		t.Error("without commands")
	}
	l = newFixture(t, "true")
	if l.do(core.Command{Kind: "hold", By: project.HumanActor(), Text: "stop"}); !BaseWanted(l.Task, l.world()) {
		t.Error("on hold it is still to be done")
	}
	l.Trusts = &project.TrustStore{File: filepath.Join(l.out, "trust.json")}
	if BaseWanted(l.Task, l.world()) {
		t.Error("commands that are not trusted")
	}
	l.ok(RunBase(t.Context(), l.Task))
	if _, err := l.Store.ReadFile(recordName(baseName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it ran: %v", err)
	}
	lock, err := l.Store.TryLock(project.GateLock)
	l.ok(err)
	defer lock.Close()
	if err := RunBase(t.Context(), l.Task); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("beside a gate: %v", err)
	}
}
