package conductor_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/scheduler"
	"ferrus/store/longtest"
	"ferrus/ui/vt"
)

// newQueueFixture returns a scene whose tasks work in worktrees of their own, two at a
// time.
func newQueueFixture(t *testing.T, part string, titles ...string) *fixture {
	t.Helper()
	s := newFixture(t, part)
	s.edit("[session]", "[limits]\nmax_parallel_tasks = 2\nmin_free_memory_mb = 0\n[session]")
	s.edit("[hq.supervisor]", "[hq]\nworkspace = \"worktree\"\n[hq.supervisor]")
	s.add(titles...)
	return s
}

func (s *fixture) add(titles ...string) {
	s.Helper()
	q, err := queue.OpenOrCreate(s.Context(), s.p)
	hqtest.Must(s, err)
	for _, title := range titles {
		_, err := q.Add(s.Context(), project.HumanActor(), []queue.New{{Text: "# " + title + "\n"}})
		hqtest.Must(s, err)
	}
}

// rows returns the tasks of a view as "#1 Running Executing, #2 Queued".
func rows(v conductor.View) string {
	var all []string
	for _, r := range slices.SortedFunc(slices.Values(v.Tasks), func(a, b queue.Row) int { return a.N - b.N }) {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Name(), r.State, r.Task)))
	}
	return strings.Join(all, ", ")
}

func rowsAre(want string) func(conductor.View) bool {
	return func(v conductor.View) bool { return rows(v) == want }
}

// Several tasks work at the same time, each in its own worktree, as many as the limit allows, and all of
// them are done in the end. Your checkout stays as it is.
func TestConcurrentTasks(t *testing.T) {
	s := newQueueFixture(t, "hang", "One", "Two", "Three")
	s.willChangePart()
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "two running tasks", rowsAre("#1 Running Executing, #2 Running Executing, #3 Queued"))
	for n, dir := range []string{"t-1-one", "t-2-two"} {
		s.wait(c, "its conductor", func(v conductor.View) bool { return c.Task(dir) != nil })
		v := s.wait(c.Task(dir), "a running executor", running)
		if got := v.State.World.Task.Item; got != n+1 {
			t.Errorf("%s is #%d", dir, got)
		}
	}
	if c.Task("t-3-three") != nil {
		t.Error("a task has a conductor before its turn")
	}
	s.play("work")
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		hqtest.Must(t, c.Task(dir).Stop(t.Context()))
		s.wait(c.Task(dir), "no session", func(v conductor.View) bool {
			return held(v) && !slices.ContainsFunc(v.Panes, alive)
		})
	}
	s.wait(c, "the turn of the third", rowsAre("#1 Parked Executing, #2 Parked Executing, #3 Parked Complete"))
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		_, err := c.Task(dir).Resume(t.Context())
		hqtest.Must(t, err)
	}
	s.wait(c, "all of them done", rowsAre("#1 Parked Complete, #2 Parked Complete, #3 Parked Complete"))
	if w := hqtest.World(t, s.p); w.Task != nil {
		t.Errorf("the project has the task %+v", w.Task)
	}
	out, err := command(t, "git", "-C", s.p.Dir, "status", "--porcelain")
	if err != nil || string(out) != " M ferrus.toml\n" { // the scene's
		t.Errorf("your checkout has changed: %s, %v", out, err)
	}
}

func alive(p conductor.PaneView) bool { return p.PID != 0 }

// A task that crashes again and again is held by itself, and changes nothing for another.
func TestOneTasksTroubleIsItsOwn(t *testing.T) {
	longtest.OnlyCI(t)
	s := newQueueFixture(t, "exit", "One")
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "a hold", func(v conductor.View) bool {
		return len(v.Tasks) == 1 && strings.Contains(v.Tasks[0].Why, "no-progress")
	})
	s.play("work")
	s.add("Two")
	s.wait(c, "the second task", rowsAre("#1 Parked Executing, #2 Parked Complete"))
}

// After kill -9 of the conductor the next one takes over the sessions of all tasks.
func TestKilledWithTwoTasks(t *testing.T) {
	longtest.OnlyCI(t)
	s := newQueueFixture(t, "hang", "One", "Two")
	s.willChangePart()
	s.killedAfter("two tasks run")
	var before []int
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		of, err := s.p.OpenTask(dir)
		hqtest.Must(t, err)
		r, err := of.Registry()
		if err != nil || len(r.Agents) != 1 {
			t.Fatalf("%s has the sessions %+v, %v", dir, r.Agents, err)
		}
		before = append(before, r.Agents[0].PID)
	}
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "both tasks", rowsAre("#1 Running Executing, #2 Running Executing"))
	for i, dir := range []string{"t-1-one", "t-2-two"} {
		s.wait(c, "its conductor", func(v conductor.View) bool { return c.Task(dir) != nil })
		v := s.wait(c.Task(dir), "a running executor", running)
		if v.Panes[0].PID != before[i] || v.Panes[0].Session != 1 {
			t.Errorf("%s has another session: %+v", dir, v.Panes[0])
		}
	}
	s.play("work")
	for _, pid := range before {
		hqtest.Must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	s.wait(c, "all of them done", rowsAre("#1 Parked Complete, #2 Parked Complete"))
}

// Cancelling a task ends its sessions, and its turn goes to the next.
func TestCancelledTaskEnds(t *testing.T) {
	s := newQueueFixture(t, "hang", "One", "Two", "Three")
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "two running tasks", rowsAre("#1 Running Executing, #2 Running Executing, #3 Queued"))
	s.wait(c, "its conductor", func(v conductor.View) bool { return c.Task("t-1-one") != nil })
	s.wait(c.Task("t-1-one"), "a running executor", running)
	q, err := queue.Open(s.p)
	hqtest.Must(t, err)
	hqtest.Must(t, q.Cancel(t.Context(), project.HumanActor(), 1))
	s.wait(c, "the turn of the third", rowsAre("#1 Cancelled Idle, #2 Running Executing, #3 Running Executing"))
	s.wait(c, "the end of the conductor", func(v conductor.View) bool { return c.Task("t-1-one") == nil })
	if _, err := c.Task("t-2-two").Do(t.Context(), core.Command{Kind: core.KindHold, Text: core.HoldStop}); err != nil {
		t.Errorf("the second task: %v", err)
	}
}

// Commands and keys are about the selected task; what is the project's is there for each.
func TestSelection(t *testing.T) {
	s := newQueueFixture(t, "hang", "One", "Two")
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "both tasks", rowsAre("#1 Running Executing, #2 Running Executing"))
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		s.wait(c, "its conductor", func(conductor.View) bool { return c.Task(dir) != nil })
		s.wait(c.Task(dir), "a running executor", running)
	}
	all := scheduler.Select(c)
	all.Resize(core.SlotExecutor, 77, 11)
	if v := all.View(); v.Selected != "t-1-one" || v.State.World.Task.Item != 1 || len(v.Tasks) != 2 {
		t.Errorf("nothing selected, the view is of %q: %+v", v.Selected, v.State.World.Task)
	}
	all.SelectTask("t-2-two")
	v := s.wait(c.Task("t-2-two"), "the size of the screen", func(v conductor.View) bool {
		fits := false
		v.Panes[0].Terminal.With(func(screen *vt.Terminal) {
			columns, rows := screen.Size()
			fits = columns == 77 && rows == 11
		})
		return fits
	})
	if v = all.View(); v.Selected != "t-2-two" || v.Branch != c.View().Branch || v.Branch == "" {
		t.Errorf("the view is of %q on %q", v.Selected, v.Branch)
	}
	if v.OtherSessions != 1 {
		t.Errorf("%d sessions run for other tasks", v.OtherSessions)
	}
	hqtest.Must(t, all.SetModel("executor", "small"))
	hqtest.Must(t, all.SwitchAgent("supervisor", "actor"))
	for dir, model := range map[string]string{"t-1-one": "", "t-2-two": "small"} {
		w := hqtest.World(t, c.Task(dir).Project)
		if w.Task.Pin.Executor.Model != model || w.Task.Pin.Config != config.Hash(s.p.Dir) {
			t.Errorf("%s has the pin %+v, want the model %q and no foreign edit", dir, w.Task.Pin, model)
		}
		for _, n := range c.Task(dir).View().Notices {
			if strings.Contains(n.Text, "was edited") {
				t.Errorf("%s says that %s", dir, n.Text)
			}
		}
	}
	hqtest.Must(t, all.Stop(t.Context()))
	s.wait(c.Task("t-2-two"), "a hold", held)
	if held(c.Task("t-1-one").View()) {
		t.Error("/stop stopped a task that is not selected")
	}
}

// With worktrees a task that you ask for is queued, as often as you ask, and your checkout has none.
func TestTasksAreQueued(t *testing.T) {
	s := newQueueFixture(t, "work")
	c := s.schedule()
	defer s.close(c, false)
	all := scheduler.Select(c)
	for n, title := range []string{"One", "Two"} {
		r, err := all.Do(t.Context(), core.Command{Kind: core.KindCreateTask, Text: "# " + title})
		if want := fmt.Sprintf("%s (#%d) is queued", title, n+1); err != nil || !strings.HasPrefix(r.Summary(), want) {
			t.Errorf("the answer is %q, %v", r.Summary(), err)
		}
	}
	s.wait(c, "both of them done", rowsAre("#1 Parked Complete, #2 Parked Complete"))
	if w := hqtest.World(t, s.p); w.Task != nil {
		t.Errorf("the project has the task %+v", w.Task)
	}
	if _, err := all.Do(t.Context(), core.Command{Kind: core.KindCreateTask, Text: "# One"}); err == nil ||
		!strings.Contains(err.Error(), `"One" is already #1`) {
		t.Errorf("the same task again: %v", err)
	}
}

// Quitting holds every task, and one /resume continues all of them, also if the selected task is on no hold.
func TestQuitAndResumeTasks(t *testing.T) {
	for name, held := range map[string]bool{"the selected one is held": true, "it continues already": false} {
		t.Run(name, func(t *testing.T) { quitAndResumeTasks(t, held) })
	}
}

func quitAndResumeTasks(t *testing.T, held bool) {
	s := newQueueFixture(t, "hang", "One", "Two")
	c := s.schedule()
	s.wait(c, "both tasks", rowsAre("#1 Running Executing, #2 Running Executing"))
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		s.wait(c, "its conductor", func(conductor.View) bool { return c.Task(dir) != nil })
		s.wait(c.Task(dir), "a running executor", running)
	}
	s.close(c, true)
	c = s.schedule()
	defer s.close(c, false)
	s.wait(c, "two held tasks", rowsAre("#1 Parked Executing, #2 Parked Executing"))
	all := scheduler.Select(c)
	if all.SelectTask("t-1-one"); !held {
		_, err := c.Task("t-1-one").Resume(t.Context())
		hqtest.Must(t, err)
	}
	words, err := all.Resume(t.Context())
	if hqtest.Must(t, err); !held && words != "1 task continues" {
		t.Errorf("it says %q", words)
	}
	s.wait(c, "both tasks again", rowsAre("#1 Running Executing, #2 Running Executing"))
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		s.wait(c.Task(dir), "a running executor", running)
	}
}

// A task that continues waits for a turn, and starts no session before it has one.
func TestAResumedTaskWaitsForItsTurn(t *testing.T) {
	s := newQueueFixture(t, "hang", "One", "Two", "Three")
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "two running tasks", rowsAre("#1 Running Executing, #2 Running Executing, #3 Queued"))
	s.wait(c, "its conductor", func(conductor.View) bool { return c.Task("t-1-one") != nil })
	one := c.Task("t-1-one")
	s.wait(one, "a running executor", running)
	hqtest.Must(t, one.Stop(t.Context()))
	s.wait(c, "the turn of the third", rowsAre("#1 Parked Executing, #2 Running Executing, #3 Running Executing"))
	_, err := one.Resume(t.Context())
	hqtest.Must(t, err)
	v := s.wait(c, "its place in the queue", rowsAre("#1 Queued Executing, #2 Running Executing, #3 Running Executing"))
	if v.Tasks[0].Why != "2 of 2 tasks are running" || slices.ContainsFunc(one.View().Panes, alive) {
		t.Errorf("it has %+v, and waits because %q", one.View().Panes, v.Tasks[0].Why)
	}
	q, err := queue.Open(s.p)
	hqtest.Must(t, err)
	hqtest.Must(t, q.Cancel(t.Context(), project.HumanActor(), 2))
	s.wait(one, "a running executor again", running)
}

// Each screen selects its own task. A task's panes have the size of the first screen that shows it, also once another
// leaves.
func TestSelectionsAreIndependent(t *testing.T) {
	s := newQueueFixture(t, "hang", "One", "Two")
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "both tasks", rowsAre("#1 Running Executing, #2 Running Executing"))
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		s.wait(c, "its conductor", func(conductor.View) bool { return c.Task(dir) != nil })
		s.wait(c.Task(dir), "a running executor", running)
	}
	one := scheduler.Select(c)
	two, leave := one.Another()
	one.Resize(core.SlotExecutor, 77, 11)
	two.Resize(core.SlotExecutor, 90, 20)
	one.SelectTask("t-1-one")
	two.SelectTask("t-2-two")
	if a, b := one.View().Selected, two.View().Selected; a != "t-1-one" || b != "t-2-two" {
		t.Errorf("the views are of %q and %q", a, b)
	}
	sized := func(dir string, columns, rows int) {
		t.Helper()
		s.wait(c.Task(dir), fmt.Sprintf("%d by %d", columns, rows), func(v conductor.View) (fits bool) {
			v.Panes[0].Terminal.With(func(screen *vt.Terminal) {
				x, y := screen.Size()
				fits = x == columns && y == rows
			})
			return fits
		})
	}
	sized("t-1-one", 77, 11)
	sized("t-2-two", 90, 20)
	one.SelectTask("t-2-two")
	sized("t-2-two", 77, 11)
	two.Resize(core.SlotExecutor, 95, 25)
	one.SelectTask("t-1-one")
	sized("t-2-two", 95, 25)
	two.SelectTask("t-1-one")
	one.Resize(core.SlotExecutor, 78, 12)
	sized("t-1-one", 78, 12)
	leave()
	two, leave = one.Another()
	defer leave()
	two.Resize(core.SlotExecutor, 99, 30)
	two.SelectTask("t-2-two")
	sized("t-2-two", 99, 30)
}
