package conductor_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// specified returns a scene with a specification of two milestones.
func specified(t *testing.T, part string) (*fixture, string) {
	t.Helper()
	s := newFixture(t, part)
	spec, err := s.p.WriteSpec(
		"# Stages\n\n- [ ] #1.0 First\n  - ID: m1.0\n- [ ] #1.1 Second\n  - ID: m1.1\n  - Depends on: m1.0\n",
	)
	if err != nil {
		t.Fatal(err)
	}
	return s, spec.Path
}

var fromMilestone = core.Request{Kind: core.ModeTask, Role: machine.Supervisor}

// The task remembers where it was drafted from, approval ticks it there, and the
// next milestone is selected.
func TestTaskOfAMilestone(t *testing.T) {
	s, name := specified(t, "work")
	c := s.start()
	defer s.close(c, false)
	if err := c.SelectMilestone(t.Context(), name, "m1.0"); err != nil {
		t.Fatal(err)
	}
	if err := c.Want(fromMilestone); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "a tick", func(v conductor.View) bool { return v.State.World.TaskTicked })
	if w := v.State.World; w.TaskSpec != name || w.TaskMilestone != "m1.0" || w.SelectedMilestone != "m1.1" ||
		w.PendingTaskSpec != "" {
		t.Errorf("the selection is %+v, want m1.0 for the task and m1.1 next", w.Selection)
	}
	if err := c.SelectMilestone(t.Context(), name, "m1.0"); err != nil {
		t.Fatal(err)
	}
	if err := c.Want(fromMilestone); err == nil || !strings.Contains(err.Error(), "m1.0 of "+name+" is done") {
		t.Errorf("a done one: %v", err)
	}
	if err := os.Remove(filepath.Join(s.p.Dir, name)); err != nil {
		t.Fatal(err)
	}
	if err := c.Want(fromMilestone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deleted one: %v", err)
	}
}

// A session that creates no task leaves nothing that the next task could come from;
// one that is to leave the milestone alone never has it.
func TestDraftWithoutATask(t *testing.T) {
	s, name := specified(t, "exit")
	c := s.start()
	defer s.close(c, false)
	if err := c.SelectMilestone(t.Context(), name, "m1.0"); err != nil {
		t.Fatal(err)
	}
	if err := c.Want(fromMilestone); err != nil {
		t.Fatal(err)
	}
	drafted := func(v conductor.View) bool {
		for _, line := range v.Journal {
			if line.Why == "drafting a task from m1.0" {
				return true
			}
		}
		return false
	}
	v := s.wait(c, "the end of the draft", func(v conductor.View) bool {
		return drafted(v) && v.State.World.PendingTaskMilestone == ""
	})
	if w := v.State.World; w.SelectedMilestone != "m1.0" || w.State != "Idle" {
		t.Errorf("the state is %+v, want Idle with m1.0", w)
	}
	manual := fromMilestone
	manual.Manual = true
	if err := c.Want(manual); err != nil {
		t.Fatal(err)
	}
	v = s.wait(c, "another session", func(v conductor.View) bool { return len(v.Panes) > 0 && v.Panes[0].Session == 2 })
	if v.State.World.PendingTaskMilestone != "" {
		t.Errorf("the selection is %+v, want no pending milestone", v.State.World.Selection)
	}
}

// A draft carries uncommitted changes only into a worktree.
func TestDraftWithChanges(t *testing.T) {
	s := newFixture(t, "exit")
	c := s.start()
	defer s.close(c, false)
	want := core.Request{Kind: core.ModeTask, Role: machine.Supervisor, Changes: true}
	if err := c.Want(want); !errors.Is(err, project.ErrNoWorktree) {
		t.Errorf("in the checkout: %v, want ErrNoWorktree", err)
	}
	file := filepath.Join(s.p.Dir, "ferrus.toml")
	toml, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(toml, "[hq]\nworkspace = \"worktree\"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Want(want); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the draft and its end", func(v conductor.View) bool {
		return !v.State.World.PendingTaskChanges && slices.ContainsFunc(v.Journal, func(l store.Entry) bool {
			return l.Why == "drafting a task with uncommitted changes"
		})
	})
}

// A conductor that starts finds a milestone that is not ticked yet.
func TestConductorTicks(t *testing.T) {
	s, name := specified(t, "work")
	c := s.start()
	if err := c.SelectMilestone(t.Context(), name, "m1.0"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.p.Dir, name)
	if err := c.Want(fromMilestone); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a tick", func(v conductor.View) bool { return v.State.World.TaskTicked })
	s.close(c, false)
	// What a crash leaves between the approval and the box.
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "[x]", "[ ]", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.p.Store.Update(t.Context(), store.Call{}, func(tx *store.Tx[core.World]) error {
		tx.World.TaskTicked = false
		tx.Record("select", "test", "", "a crash")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c = s.start()
	defer s.close(c, false)
	s.wait(c, "a tick", func(v conductor.View) bool { return v.State.World.TaskTicked })
	if text, err = os.ReadFile(file); err != nil || !strings.Contains(string(text), "[x] #1.0") {
		t.Errorf("the spec is %s %v, want m1.0 ticked", text, err)
	}
}

// A session that is asked for while the previous one is stopping starts once that is gone.
func TestNextWantDoesNotWait(t *testing.T) {
	s, name := specified(t, "hang")
	c := s.start()
	defer s.close(c, false)
	if err := c.Want(core.Request{Kind: core.ModeSpec, Role: machine.Supervisor}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a session", running)
	if err := c.Want(fromMilestone); err == nil || !strings.Contains(err.Error(), "already has a session") {
		t.Errorf("a session with a purpose is put out: %v", err)
	}
	_, err := c.Pair(t.Context(), pair.Request{})
	if err == nil || !strings.Contains(err.Error(), "the supervisor has a session, ") {
		t.Errorf("a pair beside the session is refused with: %v", err)
	}
	written := core.Command{
		Kind: "create_spec", By: core.Actor{Role: machine.Supervisor, ID: "supervisor:actor:3", Mode: core.ModeSpec},
		Select: &core.Selection{SelectedSpec: name, SelectedMilestone: "m1.0"},
	}
	if _, err := s.p.Do(t.Context(), store.Call{}, written); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the specification", func(v conductor.View) bool { return v.State.World.SelectedSpec == name })
	if err := c.Want(fromMilestone); err != nil {
		t.Fatal(err)
	}
	v := s.wait(c, "the next session", func(v conductor.View) bool { return running(v) && v.Panes[0].Session == 2 })
	if p := v.Panes[0]; p.Mode != core.ModeTask || p.TotalErrors != 0 {
		t.Errorf("it is %+v", p)
	}
}
