package merge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/store/longtest"
)

// Four green tasks cost one gate: the branch moves once, to the tree that was proven.
func TestFourGreenTasksCostOneGate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"}, work{"file-c": "c"}, work{"file-d": "d"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2, 3, 4)
	f.complete()
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
	if refs := f.git("for-each-ref", "refs/ferrus/staged", "refs/ferrus/merge"); refs != "" {
		t.Errorf("refs are left: %s", refs)
	}
}

// B.5 1: two green tasks that are red together: the first lands, the second is returned, and its report
// names both.
func TestGreenAndGreenIsRed(t *testing.T) {
	skipShort(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"not-with-a": "b"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2)
	f.complete()
	f.reconcile()
	f.shows("#2 Running, #1 Landed")
	f.proven(first, "at the end")
	of := f.of(2)
	s, err := of.World()
	f.ok(err)
	text, err := of.Store.ReadText(s, "REVIEW.md")
	f.ok(err)
	for _, want := range []string{"combined with main and #1, the checks failed", "#1 (Task 1)",
		"not-with-a", "sh check.sh", "- #1 (Task 1), whose executor wrote:", "It is done: 1."} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	if s.World.State != "Addressing" {
		t.Errorf("the task is %s", s.World.State)
	}
	f.tells(2, "batch 1: #1, #2 on "+first[:12], "candidate 2 of 2, tree ", "FAIL: sh check.sh",
		"candidate 0 of 2, tree ",
		"landed main: batch 1: #1 at "+f.git("rev-parse", "main")[:12], "returned main: #2: combined with main and #1")
	f.tells(3)
}

// tells demands that the history of an item has some lines, in their order; without any, that it has none.
func (f *fixture) tells(n int, want ...string) {
	f.Helper()
	lines, err := HistoryOf(f.q, n)
	f.ok(err)
	at := 0
	for _, line := range lines {
		if at < len(want) && strings.Contains(line, want[at]) {
			at++
		}
	}
	if at < len(want) || len(want) == 0 && len(lines) > 0 {
		f.Errorf("the history of #%d has %q; it should have %q", n, lines, want)
	}
}

// One bad task among eight, whichever it is: the seven others land after at most five distinct trees
// were proven, each red one twice; in batches of four, too.
func TestOneBadAmongEight(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	for _, batch := range []int{8, 4} {
		for bad := 1; bad <= 8; bad++ {
			if !longtest.On() && (batch != 8 || bad != 8) {
				continue // the last one costs most; FERRUS_LONG has them all
			}
			t.Run(fmt.Sprintf("batch %d, bad %d", batch, bad), func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				f.o.Batch = batch
				var all []work
				for n := 1; n <= 8; n++ {
					w := work{fmt.Sprintf("file-%d", n): "x"}
					if n == bad {
						w["not-with-0"] = "x" // green alone, and approved like that
					}
					all = append(all, w)
				}
				f.tasks(append(all, work{"file-0": "0"})...)
				f.stage(9) // its landing proves the head
				f.complete()
				runs, trees := f.gates()
				f.stage(1, 2, 3, 4, 5, 6, 7, 8)
				f.complete()
				f.reconcile()
				more, distinct := f.gates()
				red := f.redRuns()
				t.Logf("batch = %d, #%d is bad: %d gates on %d distinct trees", batch, bad, more-runs, distinct-trees)
				landed := strings.Count(f.states(), "Landed")
				if landed != 8 || f.item(bad).Landed != "" {
					t.Errorf("%d landed, want 8 without the bad one: %s", landed, f.states())
				}
				if batch == 8 && distinct-trees > 5 {
					t.Errorf("%d distinct trees were proven", distinct-trees)
				}
				for tree, n := range red {
					if n != 2 {
						t.Errorf("the red tree %s was run %d times", tree, n)
					}
				}
			})
		}
	}
}

// B.5 3: you commit to main, switch branches, or have a dirty tree, while a gate runs.
func TestYouWorkWhileAGateRuns(t *testing.T) {
	t.Parallel()
	skipShort(t)
	for name, do := range map[string]func(f *fixture){
		"a commit": func(f *fixture) {
			hqtest.Write(f, f.Dir, "mine", "mine")
			f.git("add", "mine")
			f.git("commit", "-q", "-m", "mine")
		},
		"another branch": func(f *fixture) { f.git("switch", "-q", "-c", "mine") },
		"a dirty tree":   func(f *fixture) { hqtest.Write(f, f.Dir, "check.sh", script+"\n# mine\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
			f.stage(1, 2)
			next, err := f.m.Advance(t.Context(), f.o)
			f.ok(err)
			if len(next.Prove) != 1 {
				t.Fatalf("next is %+v", next)
			}
			do(f)
			f.ok(f.m.Prove(t.Context(), "main", f.o))
			f.complete()
			f.shows("#1 Landed, #2 Landed")
			if name == "a dirty tree" {
				data, err := os.ReadFile(filepath.Join(f.Dir, "check.sh"))
				f.ok(err)
				if !strings.HasSuffix(string(data), "# mine\n") || f.git("status", "--porcelain") != " M check.sh" {
					t.Errorf("your change is gone: %s", f.git("status", "--porcelain"))
				}
			}
		})
	}
}

// A branch that is red by itself returns nothing, and is tried again once it moves.
func TestARedBranchReturnsNothing(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"})
	hqtest.Write(t, f.Dir, "red", "")
	f.git("add", "red")
	f.git("commit", "-q", "-m", "red")
	f.stage(1)
	f.complete()
	f.shows("#1 Staged")
	if m := f.merge(); m.Data.Held != "target-red" || !strings.HasPrefix(m.Why, "the checks fail on main: ") {
		t.Fatalf("the merge is %+v", m)
	}
	f.git("rm", "-q", "red")
	f.git("commit", "-q", "-m", "green")
	f.complete()
	f.shows("#1 Landed")
}

// Work that conflicts with the branch is returned with markers; what conflicts with a neighbour sits the
// batch out, and is returned once that has landed.
func TestConflicts(t *testing.T) {
	skipShort(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"shared.txt": "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"}, work{"shared.txt": "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n"},
		work{"file-c": "c"})
	f.stage(1, 2, 3)
	f.complete()
	f.reconcile()
	f.shows("#2 Running, #1 Landed, #3 Landed")
	data, err := os.ReadFile(filepath.Join(f.dir(2), "shared.txt"))
	f.ok(err)
	if !strings.Contains(string(data), "<<<<<<<") || !strings.Contains(string(data), "five") {
		t.Errorf("there are no markers:\n%s", data)
	}
	of := f.of(2)
	s, err := of.World()
	f.ok(err)
	text, err := of.Store.ReadText(s, "REVIEW.md")
	f.ok(err)
	for _, want := range []string{"the work conflicts with main: shared.txt", "+FIVE",
		"- #1 (Task 1), whose executor wrote:",
		"  > It is done: 1.", "Resolve every conflict marker"} {
		if !strings.Contains(text, want) {
			t.Errorf("the executor does not read %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "#3") {
		t.Errorf("the executor reads of a task that has nothing to do with it:\n%s", text)
	}
}

// In files of [merge] union both sides of a conflict land; the result is gated. Other files conflict.
func TestUnionKeepsBothSides(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.o.Union = []string{"CHANGE*.md"}
	f.tasks(work{"CHANGES.md": "# Changes\n\n- one\n"}, work{"CHANGES.md": "# Changes\n\n- two\n"},
		work{"CHANGES.md": "# Changes\n\n- three\n", "shared.txt": "x\n"}, work{"shared.txt": "y\n"})
	f.stage(1, 2, 3, 4)
	f.complete()
	f.shows("#1 Landed, #2 Landed, #3 Landed, #4 Parked")
	if got := f.git("show", "main:CHANGES.md"); got != "# Changes\n\n- one\n- two\n- three" {
		t.Errorf("the file is %q", got)
	}
	if runs, _ := f.gates(); runs != 1 {
		t.Errorf("%d gates ran", runs)
	}
}

// Two projects of one repository, or two processes, never merge into one branch at the same time.
func TestOneMergePerBranchOfARepository(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1, 2)
	if _, err := f.m.Advance(t.Context(), f.o); err != nil {
		t.Fatal(err)
	}
	second := New(f.Task, f.q)
	if next, err := second.Advance(t.Context(), f.o); err != nil || next.Prove != nil ||
		next.Busy != fmt.Sprintf("process %d merges into main", os.Getpid()) {
		t.Errorf("a second one merges: %+v, %v", next, err)
	}
	f.complete()
	if _, err := second.Advance(t.Context(), f.o); err != nil {
		t.Errorf("the branch is free: %v", err)
	}
	f.shows("#1 Landed, #2 Landed")
}

// What has landed is reverted by a task of its own.
func TestUnland(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1)
	f.complete()
	if _, err := UnlandNamed(t.Context(), f.q, "2"); err == nil || !strings.Contains(err.Error(), "#2 has not landed") {
		t.Errorf("what has not landed: %v", err)
	}
	f.git("checkout", "-q", "-b", "older", "main~1")
	_, err := UnlandNamed(t.Context(), f.q, "1")
	if err == nil || !strings.Contains(err.Error(), "#1 has landed on main as ") {
		t.Errorf("what is not in the commit that is checked out: %v", err)
	}
	f.git("checkout", "-q", "main")
	added, err := UnlandNamed(t.Context(), f.q, "#1")
	f.ok(err)
	text, err := f.q.Request(added.N)
	f.ok(err)
	if added.Title != "Revert #1: Task 1" || !strings.Contains(text, "git diff "+f.item(1).Landed+"^") {
		t.Errorf("added %+v: %s; want a revert of #1", added, text)
	}
	f.reconcile()
	f.ok(os.Remove(filepath.Join(f.dir(added.N), "file-a")))
	f.approve(added.N, work{})
	f.reconcile()
	f.stage(added.N)
	f.complete()
	if f.has("file-a") || f.item(added.N).Landed == "" {
		t.Errorf("it is not reverted: %s", f.states())
	}
}

// A process that is killed before any of its steps leaves nothing that the next one does not finish or
// undo: each item has landed once or was returned, and main is a tree that was proven.
func TestKilledBeforeEveryStep(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	n, every := sample(t, 60)
	for ; ; n += every {
		f := newFixture(t)
		f.tasks(work{"file-a": "a"}, work{"not-with-a": "b"}, work{"file-c": "c"},
			work{"shared.txt": "1\n2\n3\n"})
		hqtest.Write(t, f.Dir, "shared.txt", "7\n8\n9\n")
		f.git("commit", "-q", "-a", "-m", "mine")
		first := f.git("rev-parse", "main")
		f.stage(1, 2, 3, 4)
		done := f.kill(n)
		when := fmt.Sprintf("killed before step %d", n)
		f.proven(first, when)
		f.restart()
		f.complete()
		f.proven(first, when+", then started again")
		f.reconcile()
		if s := f.states(); strings.Count(s, "Landed") != 2 || strings.Count(s, "Running") != 2 ||
			f.item(1).Landed == "" || f.item(3).Landed == "" {
			t.Errorf("%s: %s, want 2 landed and 2 running\n%+v", when, s, f.merge())
		}
		if got := f.git("rev-list", "--count", first+"..main"); got != "2" {
			t.Errorf("%s: main has %s new commits", when, got)
		}
		if git.In(f.Dir).Do(t.Context(), "diff", "--quiet", "HEAD") != nil {
			t.Errorf("%s: the checkout differs from main", when)
		}
		if left := f.git("worktree", "list"); strings.Count(left, "worktrees") != 2 {
			t.Errorf("%s: the worktrees are\n%s\nwant 2", when, left)
		}
		if done {
			t.Logf("a merge of four has %d steps", n)
			return
		}
	}
}

// A caller that lands without HQ reads where the gate runs, and what it waits for.
func TestLandSaysWhatAGateWaitsFor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	f := newFixture(t)
	f.tasks(work{"file-a": "a"})
	var reported []string
	o := f.o
	o.Gate, o.RunGate = "proof", func(ctx context.Context, r GateRun) (gate.Record, error) {
		for _, where := range []string{"waits for a worker with proof", "runs on the worker big"} {
			if err := r.Notify(where); err != nil {
				return gate.Record{}, err
			}
		}
		return gate.Force(ctx, f.Task, r.Options)
	}
	done, err := Land(t.Context(), f.of(1), "", o, func(words string) { reported = append(reported, words) })
	f.ok(err)
	want := []string{"the gate waits for a worker with proof", "the gate runs on the worker big"}
	if len(reported) < 2 || !slices.Equal(reported[len(reported)-2:], want) || done.Commit == "" {
		t.Errorf("reported %q, want %q at the end; %+v", reported, want, done)
	}
}
