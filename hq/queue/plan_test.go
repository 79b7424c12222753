package queue_test

import (
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/machine"
	"ferrus/store"
)

const plan = "# Write it\nTouches: a.go\n\nIn Go.\n\n# Use it\nAfter: Write it\n\n# Measure it\n"

// begun reconciles the queue and returns the numbers of the items that have a turn.
func (f *fixture) begun() (all []int) {
	f.Helper()
	items, err := f.q.Reconcile(f.Context(), queue.Conditions{Worktrees: true, Limits: queue.Limits{Parallel: 9}})
	f.ok(err)
	for _, i := range items {
		all = append(all, i.N)
	}
	return all
}

// A supervisor's plan waits for you: you edit it, drop tasks and approve it before anything starts.
func TestAPlanWaitsForApproval(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	by := core.Actor{ID: "supervisor:demo:1", Role: machine.Supervisor, Session: "s-1"}
	you := project.HumanActor()
	r, err := queue.Propose(t.Context(), f.Task, store.Call{}, by, plan)
	f.ok(err)
	if !strings.Contains(r.Message, "3 tasks are proposed: #1 to #3") {
		t.Errorf("the supervisor's result is %q, want that 3 tasks are proposed", r.Message)
	}
	if all := f.begun(); len(all) > 0 {
		t.Fatalf("%v start before you have approved them", all)
	}
	rows, err := f.q.Rows(queue.Conditions{})
	f.ok(err)
	for _, row := range rows {
		if !row.Needs || row.Why != "needs you: approve or cancel it" {
			t.Errorf("%s: needs you is %v, %q; want that you approve or cancel it", row.Name(), row.Needs, row.Why)
		}
	}
	if _, err := f.q.Approve(t.Context(), by, 0); err == nil {
		t.Error("a supervisor approved its own plan")
	}
	f.ok(f.q.Edit(t.Context(), you, 1, queue.Changes{Text: new("# Write it twice\n\nIn Go and in C.")}))
	f.ok(f.q.Cancel(t.Context(), you, 3))
	approved, err := f.q.Approve(t.Context(), you, 0)
	f.ok(err)
	if len(approved) != 2 || approved[0].Title != "Write it twice" {
		t.Errorf("approved %+v, want 2 with the edited title", approved)
	}
	if all := f.begun(); !slices.Equal(all, []int{1}) {
		t.Errorf("%v start, want only #1 because #2 waits for it", all)
	}
	if text, err := f.q.Request(1); err != nil || !strings.Contains(text, "in C.") {
		t.Errorf("the text of #1 is %q, %v; want the edit", text, err)
	}
	f.refused(f.q.Edit(t.Context(), you, 1, queue.Changes{Text: new("Too late")}), "Running")
	_, err = f.q.Approve(t.Context(), you, 0)
	f.refused(err, "no task is proposed")
	_, err = queue.Propose(t.Context(), f.Task, store.Call{}, by, "without a heading")
	f.refused(err, "start each with")
}

const milestones = `# Billing

- [x] #1 Parse bills
  - ID: m1
- [ ] #2 Sum them
  - ID: m2
  - Depends on: m1
  Round half up.
- [ ] #3 Print them
  - ID: m3
  - Depends on: m2
- [ ] #4 Mail them
  - ID: m4
  - Depends on: m3, m2
`

// A specification's open milestones are queued once, with their dependencies.
func TestMilestonesAreQueued(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	you, s := project.HumanActor(), spec.Parse("docs/specs/billing.md", milestones)
	all, err := f.q.Milestones(s)
	f.ok(err)
	items, err := f.q.Add(t.Context(), you, all)
	f.ok(err)
	var got []string
	for _, i := range items {
		var after []string
		for _, n := range i.After {
			after = append(after, items[n-1].Milestone)
		}
		got = append(got, i.Milestone+" "+i.Title+" after "+strings.Join(after, ","))
	}
	want := []string{"m2 Sum them after ", "m3 Print them after m2", "m4 Mail them after m2,m3"}
	if !slices.Equal(got, want) {
		t.Errorf("queued %q, want %q", got, want)
	}
	text, err := f.q.Request(1)
	if err != nil || !strings.Contains(text, "milestone m2 of the specification docs/specs/billing.md") ||
		!strings.Contains(text, "Round half up.") {
		t.Errorf("the text is %q, %v; want the milestone, its specification and its text", text, err)
	}
	_, err = f.q.Milestones(s)
	f.refused(err, "every milestone of docs/specs/billing.md is done or queued")
	f.ok(f.q.Cancel(t.Context(), you, 3))
	again, err := f.q.Milestones(s)
	f.ok(err)
	if len(again) != 1 || len(again[0].After) != 2 || again[0].After[0].N == 0 {
		t.Errorf("queued again: %+v, want only the cancelled one with its 2 dependencies", again)
	}
	begun := f.begun()
	if !slices.Equal(begun, []int{1}) {
		t.Fatalf("%v start, want #1", begun)
	}
	rows, err := f.q.Rows(queue.Conditions{})
	f.ok(err)
	f.ok(f.q.Start(t.Context(), rows[0].Item))
	of, err := f.q.Task(rows[0].Item)
	f.ok(err)
	if w := hqtest.World(t, of); w.TaskMilestone != "m2" || w.TaskSpec != s.Path {
		t.Errorf("the task is for %q of %q, want m2 of %q", w.TaskMilestone, w.TaskSpec, s.Path)
	}
	double := []queue.New{{Text: "Another", Spec: s.Path, Milestone: "m2"}}
	_, err = f.q.Add(t.Context(), you, double)
	f.refused(err, "#1 is already for milestone m2")
}

func TestProposedInWords(t *testing.T) {
	t.Parallel()
	row := func(n int) queue.Row { return queue.Row{Item: queue.Item{N: n, Held: "proposed"}} }
	for want, rows := range map[string][]queue.Row{
		"":                       {{Item: queue.Item{N: 1}}},
		"a task is proposed: #4": {row(4)}, "2 tasks are proposed: #4, #5": {row(4), row(5)},
	} {
		if got := queue.Proposed(rows); got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
	}
}
