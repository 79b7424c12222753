package merge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// why returns what an item waits for.
func (f *fixture) why(n int) string {
	f.Helper()
	c := queue.ConditionsOf(f.Task)
	c.Memory = ""
	rows, err := f.q.Rows(c)
	f.ok(err)
	for _, r := range rows {
		if r.N == n {
			return r.Why
		}
	}
	return ""
}

// B.5 7: a dependency fails, or is reset. What depends on it waits and says for what; after /retry, and once that has
// landed, it begins on the new base.
func TestADependencyFails(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t, "max_review_cycles = 1\n")
	_, err := f.q.Add(t.Context(), project.HumanActor(), []queue.New{{Text: "# Task 1"},
		{Text: "# Task 2", After: []queue.Ref{{N: 1}}}, {Text: "# Task 3"},
		{Text: "# Task 4", After: []queue.Ref{{N: 3}}}})
	f.ok(err)
	f.reconcile()
	f.shows("#1 Running, #2 Queued, #3 Running, #4 Queued")
	of := f.of(1)
	f.submit(1, work{"file-a": "wrong"})
	hqtest.Do(t, of, core.Command{Kind: "reject", By: project.HumanActor(), Text: "No."})
	hqtest.Do(t, f.of(3), core.Command{Kind: "reset", By: project.HumanActor()})
	f.reconcile()
	if got := f.why(2); got != "waits for #1, which has failed: retry it, or cancel it" {
		t.Errorf("#2 %s, want it to wait for the failed #1", got)
	}
	if got := f.why(4); got != "waits for #3, which was cancelled: edit or cancel it" {
		t.Errorf("#4 %s, want it to wait for the cancelled #3", got)
	}
	hqtest.Do(t, of, core.Command{Kind: "retry", By: project.HumanActor()})
	f.reconcile()
	if got := f.why(2); got != "waits for #1" {
		t.Errorf("after /retry #2 %s", got)
	}
	f.approve(1, work{"file-a": "right"})
	f.reconcile()
	if f.item(2).Running() {
		t.Error("#2 begins before #1 has landed")
	}
	f.stage(1)
	f.complete()
	f.reconcile()
	base := hqtest.World(t, f.of(2)).Task.Base.Commit
	if base != f.item(1).Landed || base != f.git("rev-parse", "main") {
		t.Errorf("#2 began on %s, and #1 landed as %s", base, f.item(1).Landed)
	}
	data, err := os.ReadFile(filepath.Join(f.dir(2), "file-a"))
	if f.ok(err); string(data) != "right" {
		t.Errorf("#2 has %q", data)
	}
	f.shows("#1 Landed, #2 Running, #3 Cancelled, #4 Queued")
	f.ok(f.q.Edit(t.Context(), project.HumanActor(), 4, queue.Changes{After: &[]int{}}))
	f.reconcile()
	if !f.item(4).Running() || !strings.Contains(f.states(), "#4 Running") {
		t.Errorf("without its dependency #4 is %s", f.item(4).State)
	}
}

// A task whose dependency has landed on another branch than yours would start without its work, so it waits until you
// have that branch, or one with the commit. Once it has started, your checkout is of no interest.
func TestADependencyLandsOnAnotherBranch(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t, "")
	_, err := f.q.Add(t.Context(), project.HumanActor(), []queue.New{{Text: "# Task 1"},
		{Text: "# Task 2", After: []queue.Ref{{N: 1}}}, {Text: "# Task 3", After: []queue.Ref{{N: 1}}}})
	f.ok(err)
	f.reconcile()
	f.approve(1, work{"file-a": "a"})
	f.reconcile()
	f.git("checkout", "-q", "-b", "other")
	f.stage(1)
	f.complete()
	f.reconcile()
	f.shows("#1 Landed, #2 Queued, #3 Queued")
	if got := f.why(2); got != "waits for #1, which landed on main: check out main, or a branch that has it" {
		t.Errorf("#2 %s, want that it waits for main", got)
	}
	f.ok(f.q.Hold(t.Context(), project.HumanActor(), 3))
	f.git("merge", "-q", "main")
	f.reconcile()
	f.shows("#1 Landed, #2 Running, #3 Parked")
	if base := hqtest.World(t, f.of(2)).Task.Base.Commit; base != f.item(1).Landed {
		t.Errorf("#2 started on %s, and #1 landed as %s", base, f.item(1).Landed)
	}
	f.git("checkout", "-q", f.item(1).Landed+"~1")
	f.ok(f.q.Resume(t.Context(), project.HumanActor(), 3))
	f.reconcile()
	f.shows("#1 Landed, #2 Running, #3 Queued")
	f.git("checkout", "-q", "main")
	f.reconcile()
	f.shows("#1 Landed, #2 Running, #3 Running")
}
