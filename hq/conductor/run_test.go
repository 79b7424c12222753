package conductor_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
)

func complete(v conductor.View) bool { return v.State.World.State == "Complete" }
func held(v conductor.View) bool     { return v.State.World.Hold != nil }

// A task goes to Complete by what the conductor starts, and nothing is left.
func TestLoop(t *testing.T) {
	s := newFixture(t, "work")
	s.task()
	c := s.start()
	v := s.wait(c, "Complete", complete)
	if v.State.World.ClaimedBy != "" {
		t.Errorf("the lease is kept by %s", v.State.World.ClaimedBy)
	}
	s.close(c, true)
	if state, err := s.p.World(); err != nil || state.World.Hold != nil {
		t.Errorf("a complete task is held: %v, %v", state.World.Hold, err)
	}
}

// A second conductor is refused and told whose lock it is.
func TestOneConductor(t *testing.T) {
	s := newFixture(t, "hang")
	c := s.start()
	defer s.close(c, false)
	_, err := conductor.Start(t.Context(), s.p, conductor.Options{}, nil)
	if h := (*store.LockedError)(nil); !errors.As(err, &h) || h.PID != os.Getpid() {
		t.Errorf("the second conductor got %v", err)
	}
}

// An executor that ends without doing anything is started again, and after the
// third time the human is asked.
func TestNoProgress(t *testing.T) {
	s := newFixture(t, "exit")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "hold", held)
	if h := v.State.World.Hold; h.Reason != "no-progress" || !strings.Contains(h.Cause, "nothing to do here") {
		t.Errorf("the hold is %v, want no-progress with its cause", v.State.World.Hold)
	}
	if n := v.Panes[0].Session; n != 3 {
		t.Errorf("%d sessions, want 3", n)
	}
	if n := v.Notices; !strings.Contains(n[len(n)-1].Text, "nothing to do here") {
		t.Errorf("the last lines are no evidence: %v", n)
	}
}

// An agent that dies is started again and the task continues.
func TestCrash(t *testing.T) {
	s := newFixture(t, "crash once")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "Complete", complete)
}

// kill -9 of the executor in the middle: another takes its place.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits until a session is started again")
	}
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "a running executor", running)
	registry, err := s.p.Registry()
	if err != nil || len(registry.Agents) != 1 {
		t.Fatalf("the registry is %+v, %v; want one agent", registry, err)
	}
	first := v.Panes[0].Session
	if err := syscall.Kill(registry.Agents[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the next session", func(v conductor.View) bool { return v.Panes[0].Session > first && running(v) })
}

func running(v conductor.View) bool {
	return len(v.Panes) > 0 && v.Panes[0].State == session.Running
}

// /stop ends every session and holds the task; /resume continues it.
func TestStopAndResume(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a running executor", running)
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "no process", func(v conductor.View) bool {
		return held(v) && v.Panes[0].State == session.Stopped && !v.Panes[0].Stopping
	})
	s.checkNoAgentLeft()
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a running executor again", func(v conductor.View) bool { return !held(v) && running(v) })
}

// /reset ends the session of the task that is archived.
func TestReset(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a running executor", running)
	if _, err := c.Do(t.Context(), core.Command{Kind: "reset"}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "no process", func(v conductor.View) bool {
		return v.Panes[0].State == session.SessionComplete && !v.Panes[0].Stopping
	})
	s.checkNoAgentLeft()
}

// Closing with a hold keeps the next conductor from continuing by itself; without
// one it continues.
func TestQuit(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	s.close(c, true)
	if state, err := s.p.World(); err != nil || state.World.Hold == nil || state.World.Hold.Reason != "quit" {
		t.Fatalf("the hold is %v, %v; want quit", state.World.Hold, err)
	}
	c = s.start()
	defer s.close(c, false)
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a running executor again", running)
}

// What the human asks for is started as a planner, and released when its purpose
// is met.
func TestWant(t *testing.T) {
	s := newFixture(t, "work")
	c := s.start()
	defer s.close(c, false)
	if err := c.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "Complete", complete)
	v := s.wait(c, "no planner", func(v conductor.View) bool {
		return v.Panes[0].Slot == core.SlotPlanner && !v.Panes[0].Interactive
	})
	if p := v.Panes[0]; p.Mode != core.ModeTask || p.Session != 1 {
		t.Errorf("the planner is %+v", p)
	}
	if r, err := s.p.Registry(); err != nil || len(r.Wants) != 0 {
		t.Errorf("wants %v, %v", r.Wants, err)
	}
}

// A planner that is killed is started again, and so is one that fails without a
// human before it; after the last error the human is asked.
func TestKilledPlanner(t *testing.T) {
	s := newFixture(t, "hang")
	s.willChangePart()
	c := s.start()
	defer s.close(c, false)
	if err := c.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "a running planner", running)
	if err := syscall.Kill(v.Panes[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.play("work")
	s.wait(c, "Complete", complete)
}

func TestFailingPlanner(t *testing.T) {
	s := newFixture(t, "fail")
	s.edit("min_uptime_secs = 1", "min_uptime_secs = 60\nmax_consecutive_errors = 2") // a slow start is no beginning
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{Headless: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c, false)
	if err := c.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "a hold", held)
	if p := v.Panes[0]; v.State.World.Hold.Reason != "session-limit" || p.Session != 2 {
		t.Errorf("%v after %d sessions", v.State.World.Hold, p.Session)
	}
	items := advice.Inbox(v.State.World, advice.InboxFacts{})
	if len(items) != 1 || !strings.Contains(items[0].Text, "its last output: out of paper") {
		t.Errorf("the inbox does not have the program's last line: %+v", items)
	}
}

// What was wanted before a crash is wanted still, and asking again is no error.
func TestWantTwice(t *testing.T) {
	s := newFixture(t, "hang")
	want := core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: "do it"}
	if err := s.p.SaveRegistry(project.Registry{Wants: []core.Request{want}}); err != nil {
		t.Fatal(err)
	}
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "a running planner", running)
	if err := c.Want(want); err != nil {
		t.Error(err)
	}
	want.Text = "do something else"
	if err := c.Want(want); err == nil {
		t.Error("a busy planner is wanted for something else")
	}
	if n := v.Panes[0].Session; n != 1 {
		t.Errorf("%d sessions, want 1", n)
	}
}

// An agent that is not there is named once, and the task waits for the human.
func TestMissingAgent(t *testing.T) {
	s := newFixtureAlone(t, "work")
	s.edit(`agent = "actor"`, `agent = "codex"`)
	t.Setenv("PATH", filepath.Dir(lookPath(t, "git")))
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "hold", held)
	if n := v.Notices; len(n) != 1 || !strings.Contains(n[0].Text, "codex: not found on PATH") {
		t.Errorf("the notices are %v, want that codex is not on PATH", n)
	}
}

// What never started is not being stopped.
func TestMissingAgentIsStopped(t *testing.T) {
	s := newFixtureAlone(t, "fail")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "an error", func(v conductor.View) bool { return len(v.Panes) > 0 && v.Panes[0].TotalErrors > 0 })
	if err := c.SwitchAgent("executor", "codex"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(lookPath(t, "git")))
	v := s.wait(c, "hold", held)
	if p := v.Panes[0]; p.State != session.Stopped || p.Stopping {
		t.Errorf("the pane is %+v, want it stopped", p)
	}
}

// Nor is a session tried again that ferrus.toml has no command for.
func TestMissingCommandIsStopped(t *testing.T) {
	s := newFixture(t, "hang")
	s.edit("interactive_command", "# interactive_command")
	c := s.start()
	defer s.close(c, false)
	if err := c.Want(core.Request{Kind: core.ModeSpec, Role: machine.Supervisor}); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "a stop", func(v conductor.View) bool {
		return len(v.Panes) > 0 && v.Panes[0].State == session.Stopped
	})
	if p := v.Panes[0]; p.TotalErrors > 1 || p.Stopping {
		t.Errorf("the pane is %+v, want it stopped at the first error", p)
	}
}

// A conductor that died without ending its agents is followed by one that does,
// also when it died before it could write down what it had started.
func TestOrphans(t *testing.T) {
	for _, written := range []bool{true, false} {
		t.Run(fmt.Sprintf("written down %v", written), func(t *testing.T) { orphaned(t, written) })
	}
}

func orphaned(t *testing.T, written bool) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	registry, err := s.p.Registry()
	if err != nil {
		t.Fatal(err)
	}
	s.close(c, false)
	orphan := exec.Command(os.Args[0], "agent", "executor")
	orphan.Env = append(os.Environ(), "FERRUS_PROJECT="+s.p.Dir, "FERRUS_NONCE="+nonce)
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	entry := &registry.Agents[0]
	entry.Status, entry.PID, entry.Process, entry.Session = project.Running, 0, nil, process.SessionID(nonce)
	if written {
		entry.PID = orphan.Process.Pid
		if entry.Process, err = process.Identify(orphan.Process.Pid); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.p.SaveRegistry(registry); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	defer s.close(c, false)
	if err := orphan.Wait(); err == nil {
		t.Error("the orphan ended by itself")
	}
	s.wait(c, "an executor of its own", func(v conductor.View) bool {
		return running(v) && v.Panes[0].Session > entry.SessionSeq
	})
}

// nonce is random, because tests run beside others, and everything that carries the nonce of a session ends with it.
var nonce = rand.Text()

// A new task clears the errors of the previous one.
func TestErrorsAreOfATask(t *testing.T) {
	s := newFixture(t, "fail")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "an error", func(v conductor.View) bool { return len(v.Panes) > 0 && v.Panes[0].TotalErrors > 0 })
	if _, err := c.Do(t.Context(), core.Command{Kind: "reset"}); err != nil {
		t.Fatal(err)
	}
	s.play("hang")
	s.task()
	s.wait(c, "a running executor without errors", func(v conductor.View) bool {
		return running(v) && v.Panes[0].TotalErrors == 0
	})
}

// The specification that was written last is offered, unless it is gone or not
// in the project.
func TestLastSpec(t *testing.T) {
	s := newFixture(t, "work")
	for name, want := range map[string]string{"spec.md": "spec.md", "gone.md": "", "../outside.md": "", "": ""} {
		if err := os.WriteFile(filepath.Join(s.p.Dir, "spec.md"), []byte("# Spec\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.p.Store.WriteFile("LAST_SPEC_PATH", []byte(name)); err != nil {
			t.Fatal(err)
		}
		c := s.start()
		if got := c.View().Spec; got != want {
			t.Errorf("%q is offered as %q", name, got)
		}
		s.close(c, false)
	}
}

// ferrus.toml is read at each use: an edit counts for the next session, though
// nothing else has happened.
func TestEditedConfiguration(t *testing.T) {
	s := newFixture(t, "work")
	s.edit(`agent = "actor"`, `agent = "codex"`)
	c := s.start()
	defer s.close(c, false)
	s.edit(`agent = "codex"`, `agent = "actor"`)
	if err := c.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "Complete", complete)
}
