package merge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/longtest"
)

var reviewer = core.Actor{Role: machine.Supervisor, ID: "supervisor:demo:1", Session: "r1", Mode: core.ModeReview,
	Managed: true}

// shared returns the file shared.txt with some of its lines replaced.
func shared(lines ...string) string {
	text := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, l := range lines {
		was, now, _ := strings.Cut(l, "=")
		text = strings.Replace(text, was+"\n", now+"\n", 1)
	}
	return text
}

// commit changes files on main.
func (f *fixture) commit(w work) {
	f.Helper()
	for name, text := range w {
		hqtest.Write(f, f.Dir, name, text)
	}
	f.git("add", "--all")
	f.git("commit", "-q", "-m", "mine")
}

// The same patch on a branch that has moved elsewhere in the file lands without another review.
func TestAnApprovalSurvivesTheSamePatch(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	f := newFixture(t)
	f.tasks(work{"shared.txt": shared("9=nine")})
	f.commit(work{"shared.txt": shared("1=one"), "other": "x"})
	f.stage(1)
	f.complete()
	f.shows("#1 Landed")
	if got := f.git("show", "main:shared.txt") + "\n"; got != shared("1=one", "9=nine") {
		t.Errorf("it landed as %q", got)
	}
}

// A change that merges, and is another patch on the branch, goes back to its reviewer with the range-diff, in
// a worktree that has it on the branch. Approved there, it lands as it is, without another gate.
func TestAnotherPatchIsJudgedAgain(t *testing.T) {
	skipShort(t)
	t.Parallel()
	playJudgedAgain(t, newFixture(t))
}

// The same where a worker runs the gates: it gets all that the reviewer's gate needs.
func TestAnotherPatchIsJudgedAgainOnAWorker(t *testing.T) {
	skipShort(t)
	t.Parallel()
	f := newFixture(t)
	rejudged := 0
	f.o.Gate, f.o.RunGate = "proof", func(ctx context.Context, r GateRun) (gate.Record, error) {
		if of := r.Options.Task; of != nil {
			rejudged++
			if of.Base != r.Options.Base || r.Options.Base.Tree == "" {
				t.Errorf("the task is based on %+v, and its gate on %+v", of.Base, r.Options.Base)
			}
		}
		return gate.Force(ctx, f.Task, r.Options)
	}
	playJudgedAgain(t, f)
	if rejudged != 1 {
		t.Errorf("%d gates were those of a reviewer", rejudged)
	}
}

func playJudgedAgain(t *testing.T, f *fixture) {
	t.Helper()
	f.tasks(work{"shared.txt": shared("9=nine")}, work{"file-b": "b"})
	f.commit(work{"shared.txt": shared("7=seven")})
	head := f.git("rev-parse", "main")
	f.stage(1, 2)
	f.complete()
	f.reconcile()
	f.shows("#1 Running, #2 Landed")
	of, by := f.of(1), reviewer
	s, err := of.World()
	f.ok(err)
	w, tree := s.World, f.git("rev-parse", head+"^{tree}")
	if w.State != "Reviewing" || !w.Submission.Rejudged || w.Task.Base.Commit != head || w.Task.Base.Tree != tree ||
		w.Gate.Verdict != "PASS" || w.Gate.Tree != w.Submission.Tree {
		t.Fatalf("the task is %s: %+v, %+v, %+v", w.State, w.Submission, w.Gate, w.Task.Base)
	}
	text, err := of.Store.ReadText(s, core.ReviewText)
	f.ok(err)
	for _, want := range []string{"on main the change of #1 differs from the approved one\n", "git range-diff",
		"\n1:  ", "\n    - 7\n", "\n    + seven\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the reviewer does not read %q:\n%s", want, text)
		}
	}
	data, err := os.ReadFile(filepath.Join(f.dir(1), "shared.txt"))
	f.ok(err)
	if string(data) != shared("7=seven", "9=nine") {
		t.Errorf("the worktree has %q", data)
	}
	if r, err := os.ReadFile(of.Store.Path("checks/" + fmt.Sprint(w.Gate.Ticket) + ".json")); err != nil ||
		!strings.Contains(string(r), w.Gate.Tree) {
		t.Errorf("the record of the gate: %s, %v", r, err)
	}

	hqtest.Do(t, of, core.Command{Kind: "claim", By: by})
	hqtest.Do(t, of, core.Command{Kind: "approve", By: by, Text: "good there, too"})
	f.reconcile()
	gates, _ := f.gates()
	f.complete() // you had staged it: no second /land
	f.shows("#1 Landed, #2 Landed")
	if got := f.git("show", "main:shared.txt") + "\n"; got != shared("7=seven", "9=nine") {
		t.Errorf("it landed as %q", got)
	}
	// Its neighbour landed meanwhile, so the tree is a new one.
	if more, _ := f.gates(); more-gates != 1 {
		t.Errorf("%d gates ran after the approval", more-gates)
	}
}

// Work that a reviewer rejects, and work that is approved after other work, has to be staged again.
func TestRejectedAfterItWasJudgedAgain(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"shared.txt": shared("9=nine")})
	f.commit(work{"shared.txt": shared("7=seven")})
	f.stage(1)
	f.complete()
	f.reconcile()
	of, by := f.of(1), reviewer
	hqtest.Do(t, of, core.Command{Kind: "claim", By: by})
	hqtest.Do(t, of, core.Command{Kind: "reject", By: by, Text: "not with seven"})
	f.reconcile()
	f.approve(1, work{"shared.txt": shared("7=seven", "9=neun")})
	f.reconcile()
	f.complete()
	f.shows("#1 Parked")
	f.stage(1)
	f.complete()
	f.shows("#1 Landed")
}

// An alarm that the change raises only on what the branch has become needs you, as it would in its own review.
func TestANewAlarmIsJudgedAgain(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"tool.sh": "exit 0\n"}, work{"file-b": "b"})
	f.commit(work{"check.sh": script + "\ntest ! -e tool.sh || sh tool.sh\n"})
	f.stage(1, 2)
	f.complete()
	f.reconcile()
	f.shows("#1 Running, #2 Landed")
	of := f.of(1)
	w := hqtest.World(t, of)
	if w.State != "Reviewing" || len(w.HumanAlarms()) == 0 || w.HumanAlarms()[0].Path != "tool.sh" {
		t.Fatalf("the task is %s: %+v", w.State, w.Submission)
	}
	by := reviewer
	hqtest.Do(t, of, core.Command{Kind: "claim", By: by})
	if _, err := of.Do(t.Context(), store.Call{}, core.Command{Kind: "approve", By: by, Text: "fine"}); err == nil {
		t.Error("a reviewer may approve it")
	}
	hqtest.Do(t, of, core.Command{Kind: "approve", By: project.HumanActor()})
	f.reconcile()
	f.complete()
	f.shows("#1 Landed, #2 Landed")
}

// A process that is killed before any step of judging again leaves nothing that the next one does not finish.
func TestKilledWhileItIsJudgedAgain(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	n, every := sample(t, 24)
	for ; ; n += every {
		f := newFixture(t)
		f.tasks(work{"shared.txt": shared("9=nine")})
		f.commit(work{"shared.txt": shared("7=seven")})
		head := f.git("rev-parse", "main")
		f.stage(1)
		done := f.kill(n)
		f.restart()
		f.complete()
		f.reconcile()
		of := f.of(1)
		w := hqtest.World(t, of)
		data, err := os.ReadFile(filepath.Join(f.dir(1), "shared.txt"))
		f.ok(err)
		if w.State != "Reviewing" || w.Task.Gates != 2 || string(data) != shared("7=seven", "9=nine") ||
			f.git("rev-parse", "main") != head || f.item(1).State != "Running" {
			t.Errorf("killed before step %d: %s, %d gates, %s: %q", n, w.State, w.Task.Gates, f.states(), data)
		}
		hqtest.Do(t, of, core.Command{Kind: "claim", By: reviewer})
		hqtest.Do(t, of, core.Command{Kind: "approve", By: reviewer, Text: "good"})
		f.reconcile()
		f.complete()
		f.shows("#1 Landed")
		if done || t.Failed() {
			t.Logf("judging again has %d steps", n)
			return
		}
	}
}
