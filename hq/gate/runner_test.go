package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

func TestTwoRunnersGiveOneVerdict(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "test ! -f work || { echo run >>$OUT/runs; exit 1; }")
	l.write(filepath.Join(l.Dir, "work"), "")
	ticket := l.check()
	var wait sync.WaitGroup
	for range 2 {
		l.runner(ticket)
	}
	for range 4 {
		wait.Go(func() {
			var held *store.LockedError
			if err := Run(t.Context(), l.Task, ticket, Options{}); err != nil && !errors.As(err, &held) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	l.until("the verdict", func() bool { return l.world().Gate.Verdict != "" })
	if runs, err := os.ReadFile(filepath.Join(l.out, "runs")); string(runs) != "run\n" || err != nil {
		t.Errorf("the commands ran more than once: %q, %v", runs, err)
	}
	if got := l.events(); got != "check checked" || l.world().CheckRetries != 1 {
		t.Errorf("journal: %s, %d retries", got, l.world().CheckRetries)
	}
}

func TestDeadRunnerIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "[ -e $OUT/finish ] || { (setsid sh -c 'echo $$ >$OUT/stray; exec sleep 1000' &); echo $$ "+
		">$OUT/pid; exec sleep 1000; }")
	ticket := l.check()
	dead := l.runner(ticket)
	pid, stray := l.pid("pid"), l.pid("stray")
	l.ok(dead.Process.Kill())
	_ = dead.Wait()
	if !lives(pid) || !lives(stray) {
		t.Fatal("the commands died with their runner: this test shows nothing")
	}
	l.write(filepath.Join(l.out, "finish"), "")
	record := l.run(ticket)
	if record.Verdict != checks.Pass || lives(pid) || lives(stray) {
		t.Errorf("%s, old processes live: %v, %v", record.Why, lives(pid), lives(stray))
	}
	if w := l.world(); w.Gate.Ticket != ticket || w.Gate.Lost != 1 || w.State != "Checking" {
		t.Errorf("%s with gate %+v, want Checking with ticket %d lost once", w.State, w.Gate, ticket)
	}
	if got := l.events(); got != "check gate_lost checked" {
		t.Errorf("the events are %s, want check, gate_lost and checked", got)
	}
}

// If the task is archived while its gate has no runner, the processes of the dead runner are ended
// all the same.
func TestDeadRunnerIsBuriedWhenItsGateIsOver(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "echo $$ >$OUT/pid; exec sleep 1000")
	dead := l.runner(l.check())
	pid := l.pid("pid")
	l.ok(dead.Process.Kill())
	_ = dead.Wait()
	l.do(core.Command{Kind: "reset", By: project.HumanActor()})
	l.ok(KillLost(t.Context(), l.Task))
	if lives(pid) {
		t.Error("its command lives")
	}
	if _, err := l.Store.ReadFile(gateFile); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestThirdDeadRunnerLosesTheGate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "echo $$ >$OUT/pid; exec sleep 1000")
	ticket := l.check()
	var pids []int
	for range 3 {
		dead := l.runner(ticket)
		pids = append(pids, l.pid("pid"))
		l.ok(dead.Process.Kill())
		_ = dead.Wait()
		l.ok(os.Remove(filepath.Join(l.out, "pid")))
	}
	recorded := make(chan error, 1)
	go func() { // Who sees the verdict finds its record.
		for range looks(t.Context(), l.Task, lookEvery) {
			if state, err := l.World(); err != nil || !runs(state.World, ticket) {
				_, missing := Read(l.Task, ticket)
				recorded <- errors.Join(err, missing)
				return
			}
		}
	}()
	record := l.run(ticket)
	if err := <-recorded; err != nil {
		t.Error(err)
	}
	w := l.world()
	if w.State != "Executing" || w.CheckRetries != 0 || w.Gate.Verdict != checks.Cancelled ||
		record.Verdict != checks.Cancelled {
		t.Errorf("%s with gate %+v, want Executing with a cancelled gate: %s", w.State, w.Gate, record.Why)
	}
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
	if got := l.events(); got != "check gate_lost gate_lost check_cancelled" {
		t.Errorf("the events are %s, want a cancellation after two losses", got)
	}
}

func TestRunnerEndsWhenItsTicketIsGone(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for a runner")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		command core.Command
		journal string
	}{
		"reset":     {core.Command{Kind: "reset", By: project.HumanActor()}, "check reset"},
		"cancelled": {core.Command{Kind: "check_cancelled", By: project.HumanActor()}, "check check_cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, "echo $$ >$OUT/pid; exec sleep 1000")
			ticket := l.check()
			ended := make(chan error, 1)
			go func() { ended <- Run(t.Context(), l.Task, ticket, Options{}) }()
			pid := l.pid("pid")
			l.do(c.command)
			if err := <-ended; err != nil || lives(pid) {
				t.Errorf("%v, the command lives: %v", err, lives(pid))
			}
			if got := l.events(); got != c.journal {
				t.Errorf("the events are %s, want %s", got, c.journal)
			}
		})
	}
}

func TestGateOutlivesWhoRanIt(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "[ -e $OUT/finish ] || { echo $$ >$OUT/pid; exec sleep 1000; }")
	ticket := l.check()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, l.Task, ticket, Options{}) }()
	pid := l.pid("pid")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || lives(pid) {
		t.Errorf("%v, the command lives: %v", err, lives(pid))
	}
	if w := l.world(); !w.GateRunning() {
		t.Errorf("the gate ended with its runner: %+v", w.Gate)
	}
	l.write(filepath.Join(l.out, "finish"), "")
	if record := l.run(ticket); record.Verdict != checks.Pass || l.world().Gate.Lost != 0 {
		t.Errorf("the gate ended with %s, lost %d times; want a pass and 0", record.Why, l.world().Gate.Lost)
	}
}

func within(d time.Duration) Waiting { return Waiting{Until: time.Now().Add(d)} }

func TestDetachedRunnerServesWhoWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	t.Setenv(process.NonceEnv, "secret")
	l := newFixture(t,
		"env >$OUT/env; echo $$ >$OUT/pid; echo working; while [ ! -e $OUT/finish ]; do sleep 0.05; done")
	ticket := l.check()
	state, done, err := Wait(t.Context(), l.Task, ticket, within(0))
	if err != nil || done || !state.World.GateRunning() {
		t.Fatalf("done %v, %v; want a gate that runs", done, err)
	}
	pid := l.pid("pid")
	l.until("output", func() bool { return strings.HasSuffix(LastLines(l.Task, ticket, 1), "working") })
	l.ok(Ensure(l.Task)) // A runner is there.
	var shown []string
	cancelled, cancel := context.WithCancel(t.Context())
	waiting := within(time.Minute)
	waiting.Progress = func(lines string) { shown = append(shown, lines); cancel() }
	_, done, err = Wait(cancelled, l.Task, ticket, waiting)
	if done || !errors.Is(err, context.Canceled) || len(shown) != 1 || !strings.Contains(shown[0], "working") {
		t.Errorf("done %v, %v, shown %q", done, err, shown)
	}
	if !lives(pid) {
		t.Error("the gate ended with the call that waited")
	}
	l.write(filepath.Join(l.out, "finish"), "")
	state, done, err = Wait(t.Context(), l.Task, ticket, within(time.Minute))
	if err != nil || !done || state.World.Gate.Verdict != checks.Pass {
		t.Errorf("done %v, %v with gate %+v; want a pass", done, err, state.World.Gate)
	}
	if env, err := os.ReadFile(filepath.Join(l.out, "env")); err != nil || strings.Contains(string(env), "secret") {
		t.Errorf("the runner belongs to a session: %v\n%s", err, env)
	}
	l.until("the runner's end", func() bool {
		_, held, err := l.Store.Holder(project.GateLock)
		return err == nil && !held
	})
}

// Who waits learns why a runner ended without a verdict.
func TestWhoWaitsHearsOfAFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "true")
	l.ok(os.RemoveAll(l.Store.Path("checks")))
	l.write(l.Store.Path("checks"), "where the record should be")
	ticket := l.check()
	heard := make(chan string, 10)
	waiting := within(time.Minute)
	waiting.Every, waiting.Beat = minBeat, func() { // a runner that ended is followed at once
		recent.mu.Lock()
		recent.at = nil
		recent.mu.Unlock()
	}
	waiting.Failed = func(sentence string) { heard <- sentence }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, _, err := Wait(ctx, l.Task, ticket, waiting); ended <- err }()
	const want = "the gate ended without a verdict and is tried again: record what the gate found: "
	if sentence := <-heard; !strings.HasPrefix(sentence, want) {
		t.Errorf("heard %q, want %q and why", sentence, want)
	}
	cancel()
	<-ended
}

func TestNoDetachedRunnerUnderAConductor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "echo ran >$OUT/ran")
	lock, err := l.Store.TryLock(project.ConductorLock)
	l.ok(err)
	defer lock.Close()
	ticket := l.check()
	if _, done, err := Wait(t.Context(), l.Task, ticket, within(100*time.Millisecond)); done || err != nil {
		t.Errorf("done %v, %v; want false", done, err)
	}
	if _, err := os.Stat(filepath.Join(l.out, "ran")); err == nil {
		t.Error("a detached runner was started")
	}
}
