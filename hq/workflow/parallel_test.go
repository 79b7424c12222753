package workflow

import (
	"os/exec"
	"testing"

	"ferrus/hq/hqtest"
	"ferrus/hq/queue"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// TestTasksGoThroughTheQueue follows a plan of three tasks, the last of which depends on the
// others: each is queued once despite crashes, lands on the workflow's branch when approved, and is
// queued again if it failed and you let the work continue.
func TestTasksGoThroughTheQueue(t *testing.T) {
	t.Parallel()
	book := Open(hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[hq]\nworkspace = \"worktree\"\n"}, "one", "other"))
	w, err := book.Start(t.Context(), human, Request{Type: flow.Feature, Title: "x"})
	if err != nil {
		t.Fatal(err)
	}
	d := w.Document
	out, err := exec.Command("git", "-C", book.Workspace(&d), "symbolic-ref", "--short", "HEAD").Output()
	if err != nil || string(out) != d.Branch()+"\n" || !d.Apart() {
		t.Fatalf("the workflow's worktree is %s on branch %q, %v; want its own", book.Workspace(&d), out, err)
	}
	d.Phase, d.Tasks = "delegate", []Task{{ID: "c", Title: "c", Text: "c", After: []string{"a", "b"}, Status: Pending},
		{ID: "a", Title: "a", Text: "a", Status: Pending}, {ID: "b", Title: "a", Text: "a", Status: Pending}}
	plan(t, &d, nil, DoQueue)
	for _, want := range []int{3, 0} {
		if n, err := book.Enqueue(t.Context(), &d); n != want || err != nil {
			t.Fatalf("queued %d tasks, %v; want %d", n, err, want)
		}
	}
	q, err := queue.Open(book.Project)
	if err != nil {
		t.Fatal(err)
	}
	together := queue.Conditions{Worktrees: true, Limits: queue.Limits{Parallel: 3}}
	begin, err := q.Reconcile(t.Context(), together)
	if err != nil || len(begin) != 2 || begin[0].Title != "a" || begin[1].Title != "a" {
		t.Fatalf("the first to start are %v, %v; want two titled a", begin, err)
	}
	rows, err := q.Rows(together)
	if err != nil || rows[2].Why != "waits for #1" {
		t.Fatalf("the rows are %+v, %v; want that the third waits for #1", rows, err)
	}
	for range 3 {
		n := plan(t, &d, rows, DoRecord)
		d.task(n.Command.Task.ID).Status = InProgress
	}
	plan(t, &d, rows, DoLoop)
	rows[0].Item.Task = "t-1"
	if n := plan(t, &d, rows, DoRecord); n.Command.Task.Loop != "t-1" {
		t.Errorf("recorded %+v, want t-1 as its ID in the loop", n.Command.Task)
	}
	d.task("a").Loop = "t-1"
	rows[0].State, rows[0].Task = "Parked", task.Complete
	if n := plan(t, &d, rows, DoLand); n.Item != 1 {
		t.Errorf("lands #%d, want #1", n.Item)
	}
	rows[0].State, rows[0].Task = "Landed", ""
	if n := plan(t, &d, rows, DoRecord); n.Command.Kind != KindTaskEnded || n.Command.Task.Status != Done {
		t.Errorf("recorded %+v, want that the task is done", n.Command)
	}
	d.task("a").Status = Done
	if err := q.Cancel(t.Context(), human, 2); err != nil {
		t.Fatal(err)
	}
	rows[1].State = "Cancelled"
	if n := plan(t, &d, rows, DoRecord); n.Command.Task.ID != "b" || n.Command.Task.Status != Failed {
		t.Errorf("recorded %+v, want that b failed", n.Command.Task)
	}
	d.task("b").Status = Pending // you unblocked it
	plan(t, &d, rows, DoQueue)
	if n, err := book.Enqueue(t.Context(), &d); n != 1 || err != nil {
		t.Errorf("queued %d tasks, %v; want 1", n, err)
	}
}

// plan returns the workflow's next action, and fails if it is not the given one.
func plan(t *testing.T, d *Document, rows []queue.Row, want Action) Next {
	t.Helper()
	n := PlanNext(d, TaskLoop{Rows: rows})
	if n.Do != want {
		t.Fatalf("next is %+v, want %s", n, want)
	}
	return n
}
