package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/store/longtest"
)

// newStore returns the book of a project in a git repository of its own.
func newStore(t *testing.T) *Store {
	t.Helper()
	return Open(hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, "one", "other"))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var (
	supervisor = core.Actor{Role: machine.Supervisor, ID: "supervisor:test:3", Session: "0123456789abcdef"}
	human      = project.HumanActor()
	itself     = project.FerrusActor()
)

// fixture carries a workflow out as a conductor would, with a task loop and agents of
// the test. Nothing is kept between two events but what is on the disk. It
// has more than 12 fields because a test says in one literal all that is to go wrong.
type fixture struct {
	t        *testing.T
	book     *Store
	id       string
	world    core.World
	text     string
	reject   int // reviews that fail
	red      int // gates that fail
	revise   int // plans that the human sends back
	fail     int // tasks that the loop gives up
	publish  int // publications that fail
	track    flow.Track
	request  bool
	phases   []machine.State
	decision string // what the human says in blocked
}

func (w *fixture) do(by core.Actor, c Command) Workflow {
	w.t.Helper()
	c.By = by
	got, err := Open(w.book.Project).Do(w.t.Context(), w.id, store.Call{}, c)
	if err != nil {
		w.t.Fatalf("%s: %v", c.Kind, err)
	}
	return got
}

// run steps until nothing is to be done; it fails when that takes too long.
func (w *fixture) run() Workflow {
	w.t.Helper()
	for range 300 {
		now, err := Open(w.book.Project).Load(w.id)
		if err != nil {
			w.t.Fatal(err)
		}
		if n := len(w.phases); n == 0 || w.phases[n-1] != now.Phase {
			w.phases = append(w.phases, now.Phase)
		}
		if now.IsFinal() {
			return now
		}
		if !w.step(now, PlanNext(&now.Document, TaskLoop{World: w.world, Text: w.text})) {
			return now
		}
	}
	w.t.Fatalf("it does not end: %v", w.phases)
	return Workflow{}
}

func (w *fixture) step(now Workflow, n Next) bool {
	w.t.Helper()
	switch n.Do {
	case DoEnter, DoRecord:
		w.do(itself, n.Command)
	case DoSession:
		w.agent(now)
	case DoCreate:
		w.world.State, w.world.Task = "Executing", &core.Task{ID: fmt.Sprintf("t-%d", now.Seq),
			Origin: now.Origin(n.Task)}
		w.text = now.TaskText(n.Task)
	case DoLoop:
		w.world.State = "Complete"
		if w.fail > 0 {
			w.fail--
			w.world.State, w.world.FailureReason = "Failed", "too often rejected"
		}
	case DoReset:
		w.world = core.World{State: "Idle"}
	case DoGate:
		passed := w.red == 0
		w.red = max(w.red-1, 0)
		w.do(itself, Command{Kind: "validated", Gate: &Validation{TestsPass: &passed, Report: "FAIL: go test"}})
	case DoPublish:
		if w.publish > 0 {
			w.publish--
			w.do(itself, Command{Kind: "publish_failed", Synthesis: &Synthesis{LastError: "no network"}})
			return true
		}
		s, err := w.book.Forge.Publish(w.t.Context(), &now.Document)
		if err != nil {
			w.t.Fatal(err)
		}
		w.do(itself, Command{Kind: "published", Synthesis: &s})
	default:
		return w.decide(now)
	}
	return true
}

func (w *fixture) decide(now Workflow) bool {
	switch {
	case now.Phase == flow.Blocked && w.decision != "":
		c := Command{Kind: machine.Kind(w.decision), Text: "continue", Ticket: now.Counters.Ticket}
		w.decision = ""
		w.do(human, c)
	case now.Flow().Phase(now.Phase).Run != flow.RunHuman || now.Phase == flow.Blocked:
		return false
	case w.revise > 0:
		w.revise--
		w.do(human, Command{Kind: "revise", Text: "say how it is tested", Ticket: now.Counters.Ticket})
	default:
		w.do(human, Command{Kind: "approve", Ticket: now.Counters.Ticket})
	}
	return true
}

// agent does what the phase needs.
func (w *fixture) agent(now Workflow) {
	w.t.Helper()
	f := now.Flow()
	set := func(u Updates) { w.do(supervisor, Command{Kind: "set", Updates: &u}) }
	switch f.Phase(now.Phase).Run {
	case flow.RunTasks:
		id := fmt.Sprintf("%s-%d", now.Phase, now.Round)
		w.do(supervisor,
			Command{Kind: "plan_tasks", Tasks: []Task{{ID: id + "b", Text: "second", After: []string{id + "a"}},
				{ID: id + "a", Text: "first"}}})
		return
	case flow.RunReview:
		verdict := "pass"
		if w.reject > 0 {
			verdict = "fail"
			w.reject--
		}
		w.do(supervisor, Command{Kind: "record_review", Dimension: "spec-review", Verdict: "pass", Text: "as designed"})
		w.do(supervisor, Command{Kind: "record_review", Dimension: "quality-review", Verdict: verdict, Text: "names"})
		return
	}
	switch now.Phase {
	case "ideate":
		set(Updates{Artifacts: &ArtifactSet{Design: "a design"}})
	case "plan":
		if w.request {
			w.do(supervisor, Command{Kind: "request_synthesize", Text: "it matters"})
		}
		set(Updates{Artifacts: &ArtifactSet{Plan: "a plan"}})
	case "overhaul-plan":
		set(Updates{Artifacts: &ArtifactSet{Plan: "a plan"}})
	case "triage":
		set(Updates{Triage: &Triage{Failure: "it fails"}})
	case "investigate", "brief":
		w.do(supervisor, Command{Kind: "select_track", Track: w.track})
	case "rca":
		set(Updates{Artifacts: &ArtifactSet{RCA: "a cause"}})
	case "design":
		set(Updates{Artifacts: &ArtifactSet{FixDesign: "a fix"}})
	case "explore":
		set(Updates{Explore: &Explore{ScopeAssessment: "small"}})
	case "implementing", "polish-implement":
		write(w.t, filepath.Join(w.book.Project.Dir, "work.txt"), now.ID)
		set(Updates{Implementation: &ImplementedSet{Complete: true}})
	case "polish-update-docs", "overhaul-update-docs":
		set(Updates{Validation: &ValidationSet{DocsUpdated: true}})
	default:
		w.t.Fatalf("nothing says what to do in %s", now.Phase)
	}
}

func words(phases []machine.State) string {
	all := make([]string, len(phases))
	for i, p := range phases {
		all[i] = string(p)
	}
	return strings.Join(all, " ")
}

// Every type walks to its end, on each track and to each end, over revisions, failed
// reviews, red gates and the human's decision. What is on the disk after each event
// is all that the next step knows, and the journal folds to it.
func TestWalks(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		kind    flow.Type
		policy  flow.Policy
		fixture fixture
		want    string
	}{
		"feature": {flow.Feature, "", fixture{revise: 1, reject: 1},
			"ideate plan plan-review plan plan-review delegate review delegate review synthesize completed"},
		"feature at its limits": {flow.Feature, "", fixture{reject: 4, decision: "unblock"},
			"ideate plan plan-review delegate review delegate review delegate review delegate review blocked " +
				"delegate review synthesize completed"},
		"feature replanned": {flow.Feature, "", fixture{revise: 4, decision: "replan"},
			"ideate plan plan-review plan plan-review plan plan-review plan plan-review blocked plan plan-review " +
				"delegate review synthesize completed"},
		"feature with a task that fails": {flow.Feature, "", fixture{fail: 1, decision: "unblock"},
			"ideate plan plan-review delegate blocked delegate review synthesize completed"},
		"feature that cannot be published": {flow.Feature, "", fixture{publish: 3, decision: "unblock"},
			"ideate plan plan-review delegate review synthesize blocked synthesize completed"},
		"debug, thorough": {flow.Debug, "", fixture{track: flow.Thorough, reject: 1, red: 1},
			"triage investigate rca design debug-implement debug-validate debug-implement debug-validate " +
				"debug-review debug-implement debug-validate debug-review synthesize completed"},
		"debug, thorough, at its limit": {flow.Debug, "", fixture{track: flow.Thorough, red: 3, decision: "unblock"},
			"triage investigate rca design debug-implement debug-validate debug-implement debug-validate " +
				"debug-implement debug-validate blocked debug-implement debug-validate debug-review " +
				"synthesize completed"},
		"debug, hotfix": {flow.Debug, "", fixture{track: flow.Hotfix},
			"triage investigate hotfix-implement hotfix-validate synthesize completed"},
		"debug, unpublished": {flow.Debug, flow.Never, fixture{track: flow.Hotfix},
			"triage investigate hotfix-implement hotfix-validate completed"},
		"refactor, polish": {flow.Refactor, "", fixture{track: flow.Polish, red: 1},
			"explore brief polish-implement polish-validate polish-implement polish-validate " +
				"polish-update-docs completed"},
		"refactor, overhaul": {flow.Refactor, "", fixture{track: flow.Overhaul, revise: 1, reject: 1},
			"explore brief overhaul-plan overhaul-plan-review overhaul-plan overhaul-plan-review overhaul-delegate " +
				"overhaul-review overhaul-delegate overhaul-review overhaul-update-docs synthesize completed"},
		"oneshot":             {flow.Oneshot, "", fixture{red: 2}, "plan implementing completed"},
		"oneshot, requested":  {flow.Oneshot, "", fixture{request: true}, "plan implementing synthesize completed"},
		"oneshot, always":     {flow.Oneshot, flow.Always, fixture{}, "plan implementing synthesize completed"},
		"oneshot, never":      {flow.Oneshot, flow.Never, fixture{request: true}, "plan implementing completed"},
		"oneshot, always red": {flow.Oneshot, "", fixture{red: 9}, "plan implementing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.fixture
			w.t, w.book = t, newStore(t)
			began, err := w.book.Start(t.Context(), human, Request{Type: c.kind, Title: "Add retry", Policy: c.policy})
			if err != nil {
				t.Fatal(err)
			}
			w.id, w.world = began.ID, core.World{State: "Idle"}
			end := w.run()
			if got := words(w.phases); got != c.want {
				t.Errorf("walked\n%s\nnot\n%s", got, c.want)
			}
			replays(t, end)
		})
	}
}

// replays holds the journal to the state.
func replays(t *testing.T, w Workflow) {
	t.Helper()
	lines, err := w.Journal()
	if err != nil {
		t.Fatal(err)
	}
	if lines[0].Event != "workflow.started" || uint64(len(lines)) != w.Seq {
		t.Errorf("it begins with %s, and has %d lines of %d", lines[0].Event, len(lines), w.Seq)
	}
	folded, err := store.Fold(lines)
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(folded, &d); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d, w.Document) {
		t.Errorf("the journal folds to\n%+v\nnot\n%+v", d, w.Document)
	}
	if _, err := os.Stat(w.Path("state.json")); err != nil {
		t.Error(err)
	}
}

// Random commands of everybody, right and wrong, never get past a role, are refused
// without a change, and replay.
func TestRandomCommands(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 2))
	for _, kind := range flow.Types {
		b := newStore(t)
		w, err := b.Start(t.Context(), human, Request{Type: kind, Title: "anything"})
		if err != nil {
			t.Fatal(err)
		}
		for range 250 {
			before := w
			c := anything(random, &w.Document)
			w, err = b.Do(t.Context(), w.ID, store.Call{}, c)
			var no *machine.Refusal
			switch {
			case err != nil && !errors.As(err, &no):
				t.Fatalf("seed %d: %s: %v", seed, c.Kind, err)
			case err != nil:
				if w, err = b.Load(before.ID); err != nil || !reflect.DeepEqual(w.Document, before.Document) {
					t.Fatalf("seed %d: a refused %s changed something: %v", seed, c.Kind, err)
				}
			case w.PlanReview != nil && w.PlanReview.Approved && w.PlanReview.By != human.ID:
				t.Fatalf("seed %d: %s approved the plan", seed, w.PlanReview.By)
			}
		}
		replays(t, w)
	}
}

func anything(random *rand.Rand, d *Document) Command {
	pick := func(n int) int { return random.IntN(n) }
	actors := []core.Actor{supervisor, human, itself, {Role: machine.Executor, ID: "executor:test:1"}}
	if pick(3) > 0 {
		actors = []core.Actor{supervisor, human}
	}
	kinds := []machine.Kind{"set", "enter", "enter", "enter", "approve", "revise", "unblock", "replan", "select_track",
		"plan_tasks", "record_review",
		"request_synthesize", "finalize_oneshot", "escalate", "cancel", "cleanup", "validated", "published",
		"publish_failed", "disbanded"}
	tracks := []flow.Track{flow.Hotfix, flow.Thorough, flow.Polish, flow.Overhaul, "none"}
	passed := pick(2) == 0
	updates := []Updates{
		{Artifacts: &ArtifactSet{Design: "d"}}, {Artifacts: &ArtifactSet{Plan: "p"}},
		{Artifacts: &ArtifactSet{RCA: "r", FixDesign: "f"}}, {Triage: &Triage{Failure: "s"}},
		{Explore: &Explore{ScopeAssessment: "s"}}, {Implementation: &ImplementedSet{Complete: true}},
		{Validation: &ValidationSet{DocsUpdated: true}}, {},
	}
	states := d.Flow().States()
	c := Command{
		Kind: kinds[pick(len(kinds))], By: actors[pick(len(actors))], Text: []string{"", "words"}[pick(2)],
		Ticket: uint64(pick(3)) * d.Counters.Ticket,
		To:     states[pick(len(states))], Updates: &updates[pick(len(updates))], Track: tracks[pick(len(tracks))],
		Tasks:     []Task{{ID: fmt.Sprint(pick(50)), Text: "do"}},
		Dimension: []string{"spec-review", "quality-review", "other"}[pick(3)],
		Verdict:   []string{"pass", "fail", "blocked", ""}[pick(4)],
		Gate:      &Validation{TestsPass: &passed}, Synthesis: &Synthesis{PRURL: "there", LastError: "no"},
	}
	if c.Kind == "set" && pick(2) == 0 {
		c.To = ""
	}
	if c.Kind == "disbanded" || c.Kind == "validated" {
		c.By = itself
	}
	if next := d.Flow().Next(d.Snap(), d.Facts(Observed{})); c.Kind == "enter" && next != "" && pick(2) == 0 {
		c.To = next
	}
	return c
}

// One workflow is open at a time.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	b := newStore(t)
	if _, err := b.Find(); !errors.Is(err, ErrNoneOpen) {
		t.Fatal(err)
	}
	first, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "two"}); err == nil ||
		!strings.Contains(err.Error(), first.ID) {
		t.Errorf("a second one: %v", err)
	}
	if _, err := b.Cancel(t.Context(), first.ID, "enough"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "two"}); err != nil {
		t.Error(err)
	}
	all, err := b.List()
	if err != nil || len(all) != 2 || all[0].Phase != flow.Cancelled {
		t.Errorf("%d workflows, %v", len(all), err)
	}
}

// Evidence of an earlier visit proves nothing.
func TestEvidenceIsForgotten(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := fixture{t: t, book: newStore(t), reject: 1, world: core.World{State: "Idle"}}
	began, err := w.book.Start(t.Context(), human, Request{Type: flow.Feature, Title: "Add retry"})
	if err != nil {
		t.Fatal(err)
	}
	w.id = began.ID
	for {
		now, err := w.book.Load(w.id)
		if err != nil {
			t.Fatal(err)
		}
		if now.Phase == "review" && now.Round == 1 {
			if len(now.Reviews) > 0 {
				t.Errorf("the reviews of the round before are still there: %v", now.Reviews)
			}
			break
		}
		if !w.step(now, PlanNext(&now.Document, TaskLoop{World: w.world, Text: w.text})) {
			t.Fatalf("stopped in %s", now.Phase)
		}
	}
	if !slices.ContainsFunc(w.journal(), func(l store.Entry) bool { return l.Event == "workflow.fix-cycle" }) {
		t.Error("the journal has no fix cycle")
	}
}

func (w *fixture) journal() []store.Entry {
	now, err := w.book.Load(w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	lines, err := now.Journal()
	if err != nil {
		w.t.Fatal(err)
	}
	return lines
}
