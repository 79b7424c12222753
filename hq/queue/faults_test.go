package queue_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
)

// A session that outlives its cancelled task changes nothing with its calls.
func TestACancelledTaskTakesNoSubmission(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	f.add("# A")
	f.reconcile()
	one := f.task(1)
	hqtest.Do(t, one, core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 1))
	before, err := one.World()
	f.ok(err)
	for _, kind := range []machine.Kind{core.KindSubmit, core.KindCheck, core.KindHeartbeat} {
		_, err := one.Do(t.Context(), store.Call{}, core.Command{Kind: kind, By: hqtest.Executor(), Text: "# Done"})
		if !machine.IsRefusal(err) {
			t.Errorf("%s by a session of a cancelled task: %v, want a refusal", kind, err)
		}
	}
	if after, err := one.World(); err != nil || after.Seq != before.Seq {
		t.Errorf("the sequence number was %d and is %d, %v; want no change", before.Seq, after.Seq, err)
	}
	f.reconcile()
	f.shows("#1 Cancelled:")
}

// An item that depends on a held or cancelled task says so, and waits until you decide otherwise.
func TestWhatWaitsForAFailedTask(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	f.add("# A")
	first := []int{1}
	f.add("# B")
	f.ok(f.q.Edit(t.Context(), project.HumanActor(), 2, queue.Changes{After: &first}))
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Queued: waits for #1")
	hqtest.Do(t, f.task(1), core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop})
	f.reconcile()
	f.shows("#1 Parked: needs you: on hold (stop), resume it", "#2 Queued: waits for #1")
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 1))
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Queued: waits for #1, which was cancelled: edit or cancel it")
	nothing := []int{}
	f.ok(f.q.Edit(t.Context(), project.HumanActor(), 2, queue.Changes{After: &nothing}))
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing")
}

// If its worktree and branch were removed, a task reports an error and never falls back to your
// checkout.
func TestARemovedWorktree(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	f.add("# A", "# B")
	f.reconcile()
	one := f.task(1)
	hqtest.Do(t, one, core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
	w := hqtest.World(t, one)
	dir := one.Workspace(w)
	if !strings.Contains(dir, "worktrees") {
		t.Fatalf("the task works in %s, want a worktree", dir)
	}
	f.ok(os.RemoveAll(dir))
	f.ok(exec.Command("git", "-C", f.Dir, "worktree", "prune").Run())
	f.ok(exec.Command("git", "-C", f.Dir, "branch", "-D", w.Task.Workspace.Branch).Run())
	tree, err := one.Work(w).Tree(t.Context())
	f.refused(err, "find the worktree", dir)
	if tree.Hash != "" {
		t.Errorf("its tree is %+v, want none", tree)
	}
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 1))
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing")
}
