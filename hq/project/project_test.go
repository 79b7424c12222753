package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// fixture is a project in a git repository of its own. It is made here and not by package hqtest, which imports
// this one.
type fixture struct {
	*testing.T
	*Task
}

const toml = "[checks]\ncommands = [\"true\"]\n"

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	l := &fixture{T: t}
	l.write(dir, "ferrus.toml", toml)
	l.write(dir, "main.go", "package main\n")
	l.write(dir, ".gitignore", ".ferrus/\n")
	gittest.Commit(t, dir)
	if _, err := store.Create(t.Context(), dir, core.New(time.Now())); err != nil {
		t.Fatal(err)
	}
	p, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.Task = p
	return l
}

func (l *fixture) write(dir, name, content string) {
	l.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		l.Fatal(err)
	}
}

// do gives a command that must be accepted.
func (l *fixture) do(c core.Command) core.Result {
	l.Helper()
	r, err := l.Do(l.Context(), store.Call{}, c)
	if err != nil {
		l.Fatalf("%s: %v", c.Kind, err)
	}
	return r
}

// refused gives a command that must be refused, and returns the guards.
func (l *fixture) refused(c core.Command) *machine.Refusal {
	l.Helper()
	before := l.world().Seq
	_, err := l.Do(l.Context(), store.Call{}, c)
	var r *machine.Refusal
	if !errors.As(err, &r) {
		l.Fatalf("%s: %v, want a refusal", c.Kind, err)
	}
	if c.Kind != "approve" && l.world().Seq != before {
		l.Errorf("%s was refused and changed something", c.Kind)
	}
	return r
}

func (l *fixture) world() store.State[core.World] {
	l.Helper()
	s, err := l.World()
	if err != nil {
		l.Fatal(err)
	}
	return s
}

func executor() core.Actor {
	return core.Actor{Role: machine.Executor, ID: "executor:x:1", Session: "e", Mode: core.ModeWork}
}

func reviewer() core.Actor {
	return core.Actor{Role: machine.Supervisor, ID: "supervisor:x:1", Session: "r", Mode: core.ModeReview}
}

// submit brings a new task to Reviewing.
func (l *fixture) submit() {
	l.Helper()
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	l.resubmit()
}

func (l *fixture) resubmit() {
	l.Helper()
	l.do(core.Command{Kind: "claim", By: executor()})
	ticket := l.do(core.Command{Kind: "check", By: executor()}).Ticket
	tree, err := l.Repo().Tree(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	l.do(core.Command{Kind: "checked", By: FerrusActor(), Ticket: ticket,
		Gate: &core.GateResult{Verdict: checks.Pass, Tree: tree.Hash}})
	if r := l.do(core.Command{Kind: "submit", By: executor(), Text: "done"}); r.Status != "submitted" ||
		r.State != "Reviewing" {
		l.Fatalf("the result is %+v, want submitted for review", r)
	}
}

func TestTaskRecordsWhatItStartsFrom(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	r := l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it\nwell"})
	s := l.world()
	task := s.World.Task
	tree, err := l.Repo().Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != "created" || r.State != "Executing" || r.Seq != s.Seq || task.ID != r.TaskID ||
		task.Title != "Do it" {
		t.Errorf("result %+v, task %+v", r, task)
	}
	if task.Base.Tree != tree.Hash || task.Base.Commit != l.Repo().Head(t.Context()) ||
		!slices.Equal(task.Definition.Titles(), []string{"true"}) {
		t.Errorf("base %+v, definition %+v", task.Base, task.Definition)
	}
	if text, err := l.Store.ReadText(s, core.TaskText); err != nil || text != "# Do it\nwell" {
		t.Errorf("the text is %q, %v; want the task's", text, err)
	}
	lines, err := l.Store.Journal(0)
	if err != nil || len(lines) == 0 || lines[len(lines)-1].Event != "create_task" ||
		lines[len(lines)-1].By != "person" {
		t.Errorf("the journal is %+v, %v; want create_task by the human at its end", lines, err)
	}
	l.write(l.Dir, "ferrus.toml", "[checks]\ncommands = [\"false\"]\n")
	if got := l.world().World.Task.Definition.Titles(); !slices.Equal(got, []string{"true"}) {
		t.Errorf("the definition is not pinned: %v", got)
	}
}

func TestTaskNeedsARepositoryAndAConfiguration(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write(l.Dir, "ferrus.toml", "[cheks]\n")
	if _, err := l.Do(t.Context(), store.Call{}, core.Command{Kind: "create_task", By: HumanActor(), Text: "x"}); err ==
		nil || !strings.Contains(err.Error(), "ferrus.toml") {
		t.Errorf("broken configuration: %v", err)
	}
	l.write(l.Dir, "ferrus.toml", toml)
	if err := os.RemoveAll(filepath.Join(l.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Do(t.Context(), store.Call{}, core.Command{Kind: "create_task", By: HumanActor(),
		Text: "x"}); !errors.Is(err, checks.ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
	if s := l.world(); s.Seq != 0 {
		t.Errorf("something was committed: %d", s.Seq)
	}
}

func TestRefusalChangesNothing(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	for _, c := range []core.Command{
		{Kind: "create_task", By: HumanActor(), Text: " "},
		{Kind: "create_task", By: executor(), Text: "x"},
		{Kind: "submit", By: executor(), Text: "x"},
		{Kind: "approve", By: HumanActor()},
		{Kind: "claim", By: executor()},
		{Kind: "nonsense", By: HumanActor()},
	} {
		l.refused(c)
	}
}

func TestSubmitOfAMovedTreeRunsTheGateAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "x"})
	l.do(core.Command{Kind: "claim", By: executor()})
	ticket := l.do(core.Command{Kind: "check", By: executor()}).Ticket
	tree, err := l.Repo().Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.do(core.Command{Kind: "checked", By: FerrusActor(), Ticket: ticket,
		Gate: &core.GateResult{Verdict: checks.Pass, Tree: tree.Hash}})
	l.write(l.Dir, "main.go", "package changed\n")
	r := l.do(core.Command{Kind: "submit", By: executor(), Text: "done"})
	if r.Status != "running" || r.State != "Checking" || r.Ticket == ticket {
		t.Errorf("the result is %+v, want another gate than %d that runs", r, ticket)
	}
}

// A verdict that arrives between reading the state and taking the lock does not make a submit lose
// its tree and run the gate again.
func TestSubmitWaitsForTheFactsOfTheVerdict(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	l.submit()
	l.do(core.Command{Kind: "reject", By: HumanActor(), Text: "no"})
	l.do(core.Command{Kind: "claim", By: executor()})
	ticket := l.do(core.Command{Kind: "check", By: executor()}).Ticket
	l.do(core.Command{Kind: "checked", By: FerrusActor(), Ticket: ticket,
		Gate: &core.GateResult{Verdict: checks.Pass, Tree: "x"}})
	cfg, err := l.Config()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.commit(t.Context(), cfg, core.Command{Kind: "submit", By: executor(), Text: "done"}); !errors.Is(err,
		store.ErrStale) {
		t.Errorf("got %v, want ErrStale", err)
	}
	if seq := l.world().Seq; seq != ticket+1 {
		t.Errorf("the sequence number is %d, want %d", seq, ticket+1)
	}
}

func TestApprovalOfAMovedTreeVoidsTheSubmission(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	l.submit()
	l.write(l.Dir, "main.go", "package changed\n")
	l.refused(core.Command{Kind: "approve", By: executor()})
	if s := l.world(); s.World.State != "Reviewing" {
		t.Fatalf("a session that may not approve voided: %s", s.World.State)
	}
	r := l.refused(core.Command{Kind: "approve", By: HumanActor()})
	if r.Failed[0].Guard != "tree-unchanged" || !strings.Contains(r.Failed[0].Reason,
		"main.go changed after the submission") || r.State != "Addressing" {
		t.Errorf("the refusal is %+v, want tree-unchanged with main.go, and Addressing", r)
	}
	s := l.world()
	if review, err := l.Store.ReadText(s, core.ReviewText); s.World.State != "Addressing" || err != nil ||
		!strings.Contains(review, "main.go") {
		t.Errorf("%s with review %q, %v; want Addressing with main.go", s.World.State, review, err)
	}
	l.resubmit()
	if r := l.do(core.Command{Kind: "approve", By: HumanActor()}); r.State != "Complete" || r.Status != "approved" {
		t.Errorf("the result is %+v, want approved and Complete", r)
	}
}

func TestReviewerIsNotGivenAMovedTree(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.submit()
	l.do(core.Command{Kind: "claim", By: reviewer()})
	l.write(l.Dir, "new.go", "package main\n")
	_, err := l.Do(t.Context(), store.Call{}, core.Command{Kind: "claim", By: reviewer()})
	var r *machine.Refusal
	if !errors.As(err, &r) || r.Failed[0].Guard != "nothing-to-claim" || l.world().World.State != "Addressing" {
		t.Errorf("got %v in %s, want nothing-to-claim in Addressing", err, l.world().World.State)
	}
}

func TestVoidOfAnUnmovedTreeIsRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	l.submit()
	l.refused(core.Command{Kind: "voided", By: FerrusActor()})
	l.write(l.Dir, "new.go", "package main\n")
	l.do(core.Command{Kind: "voided", By: FerrusActor()})
	if s := l.world(); s.World.State != "Addressing" {
		t.Errorf("the task is %s, want Addressing", s.World.State)
	}
}

func TestUnreadableTreeIsNotApproved(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	l.submit()
	gittest.Run(t, l.Dir, "init", "-q", "nested")
	r := l.refused(core.Command{Kind: "approve", By: HumanActor()})
	if !strings.Contains(r.Error(), "nested") || l.world().World.State != "Reviewing" {
		t.Errorf("the refusal is %v, want nested in it, and still Reviewing", r)
	}
}

func TestFactsOfAnotherStateAreNotUsed(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "x"})
	r := l.refused(core.Command{Kind: "check", By: HumanActor(), Seq: 1000})
	if r.Code != machine.GuardFailed || r.Failed[0].Guard != "facts-moved" {
		t.Errorf("the refusal is %+v, want facts-moved", r)
	}
}

func TestRenewalHasNoLine(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "x"})
	l.do(core.Command{Kind: "claim", By: executor()})
	before := l.world()
	if r := l.do(core.Command{Kind: "heartbeat", By: executor()}); r.Seq != before.Seq {
		t.Errorf("seq %d, now %d", before.Seq, r.Seq)
	}
	after := l.world()
	if after.Seq != before.Seq || !after.World.LastHeartbeat.After(*before.World.LastHeartbeat) {
		t.Errorf("before %v, after %v", before.World.Lease, after.World.Lease)
	}
}

func TestEqualCallIsAnsweredTheSame(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	call := store.Call{ID: "1", Session: "s", Key: "k"}
	c := core.Command{Kind: "create_task", By: HumanActor(), Text: "x"}
	first, err := l.Do(t.Context(), call, c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.Do(t.Context(), call, c)
	if err != nil || again.TaskID != first.TaskID || l.world().Seq != first.Seq {
		t.Errorf("first %+v, again %+v, %v", first, again, err)
	}
}

func TestLeaseOfADeadProcessIsFree(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "x"})
	sleeper := exec.Command("sleep", "1000")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	first, second := executor(), executor()
	first.Process, _ = process.Identify(sleeper.Process.Pid)
	second.Session = "other"
	l.do(core.Command{Kind: "claim", By: first})
	l.refused(core.Command{Kind: "claim", By: second})
	_ = sleeper.Process.Kill()
	_ = sleeper.Wait()
	l.do(core.Command{Kind: "claim", By: second})
	if r := l.refused(core.Command{Kind: "check", By: first}); r.Code != machine.Stale {
		t.Errorf("the refusal is %v, want STALE", r)
	}
}

func TestStillEndingAfterAReset(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	self, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.SaveRegistry(Registry{Agents: []SessionRecord{{Slot: core.SlotExecutor, Session: "old",
		Process: self}}}); err != nil {
		t.Fatal(err)
	}
	if r := l.refused(core.Command{Kind: "create_task", By: HumanActor(), Text: "x"}); r.Failed[0].Guard !=
		"still-ending" {
		t.Errorf("the refusal is %+v, want still-ending", r)
	}
	if err := l.SaveRegistry(Registry{}); err != nil {
		t.Fatal(err)
	}
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "x"})
}
