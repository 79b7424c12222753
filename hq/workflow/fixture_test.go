package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// newStore returns the workflow store of a project in a new git repository.
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

// fixture carries out a workflow like a conductor, with the test's own task loop and agents.
// Between two events it keeps nothing but what is on disk. It has more than 12 fields because a
// test states in one literal everything that goes wrong.
type fixture struct {
	t        *testing.T
	book     *Store
	id       string
	world    core.World
	text     string
	reject   int // number of reviews that fail
	red      int // number of gates that fail
	revise   int // number of plans that the human sends back
	fail     int // number of tasks that fail in the loop
	publish  int // number of failed publications
	track    flow.Track
	request  bool
	phases   []machine.State
	decision string // the human's decision in blocked
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

// run steps until there is nothing to do; it fails after too many steps.
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
	w.t.Fatalf("the workflow does not end: %v", w.phases)
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

// agent does the work of the phase.
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
		w.t.Fatalf("no step is planned in %s", now.Phase)
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
