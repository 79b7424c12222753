package conductor_test

import (
	"strings"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/session"
)

// A slot that the task has no work for, or that there is not, is not started, and
// a hold stays; the one that works is started by the wish alone.
func TestStartOfASlot(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "an executor", func(v conductor.View) bool { return len(v.Panes) > 0 && v.Panes[0].PID != 0 })
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	stopped := s.wait(c, "its end", func(v conductor.View) bool {
		w := v.State.World
		return w.Hold != nil && v.Panes[0].PID == 0 && !v.Panes[0].Stopping && !w.GateRunning()
	})
	for slot, why := range map[core.Slot]string{
		"nonsense":        `unknown slot "nonsense"; use one of: supervisor, executor, consultant, reviewer`,
		core.SlotPlanner:  "there is nothing for the supervisor to do",
		core.SlotReviewer: "there is nothing for the reviewer to do",
	} {
		if err := c.Start(slot); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("Start(%s): %v, want %q", slot, err, why)
		}
	}
	if now := c.View(); now.State.Seq != stopped.State.Seq {
		t.Errorf("a refused start moved the state from %d to %d", stopped.State.Seq, now.State.Seq)
	}
	s.play("work")
	if err := c.Start(core.SlotExecutor); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the task's end", func(v conductor.View) bool { return v.State.World.State == "Complete" })
}

// A command with nothing to do says so, and names a slot as its pane does.
func TestNothingToResume(t *testing.T) {
	s := newFixture(t, "work")
	c := s.start()
	defer s.close(c, false)
	if words, err := c.Resume(t.Context()); err != nil || words != "there is nothing to resume; next: create a task" {
		t.Errorf("Resume: %q, %v; want that there is nothing", words, err)
	}
	words, err := c.SendMessage(core.SlotPlanner, "Only GET.")
	if err != nil || words != "message kept for the next session of the supervisor" {
		t.Errorf("SendMessage: %q, %v; want the name of the pane", words, err)
	}
}

// A stop stops every slot, so a start of one lets the others start again when the task
// comes to them.
func TestStartAfterStop(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, true)
	if err := c.Want(core.Request{Kind: core.ModePlan, Text: "Look around"}); err != nil {
		t.Fatal(err)
	}
	count := func(is func(conductor.PaneView) bool) func(conductor.View) int {
		return func(v conductor.View) (n int) {
			for _, p := range v.Panes {
				if is(p) {
					n++
				}
			}
			return n
		}
	}
	lives := count(func(p conductor.PaneView) bool { return p.PID != 0 })
	stopped := count(func(p conductor.PaneView) bool { return p.State == session.Stopped })
	s.wait(c, "an executor and a planner", func(v conductor.View) bool { return lives(v) == 2 })
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "their end", func(v conductor.View) bool { return lives(v) == 0 && stopped(v) == 2 })
	if err := c.Start(core.SlotExecutor); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the executor again, and no slot stopped", func(v conductor.View) bool {
		return lives(v) == 1 && stopped(v) == 0
	})
}
