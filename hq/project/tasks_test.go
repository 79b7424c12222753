package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine/task"
	"ferrus/store"
)

// Two tasks of one repository each have their own record, worktree, locks and sessions, and nothing
// of them is in your checkout.
func TestTasksAreIndependent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	main := hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n", "a.go": "package a\n"},
		"one", "two")
	var all []*project.Task
	for _, id := range []string{"t-1-first", "t-2-second"} {
		made, err := main.MakeTask(t.Context(), id)
		hqtest.Must(t, err)
		if got := made.Work(hqtest.World(t, made)).Workspace; got == main.Dir {
			t.Errorf("%s works in your checkout before it has begun", id)
		}
		hqtest.Do(t, made, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# " + id})
		all = append(all, made)
	}
	one, two := all[0], all[1]
	for _, each := range all {
		w := hqtest.World(t, each)
		want := filepath.Join(main.Dir, ".ferrus/worktrees", each.ID)
		if got := each.Workspace(w); w.Task.ID != each.ID || got != want {
			t.Errorf("%s works in %s, and should in %s", w.Task.ID, got, want)
		}
		hqtest.Write(t, each.Workspace(w), "a.go", "package "+each.ID[4:]+"\n")
		lock, err := each.Store.TryLock(project.ConductorLock)
		hqtest.Must(t, err)
		t.Cleanup(func() { lock.Close() })
	}
	if data, err := os.ReadFile(filepath.Join(main.Dir, "a.go")); err != nil || string(data) != "package a\n" {
		t.Errorf("your checkout has %q, %v", data, err)
	}
	if w := hqtest.World(t, main); w.Task != nil || w.State != task.Idle {
		t.Errorf("the task of .ferrus is %+v", w.Task)
	}
	hqtest.Do(t, one, core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop})
	hqtest.Must(t, one.PostMessage(core.SlotExecutor, "for one"))
	hqtest.Must(t, two.SaveRegistry(project.Registry{Agents: []project.SessionRecord{
		{Name: "executor:x:1", Session: "s2", Slot: core.SlotExecutor}}}))
	if w := hqtest.World(t, two); w.Hold != nil {
		t.Errorf("a hold of one task holds another: %+v", w.Hold)
	}
	if messages, err := two.Messages(); err != nil || len(messages) > 0 {
		t.Errorf("a message to one task is in another: %v, %v", messages, err)
	}
	if r, err := one.Registry(); err != nil || len(r.Agents) > 0 {
		t.Errorf("a session of one task is in another: %+v, %v", r, err)
	}
	hqtest.Do(t, two, core.Command{Kind: core.KindReset, By: project.HumanActor()})
	w := hqtest.World(t, two)
	if got := two.Work(w).Workspace; got == main.Dir {
		t.Error("a task that was reset works in your checkout")
	}
	if _, err := two.Do(t.Context(), store.Call{}, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(),
		Text: "# Again"}); err == nil || !strings.Contains(err.Error(), "started before") {
		t.Errorf("a second task in one directory: %v", err)
	}
	if got := hqtest.World(t, one).State; got != task.Executing {
		t.Errorf("after the reset of another the first is %s", got)
	}
}

// A name of a task's directory cannot lead elsewhere, and a directory without a task is none.
func TestNamesOfTasks(t *testing.T) {
	t.Parallel()
	main := hqtest.NewProject(t, nil)
	for _, id := range []string{"..", "t-1/../..", "/", "x", "t-", "T-1"} {
		if _, err := main.MakeTask(t.Context(), id); err == nil {
			t.Errorf("%q is taken", id)
		}
	}
	if _, err := main.OpenTask("t-9"); !errors.Is(err, store.ErrNone) {
		t.Errorf("a task that does not exist: %v", err)
	}
	if names, err := main.TaskDirs(); err != nil || len(names) > 0 {
		t.Errorf("there are %q, %v", names, err)
	}
	if same, err := main.OpenTask(""); err != nil || same != main || same.Main() != main {
		t.Errorf("no name is another task: %v", err)
	}
}
