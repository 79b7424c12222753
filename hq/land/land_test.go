package land

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/store"
)

func TestWorkComesHome(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, c := range map[string]struct {
		workspace string
		before    func(*fixture)
		commits   string
	}{
		"here":                {"here", func(*fixture) {}, "2"},
		"a worktree":          {"worktree", func(*fixture) {}, "2"},
		"onto another commit": {"worktree", func(l *fixture) { l.main("b.txt", "b\n") }, "3"},
		"beside other changes": {"worktree", func(l *fixture) {
			l.main("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
		}, "3"},
		"commits of the agent": {"worktree", func(l *fixture) {
			l.gitIn(l.in(), "add", "-A")
			l.gitIn(l.in(), "commit", "-q", "-m", "by the agent")
		}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, c.workspace).startTask().work()
			c.before(l)
			l.approve()
			plan, err := PlanLanding(t.Context(), l.Task, "", Options{})
			if err != nil || plan.Off != nil || plan.Onto != "main" || len(plan.Files) != 3 || plan.Added != 2 ||
				plan.Removed != 2 || plan.Verdict != checks.Pass {
				t.Fatalf("the plan is %+v, %v; want 3 files onto main, 2 lines added and removed, after a pass",
					plan, err)
			}
			if plan.Message != "Do it well\n\nIt is done.\n" {
				t.Errorf("the commit message is %q, want title and summary", plan.Message)
			}
			d, err := l.land(Options{})
			if err != nil || d.Kept != "" || d.Onto != "main" || d.Commit != l.git("rev-parse", "main") {
				t.Fatalf("landed %+v, %v; want the tip of main", d, err)
			}
			l.home(name)
			if got := l.git("rev-list", "--count", "main"); got != c.commits {
				t.Errorf("main has %s commits, want %s", got, c.commits)
			}
			if _, err := l.land(Options{}); !strings.Contains(refusal(err), "has landed") {
				t.Errorf("the second landing: %v, want a refusal because it has landed", err)
			}
		})
	}
}

// What ferrus hashed may be gone with .ferrus/run; the files of the worktree are hashed again.
func TestWorkLandsWithoutItsObjects(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "worktree").startTask().work().approve()
	l.ok(os.RemoveAll(filepath.Join(l.Dir, ".ferrus", "run")))
	if d, err := l.land(Options{}); err != nil || d.Commit != l.git("rev-parse", "main") {
		t.Fatalf("landed %+v, %v; want the tip of main", d, err)
	}
	l.home("a worktree")
}

// Whatever an executor puts into its summary, the work lands, and git log prints the message without orders to
// the terminal.
func TestHostileSummaryLands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here").startTask().work()
	l.approveAs("## Summary\nIt is\x00 \x1b[2Jdone\u202e.\xff\n")
	_, err := l.land(Options{})
	l.ok(err)
	if got := l.git("log", "-1", "--format=%B"); got != "Do it well\n\nIt is done.\uFFFD" {
		t.Errorf("the commit message is %q, want the summary without control characters", got)
	}
}

func TestMessageIsThePersons(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here").startTask().work().approve()
	_, err := l.land(Options{Message: "my words\n"})
	l.ok(err)
	if got := l.git("log", "-1", "--format=%B"); strings.TrimSpace(got) != "my words" {
		t.Errorf("the commit message is %q, want my words", got)
	}
}

// A refusal has changed nothing.
func TestWhatIsInTheWayIsLeftAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task for each obstacle")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		workspace string
		before    func(*fixture) // the task begins
		spoil     func(*fixture) // after the approval
		says      string
	}{
		"a change from before": {"here", func(l *fixture) {
			put(l.T, l.Dir, "mine.txt", "mine")
		}, nil, "mine.txt"},
		"a change from before that the task changed": {"here", func(l *fixture) {
			put(l.T, l.Dir, "a.txt", "mine")
		}, nil, "a.txt"},
		"an edit after the approval": {"here", nil, func(l *fixture) {
			put(l.T, l.Dir, "late.txt", "x")
		}, "changed since the approval: late.txt"},
		"an edit in the worktree": {"worktree", nil, func(l *fixture) {
			put(l.T, l.in(), "late.txt", "x")
		}, "late.txt"},
		"changes in the checkout": {"worktree", nil, func(l *fixture) {
			put(l.T, l.Dir, "a.txt", "mine")
		}, "in the way: a.txt"},
		"a new file in the checkout": {"worktree", nil, func(l *fixture) {
			put(l.T, l.Dir, "new.txt", "mine")
		}, "in the way: new.txt"},
		"staged in part": {"here", nil, func(l *fixture) {
			text, _ := os.ReadFile(filepath.Join(l.Dir, "a.txt"))
			put(l.T, l.Dir, "a.txt", "half")
			l.git("add", "a.txt")
			put(l.T, l.Dir, "a.txt", string(text))
		}, "staged in part: a.txt"},
		"a merge": {"here", nil, func(l *fixture) {
			put(l.T, l.Dir, ".git/MERGE_HEAD", l.git("rev-parse", "HEAD"))
		}, "a merge is in progress"},
		"another branch in the worktree": {"worktree", nil, func(l *fixture) {
			l.gitIn(l.in(), "switch", "-q", "-c", "else")
		}, "else"},
		"a branch that is gone": {"worktree", nil, func(l *fixture) {
			l.git("checkout", "-q", "-b", "other")
			l.git("branch", "-q", "-D", "main")
		}, "is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, c.workspace)
			if c.before != nil {
				c.before(l)
			}
			l.startTask().work().approve()
			if c.spoil != nil {
				c.spoil(l)
			}
			before := l.picture()
			_, err := l.land(Options{})
			if !strings.Contains(refusal(err), c.says) {
				t.Errorf("got %v, want a refusal with %q", err, c.says)
			}
			l.same(before, name)
		})
	}
}

func TestChangesFromBeforeLandWhenAsked(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here")
	put(t, l.Dir, "mine.txt", "mine\n")
	l.startTask().work().approve()
	plan, err := PlanLanding(t.Context(), l.Task, "", Options{Changes: true})
	l.ok(err)
	if !slices.ContainsFunc(plan.Files, func(f checks.FilePatch) bool { return f.Path == "mine.txt" }) {
		t.Errorf("the preview does not show mine.txt: %+v", plan.Files)
	}
	_, err = l.land(Options{Changes: true})
	l.ok(err)
	l.home("with changes")
	if l.git("show", "main:mine.txt") != "mine" {
		t.Error("mine.txt did not land")
	}
}

// Work on a branch without a commit lands as its first one, with the files that were there before.
func TestTheFirstCommitLands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here")
	l.git("update-ref", "-d", "refs/heads/main")
	l.git("rm", "-r", "-q", "--cached", ".")
	l.startTask().work().approve()
	_, err := l.land(Options{})
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Fix, "commit them and check") {
		t.Errorf("got %#v, want a hint that names no stash", err)
	}
	var lines []string
	o := Options{Changes: true, Tell: func(words string) { lines = append(lines, words) }}
	plan, err := PlanLanding(t.Context(), l.Task, "", o)
	l.ok(err)
	if !slices.ContainsFunc(plan.Files, func(f checks.FilePatch) bool { return f.Path == "a.txt" }) {
		t.Errorf("the preview does not show a.txt: %+v", plan.Files)
	}
	_, err = l.land(o)
	l.ok(err)
	if l.git("rev-list", "--count", "main") != "1" || !slices.Contains(lines, "committing on main") {
		t.Errorf("it landed as %s, with the words %q", l.git("log", "--oneline", "main"), lines)
	}
}

// A conflict and failed checks are rolled back with Keep, and otherwise return to the executor.
func TestWhatDoesNotFitGoesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task for each obstacle")
	}
	t.Parallel()
	for name, c := range map[string]struct{ file, text, says, marker string }{
		"a conflict": {"a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9 on main\n", "conflicts with main: a.txt", "<<<<<<<"},
		"a red gate": {"red", "red\n", "the checks failed on main: FAIL", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, "worktree").startTask().work()
			l.main(c.file, c.text)
			l.approve()
			before := l.picture()
			var failed *FailedError
			var saw watched
			if _, err := l.land(Options{Keep: true, Watch: saw.watch}); !errors.As(err, &failed) || failed.Returned ||
				!strings.Contains(failed.What, c.says) {
				t.Fatalf("got %v, want that nothing returned, and %q", err, c.says)
			}
			l.same(before, "kept")
			if saw != (watched{}) != (name == "a red gate") || saw.ended != saw.began || saw.verdict == checks.Pass {
				t.Errorf("the landing reported the checks as %+v", saw)
			}
			tip := l.git("rev-parse", "main")
			if _, err := l.land(Options{}); !errors.As(err, &failed) || !failed.Returned {
				t.Fatalf("got %v, want the task back with the executor", err)
			}
			w := l.world()
			if w.State != "Addressing" || w.Task.Base.Commit != tip || l.git("rev-parse", "main") != tip {
				t.Errorf("the task is %s on %+v, want Addressing on main's tip", w.State, w.Task.Base)
			}
			state, err := l.World()
			l.ok(err)
			if text, err := l.Store.ReadText(state, core.ReviewText); err != nil || !strings.Contains(text, c.says) {
				t.Errorf("the notes are %q, %v; want %q", text, err, c.says)
			}
			text, err := os.ReadFile(filepath.Join(l.in(), "a.txt"))
			if err != nil || !strings.Contains(string(text), "nine") ||
				strings.Contains(string(text), "<<<<<<<") != (c.marker != "") {
				t.Errorf("a.txt is %q, %v; want nine, and markers only after a conflict", text, err)
			}
			// The executor fixes it, and it lands.
			put(t, l.in(), "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine on main\n")
			_ = os.Remove(filepath.Join(l.in(), "red"))
			l.approve()
			_, err = l.land(Options{})
			l.ok(err)
			l.home("at last")
		})
	}
}

// watched counts what a landing reports about its checks.
type watched struct {
	began, ended int // commands
	verdict      checks.Verdict
}

func (w *watched) watch(commands []string) Watch {
	w.began = len(commands)
	return Watch{Progress: func(p checks.Progress) {
		if p.Done != nil {
			w.ended++
		}
	}, Over: func(r gate.Record, _ error) { w.verdict = r.Verdict }}
}

func TestATaskThatWasPutAwayLands(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	t.Parallel()
	l := newFixture(t, "worktree").startTask().work().approve()
	l.startTask().work().approve() // A second task, with little to commit.
	old := l.task
	l.do(core.Command{Kind: "create_task", By: project.HumanActor(), Text: "another"})
	if _, err := Land(t.Context(), l.Task, "t-none", Options{}); !strings.Contains(refusal(err), "no task") {
		t.Errorf("landing an unknown task: %v, want a refusal", err)
	}
	l.main("b.txt", "b\n")
	d, err := Land(t.Context(), l.Task, old, Options{})
	if err != nil || l.git("show", "main:new.txt") != "new" || d.Kept != "" {
		t.Fatalf("landed %+v, %v; want new.txt on main", d, err)
	}
	if _, err := Land(t.Context(), l.Task, old, Options{}); !strings.Contains(refusal(err), "has landed") {
		t.Errorf("the second landing: %v, want a refusal because it has landed", err)
	}
	if l.world().Task.Landed != nil {
		t.Error("the current task is recorded as landed")
	}
}

func TestOneAtATime(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	t.Parallel()
	l := newFixture(t, "worktree").startTask().work().approve()
	lock, err := l.Store.TryLock(project.LandLock)
	l.ok(err)
	before := l.picture()
	if _, err := l.land(Options{}); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("got %v, want a LockedError", err)
	}
	l.same(before, "locked out")
	l.ok(lock.Close())
	_, err = l.land(Options{})
	l.ok(err)
	l.home("then")
}

// The specification of the task's milestone was uncommitted and was ticked after the approval. It
// lands with the task; any other change to it blocks the landing.
func TestSpecificationLandsTicked(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	for _, workspace := range []string{"here", "worktree"} {
		l := newFixture(t, workspace)
		spec := l.writeSpec()
		l.startMilestone(spec)
		l.work().approve()
		file := filepath.Join(l.Dir, spec)
		if got := l.world().TaskTicked; got != (workspace == "here") {
			t.Errorf("%s: ticked before the landing: %v", workspace, got)
		}
		if workspace == "here" {
			text, err := os.ReadFile(file)
			l.ok(err)
			l.ok(os.WriteFile(file, append(text, "more\n"...), 0o644))
			var off *RefusedError
			if _, err := Land(t.Context(), l.Task, "", Options{}); !errors.As(err, &off) ||
				!strings.Contains(off.What, spec) {
				t.Errorf("another change to the specification: %v, want a refusal that names it", err)
			}
			l.ok(os.WriteFile(file, text, 0o644))
		}
		_, err := Land(t.Context(), l.Task, "", Options{})
		l.ok(err)
		text, err := os.ReadFile(file)
		l.ok(err)
		if w := l.world(); !strings.Contains(string(text), "- [x] #1.0") || !w.TaskTicked ||
			w.SelectedMilestone != "m1.1" {
			t.Errorf("%s: after the landing %+v, want the box ticked and the next milestone selected:\n%s",
				workspace, w.Selection, text)
		}
		if workspace == "here" && !strings.Contains(l.git("show", "HEAD:"+spec), "- [x] #1.0") {
			t.Error("the specification was committed without its ticked box")
		}
	}
}
