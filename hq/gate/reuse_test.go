package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store"
)

// runs counts how often the first command ran.
func (l *fixture) runs() int {
	l.Helper()
	data, _ := os.ReadFile(filepath.Join(l.out, "runs"))
	return strings.Count(string(data), "\n")
}

// A pass is reused for an equal tree with equal commands, programs and environment, and for nothing
// else.
func TestAPassIsReused(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "echo >>$OUT/runs", "[ ! -e $OUT/red ]")
	l.Heads = store.Heads(t.TempDir() + "/heads")
	gate := func(want checks.Verdict, runs int) {
		t.Helper()
		record := l.run(l.check())
		if record.Verdict != want || l.runs() != runs || record.Ticket == 0 ||
			record.Included != project.NothingIncluded {
			t.Errorf("%s after %d runs with %q, want %s after %d", record.Why, l.runs(), record.Included, want, runs)
		}
	}
	gate(checks.Pass, 1)
	gate(checks.Pass, 1)
	var done []string
	progress := func(p checks.Progress) { done = append(done, fmt.Sprint(p.Command, " ", p.Done.Tests)) }
	if l.ok(Run(t.Context(), l.Task, l.check(), Options{Progress: progress})); l.runs() != 1 || len(done) != 2 {
		t.Errorf("a reused pass reports %q, want both commands", done)
	}
	record, err := Force(t.Context(), l.Task, Options{})
	if err != nil || record.Verdict != checks.Pass || l.runs() != 2 {
		t.Errorf("by force: %s, %v, %d runs", record.Why, err, l.runs())
	}
	l.write(filepath.Join(l.Dir, "main.go"), "package main // changed\n")
	gate(checks.Pass, 3)
	l.write(filepath.Join(l.out, "red"), "")
	gate(checks.Pass, 3)
	l.write(filepath.Join(l.Dir, "main.go"), "package main // changed again\n")
	gate(checks.Fail, 5) // on the base too, at the first failure
	gate(checks.Fail, 6)
	l.ok(os.Remove(filepath.Join(l.out, "red")))
}

func TestAPassIsForItsCommandsAndEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "echo >>$OUT/runs")
	l.Heads = store.Heads(t.TempDir() + "/heads")
	l.run(l.check())
	toml, err := os.ReadFile(filepath.Join(l.Dir, "ferrus.toml"))
	l.ok(err)
	again := func(toml string) {
		t.Helper()
		l.do(core.Command{Kind: core.KindReset, By: project.HumanActor()})
		l.write(filepath.Join(l.Dir, "ferrus.toml"), toml)
		l.do(core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "do it"})
		l.do(core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
		l.run(l.check())
	}
	again(string(toml)) // another task, and nothing else
	if l.runs() != 1 {
		t.Errorf("%d runs for the same", l.runs())
	}
	again(strings.Replace(string(toml), "timeout_secs = 60", "timeout_secs = 60\nenv = [\"MODE=strict\"]", 1))
	if l.runs() != 2 {
		t.Errorf("%d runs with another environment", l.runs())
	}
}

// At check an executor's gate runs the quick commands, and at submit all of them: a quick pass is
// not enough to submit.
func TestQuickCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "echo all >>$OUT/runs")
	toml := filepath.Join(l.Dir, "ferrus.toml")
	text, err := os.ReadFile(toml)
	l.ok(err)
	l.do(core.Command{Kind: core.KindReset, By: project.HumanActor()})
	quick := "quick = [\"echo quick >>" + l.out + "/runs\"]\n"
	l.write(toml, strings.Replace(string(text), "timeout_secs", quick+"timeout_secs", 1))
	l.do(core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "do it"})
	l.do(core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
	record := l.run(l.check())
	if record.Verdict != checks.Pass || len(record.Commands) != 1 || !l.world().Gate.Quick {
		t.Fatalf("the record is %+v and the gate %+v, want a quick pass with one command", record, l.world().Gate)
	}
	submit := core.Command{Kind: core.KindSubmit, By: hqtest.Executor(), Text: "# Done\n\n## Summary\nAll of it."}
	r := l.do(submit)
	if w := l.world(); w.State != "Checking" || !w.Gate.Submit || w.Gate.Quick || r.Ticket == record.Ticket {
		t.Fatalf("after submit it is %s, gate %+v", w.State, w.Gate)
	}
	l.run(r.Ticket)
	l.do(submit)
	data, err := os.ReadFile(filepath.Join(l.out, "runs"))
	if w := l.world(); err != nil || w.State != "Reviewing" || !strings.HasPrefix(string(data), "quick\nall\n") {
		t.Errorf("it is %s after %q, %v", w.State, data, err)
	}
}

// A command that times out beside other work runs again alone before that counts.
func TestATimeoutUnderLoadIsTriedAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for a timeout")
	}
	for _, c := range []struct {
		name    string
		crowded bool
		want    checks.Verdict
		runs    int
	}{{"alone", false, checks.Timeout, 1}, {"beside others", true, checks.Pass, 2}} {
		t.Run(c.name, func(t *testing.T) {
			l := newFixture(t, "echo >>$OUT/runs; [ -e $OUT/alone ] || sleep 60")
			l.do(core.Command{Kind: core.KindReset, By: project.HumanActor()})
			toml := filepath.Join(l.Dir, "ferrus.toml")
			text, err := os.ReadFile(toml)
			l.ok(err)
			l.write(toml, strings.Replace(string(text), "timeout_secs = 60", "timeout_secs = 1", 1))
			l.do(core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "do it"})
			l.do(core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
			ticket := l.check()
			l.ok(Run(t.Context(), l.Task, ticket, Options{Crowded: func() bool { return c.crowded },
				Alone: func(context.Context) error { l.write(filepath.Join(l.out, "alone"), ""); return nil }}))
			record, err := Read(l.Task, ticket)
			l.ok(err)
			if record.Verdict != c.want || l.runs() != c.runs || (record.TimedOut != "") != c.crowded {
				t.Errorf("%s after %d runs: %+v", record.Why, l.runs(), record)
			}
		})
	}
}

// As many gates run at the same time as the limit says, and no task has two.
func TestLanes(t *testing.T) {
	l := newFixture(t, "true")
	first, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	if _, err := lockGate(t.Context(), l.Task); err == nil {
		t.Error("a task has two gates")
	}
	first.task.Close()
	if _, err := lockGate(t.Context(), l.Task); err == nil {
		t.Error("two gates run")
	}
	toml := filepath.Join(l.Dir, "ferrus.toml")
	text, err := os.ReadFile(toml)
	l.ok(err)
	l.write(toml, strings.Replace(string(text), "[limits]", "[limits]\nmax_parallel_gates = 2", 1))
	second, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	if second.lane != 1 || laneOf(l.Task, 1) == laneOf(l.Task, 0) {
		t.Errorf("the second gate is in lane %d, %s", second.lane, laneOf(l.Task, 1))
	}
	if busy, err := busy(l.Task); !busy || err != nil {
		t.Errorf("busy = %v, %v; want true", busy, err)
	}
	// Processes that a dead runner left in another lane are ended by the next runner.
	l.ok(l.Files.WriteFile(laneFile(1), []byte(`{"ticket":0,"marker":"x"}`)))
	second.close()
	first.lock.Close()
	l.ok(KillLost(t.Context(), l.Task))
	if _, err := l.Files.ReadFile(laneFile(1)); err == nil {
		t.Error("what died is left")
	}
}
