package queue_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

const twoAtATime = "[hq]\nworkspace = \"worktree\"\n[limits]\nmax_parallel_tasks = 2\n"

// task opens an item's task.
func (f *fixture) task(n int) *project.Task {
	f.Helper()
	s, err := f.q.Load()
	f.ok(err)
	at := s.World.Index(n)
	if at < 0 || s.World.Items[at].Dir == "" {
		f.Fatalf("#%d has no directory of its own: %+v", n, s.World.Items)
	}
	of, err := f.q.Task(s.World.Items[at])
	f.ok(err)
	return of
}

// As many tasks as the limit allows run at the same time, each with its own record and worktree,
// and none of them affects the others.
func TestSeveralTasksHaveTheirTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t, twoAtATime)
	f.conduct()
	f.add("# Retry: fetch", "# Second", "# Third", "# Fourth")
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Queued: 2 of 2 tasks are running",
		"#4 Queued: 2 of 2 tasks are running")
	one, two := f.task(1), f.task(2)
	if one.ID != "t-1-retry-fetch" || one.Workspace(hqtest.World(t, one)) == two.Workspace(hqtest.World(t, two)) {
		t.Errorf("the tasks %s and %s share a workspace, or have other IDs", one.ID, two.ID)
	}
	hold := core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop}
	hqtest.Do(t, one, hold)
	f.reconcile()
	f.shows("#1 Parked: needs you: on hold (stop), resume it", "#2 Running: Executing", "#3 Running: Executing",
		"#4 Queued: 2 of 2 tasks are running")
	hqtest.Do(t, one, core.Command{Kind: core.KindResume, By: project.HumanActor()})
	f.reconcile() // first in line, but the limit is reached
	f.shows("#1 Queued: 2 of 2 tasks are running", "#2 Running: Executing", "#3 Running: Executing",
		"#4 Queued: 2 of 2 tasks are running")
	hqtest.Do(t, two, core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Cancelled:", "#3 Running: Executing", "#4 Queued: 2 of 2 tasks are running")
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 3))
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Cancelled:", "#3 Cancelled:", "#4 Running: Executing")
	if w := hqtest.World(t, f.task(3)); w.Task != nil {
		t.Errorf("the cancelled item's task is still %s", w.State)
	}
}

// A task gives up its turn once all its processes have ended, and not before.
func TestATurnEndsWithTheLastProcess(t *testing.T) {
	f := newFixture(t, twoAtATime)
	f.add("# First")
	f.reconcile()
	hqtest.Do(t, f.task(1), core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop})
	c := f.conditions()
	asked := ""
	c.Lives = func(task string) bool { asked = task; return true }
	_, err := f.q.Reconcile(t.Context(), c)
	f.ok(err)
	if f.shows("#1 Running: needs you: on hold (stop), resume it"); asked != "t-1-first" {
		t.Errorf("asked whether %q is alive, want t-1-first", asked)
	}
	f.reconcile()
	f.shows("#1 Parked: needs you: on hold (stop), resume it")
}

// Each task starts before others get a turn, so the first of many does not wait for the last one's
// worktree.
func TestATaskBeginsBeforeOthersGetTheirTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, twoAtATime)
	f.add("# First", "# Second", "# Third")
	c := f.conditions()
	var begun []string
	c.Begin = func(i queue.Item) {
		s, err := f.q.Load()
		f.ok(err)
		f.ok(f.q.Start(t.Context(), i))
		begun = append(begun, fmt.Sprintf("%s while #2 is %s", i.Name(), s.World.Items[1].State))
	}
	_, err := f.q.Reconcile(t.Context(), c)
	f.ok(err)
	want := []string{"#1 while #2 is Queued", "#2 while #2 is Running"}
	if !slices.Equal(begun, want) {
		t.Errorf("started %q, want %q", begun, want)
	}
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Queued: 2 of 2 tasks are running")
}

// A process that takes over finds a started task again, at whatever write the previous one was
// killed.
func TestABeginningIsMadeGood(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, twoAtATime)
	f.add("# First")
	begin, err := f.q.Reconcile(t.Context(), f.conditions())
	f.ok(err)
	made, err := f.MakeTask(t.Context(), begin[0].Dir) // and no more
	f.ok(err)
	again, err := f.q.Reconcile(t.Context(), f.conditions())
	if err != nil || len(again) != 1 || again[0].Dir != begin[0].Dir {
		t.Fatalf("after a kill %+v, %v start; want the same item", again, err)
	}
	f.ok(f.q.Start(t.Context(), again[0])) // its task, but not that the item has it
	f.ok(f.q.Start(t.Context(), again[0]))
	f.reconcile()
	f.shows("#1 Running: Executing")
	if w := hqtest.World(t, made); w.Epoch != 2 {
		t.Errorf("the task was started %d times, want once", w.Epoch-1)
	}
}

// An unreadable record is reported, and delays no other task.
func TestADamagedTaskStopsNoOther(t *testing.T) {
	f := newFixture(t, twoAtATime)
	f.conduct()
	f.add("# First", "# Second", "# Third")
	f.reconcile()
	f.ok(os.WriteFile(f.task(1).Store.Path("STATE.json"), []byte("{"), 0o600))
	hqtest.Do(t, f.task(2), core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcile()
	rows := f.rows()
	if !strings.Contains(rows, "#1 Running: its record cannot be read: ") ||
		!strings.Contains(rows, "#2 Cancelled") || !strings.Contains(rows, "#3 Running: Executing") {
		t.Errorf("the queue is\n%s\nwant #1 unreadable, #2 cancelled and #3 running", rows)
	}
}

// While memory is scarce the first task starts, and no second one.
func TestMemoryLimitsWhatBegins(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, twoAtATime)
	f.conduct()
	f.add("# First", "# Second")
	c := f.conditions()
	c.Memory = "less than 1024 MB of memory free"
	begin, err := f.q.Reconcile(t.Context(), c)
	if err != nil || len(begin) != 1 {
		t.Fatalf("%+v, %v start; want one", begin, err)
	}
	f.ok(f.q.Start(t.Context(), begin[0]))
	_, err = f.q.Reconcile(t.Context(), c)
	f.ok(err)
	rows, err := f.q.Rows(c)
	if f.ok(err); rows[0].State != "Running" || rows[1].Why != c.Memory {
		t.Errorf("the rows are %+v, want #1 running and #2 waiting because %q", rows, c.Memory)
	}
}

// If the queue was deleted and a number is assigned again, it never leads to an earlier task.
func TestADirectoryIsGivenOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, twoAtATime)
	f.add("# First")
	f.reconcile()
	first := f.task(1)
	f.ok(os.RemoveAll(f.Store.Path(queue.Dir)))
	q, err := queue.OpenOrCreate(t.Context(), f.Task)
	f.ok(err)
	f.q = q
	f.add("# First")
	f.reconcile()
	if second := f.task(1); second.ID == first.ID {
		t.Errorf("two tasks have the directory %s", first.ID)
	}
}

// A crash between cancelling an item and resetting its task leaves the task running; the next
// reconciliation resets it. Here its record is unreadable in between.
func TestACancelledTaskIsResetLater(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, twoAtATime)
	f.conduct()
	f.add("# First", "# Second")
	f.reconcile()
	file := f.task(1).Store.Path("STATE.json")
	record, err := os.ReadFile(file)
	f.ok(err)
	f.ok(os.WriteFile(file, []byte("{"), 0o600))
	f.refused(f.q.Cancel(t.Context(), project.HumanActor(), 1), "damaged")
	f.reconcile() // an unreadable record is skipped
	if rows := f.rows(); !strings.Contains(rows, "#1 Cancelled") || !strings.Contains(rows, "#2 Running: Executing") {
		t.Errorf("the queue is\n%s\nwant #1 cancelled and #2 running", rows)
	}
	f.ok(os.WriteFile(file, record, 0o600))
	if state := hqtest.World(t, f.task(1)).State; state != "Executing" {
		t.Fatalf("the task is %s before the queue is reconciled, want Executing", state)
	}
	f.reconcile()
	if state := hqtest.World(t, f.task(1)).State; state != "Idle" {
		t.Errorf("the cancelled item's task is still %s", state)
	}
}
