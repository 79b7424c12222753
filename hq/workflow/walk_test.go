package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/store/longtest"
)

func words(phases []machine.State) string {
	all := make([]string, len(phases))
	for i, p := range phases {
		all[i] = string(p)
	}
	return strings.Join(all, " ")
}

// Every type reaches its end, on each track and with each outcome, through revisions, failed
// reviews, failed gates and the human's decision. The next step knows only what is on disk after
// each event, and the journal replays to it.
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
				t.Errorf("the phases are\n%s\nwant\n%s", got, c.want)
			}
			replays(t, end)
		})
	}
}

// The result of a workflow can land once, after its end.
func TestResult(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	t.Parallel()
	w := fixture{request: true, t: t, book: newStore(t)}
	began, err := w.book.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "Add retry"})
	if err != nil {
		t.Fatal(err)
	}
	result := func(when, want string) {
		if id, err := w.book.Result(); err != nil || id != want {
			t.Errorf("%s: %q, %v; want %q", when, id, err, want)
		}
	}
	result("while it is open", "")
	w.id, w.world = began.ID, core.World{State: "Idle"}
	if end := w.run(); !end.Lands() {
		t.Fatalf("it is in %s, published as %+v", end.Phase, end.Synthesis)
	}
	result("after its end", began.ID)
	if err := w.book.Project.Store.WriteFile(Dir+"/"+began.ID+"/"+LandedFile, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	result("once it has landed", "")
}

// replays checks that the journal replays to the state.
func replays(t *testing.T, w Workflow) {
	t.Helper()
	lines, err := w.Journal()
	if err != nil {
		t.Fatal(err)
	}
	if lines[0].Event != "workflow.started" || uint64(len(lines)) != w.Seq {
		t.Errorf("the journal begins with %s and has %d lines, want workflow.started and %d",
			lines[0].Event, len(lines), w.Seq)
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
		t.Errorf("the journal replays to\n%+v\nwant\n%+v", d, w.Document)
	}
	if _, err := os.Stat(w.Path("state.json")); err != nil {
		t.Error(err)
	}
}

// Random commands from every role, valid or not, never exceed their role; refusals change nothing,
// and the journal replays.
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
					t.Fatalf("seed %d: a refused %s changed the workflow: %v", seed, c.Kind, err)
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

// Only one workflow is open at a time.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	b := newStore(t)
	if _, err := b.Find(); !errors.Is(err, ErrNoneOpen) {
		t.Fatal(err)
	}
	if _, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "one", Text: "caf\xe9"}); err == nil {
		t.Error("a request that is not UTF-8 is taken")
	}
	first, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "two"}); err == nil ||
		!strings.Contains(err.Error(), first.ID) {
		t.Errorf("starting a second workflow: %v, want an error that names %s", err, first.ID)
	}
	if _, err := b.Cancel(t.Context(), first.ID, "enough"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "two"}); err != nil {
		t.Error(err)
	}
	all, err := b.List()
	if err != nil || len(all) != 2 || all[0].Phase != flow.Cancelled {
		t.Errorf("got %d workflows, %v; want 2, the first cancelled", len(all), err)
	}
}

// Evidence from an earlier visit to a phase does not count.
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
				t.Errorf("the previous round's reviews still count: %v", now.Reviews)
			}
			break
		}
		if !w.step(now, PlanNext(&now.Document, TaskLoop{World: w.world, Text: w.text})) {
			t.Fatalf("the workflow stopped in %s", now.Phase)
		}
	}
	if !slices.ContainsFunc(w.journal(), func(l store.Entry) bool { return l.Event == "workflow.fix-cycle" }) {
		t.Error("the journal does not record a fix cycle")
	}
}
