package land

import (
	"strings"
	"testing"

	"ferrus/hq/project"
)

// Two tasks with their own records land one after the other, and the next landing finishes one that
// was interrupted, even another task's.
func TestTasksOfTheirOwnLand(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "worktree")
	var all []*fixture
	for _, id := range []string{"t-1-first", "t-2-second"} {
		made, err := l.MakeTask(t.Context(), id)
		l.ok(err)
		one := (&fixture{T: t, Task: made}).startTask()
		put(t, one.in(), id+".txt", id+"\n")
		all = append(all, one.approve())
	}
	_, err := all[0].land(Options{stop: func() bool {
		r, ok, err := begun(l.Task)
		return err == nil && ok && r.Step == stepForward
	}})
	if err == nil {
		t.Fatal("the landing was not interrupted")
	}
	if _, err := Recover(t.Context(), l.Main()); err != nil {
		t.Fatal(err)
	}
	if w := all[0].world(); w.Task.Landed == nil {
		_, err = all[0].land(Options{})
		l.ok(err)
	}
	_, err = all[1].land(Options{})
	l.ok(err)
	for _, one := range all {
		files := l.git("ls-tree", "--name-only", "main")
		if w := one.world(); w.Task.Landed == nil || !strings.Contains(files, one.ID) {
			t.Errorf("%s has not landed: %+v", one.ID, w.Task)
		}
	}
	if l.world().Task != nil {
		t.Error("the project's own record has a task")
	}
	if _, held, err := l.Files.Holder(project.LandLock); held || err != nil {
		t.Errorf("the landing lock is held: %v, %v", held, err)
	}
}
