package merge

import (
	"strings"
	"testing"

	"ferrus/hq/hqtest"
)

// Four green tasks cost one gate: the branch moves once, to the tree that was proven.
func TestFourGreenTasksCostOneGate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"}, work{"file-c": "c"}, work{"file-d": "d"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2, 3, 4)
	f.settle()
	f.shows("#1 Landed, #2 Landed, #3 Landed, #4 Landed")
	runs, trees := f.gates()
	t.Logf("four green tasks: %d gate, %d tree", runs, trees)
	if runs != 1 || trees != 1 {
		t.Errorf("%d gates ran on %d trees", runs, trees)
	}
	f.proven(first, "at the end")
	if got := f.git("log", "--format=%s", first+"..main"); got != "Task 4\nTask 3\nTask 2\nTask 1" {
		t.Errorf("the commits are %q", got)
	}
	if dirty := f.git("status", "--porcelain"); dirty != "" {
		t.Errorf("the checkout is not clean: %s", dirty)
	}
	for n := 1; n <= 4; n++ {
		w := hqtest.World(t, f.of(n))
		if w.Task.Landed == nil || w.Task.Landed.Commit != f.item(n).Landed {
			t.Errorf("the task of #%d does not say that it has landed: %+v", n, w.Task.Landed)
		}
	}
	if left := f.git("worktree", "list"); strings.Contains(left, "worktrees") {
		t.Errorf("worktrees are left: %s", left)
	}
	if refs := f.git("for-each-ref", "refs/ferrus/staged"); refs != "" {
		t.Errorf("refs are left: %s", refs)
	}
}

// B.5 1: two green tasks that are red together: the first lands, the second is returned, and its report
// names both.
func TestGreenAndGreenIsRed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"not-with-a": "b"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2)
	f.settle()
	f.reconcile()
	f.shows("#1 Landed, #2 Running")
	f.proven(first, "at the end")
	of := f.of(2)
	s, err := of.World()
	f.ok(err)
	text, err := of.Store.ReadText(s, "REVIEW.md")
	f.ok(err)
	for _, want := range []string{"red on main with #1", "#1 (Task 1)", "not-with-a", "sh check.sh"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	if s.World.State != "Addressing" {
		t.Errorf("the task is %s", s.World.State)
	}
}
