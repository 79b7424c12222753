package serve_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// situation is what workflow_status answers, as far as these tests look at it.
type situation struct {
	Phase  machine.State
	Ways   []flow.Way
	Failed []machine.Failed
}

func (a answer) situation(t *testing.T) situation {
	t.Helper()
	var s situation
	if err := json.Unmarshal([]byte(a.JSON), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// An agent that only follows the suggestions of refusals gets through every phase of the
// supervisor: each suggestion fits its tool's schema, goes to a session that has the tool, and is
// accepted.
func TestSuggestionsCanBeFollowed(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for _, c := range []struct {
		kind  flow.Type
		track flow.Track
		seen  int // suggestions, at least
	}{
		{flow.Feature, "", 5}, {flow.Debug, flow.Thorough, 7}, {flow.Debug, flow.Hotfix, 3},
		{flow.Refactor, flow.Polish, 4}, {flow.Refactor, flow.Overhaul, 7}, {flow.Oneshot, "", 1},
	} {
		t.Run(string(c.kind)+" "+string(c.track), func(t *testing.T) {
			p := newFixture(t, once)
			b := workflow.Open(p.Task)
			w, err := b.Start(t.Context(), project.HumanActor(), workflow.Request{Type: c.kind, Title: "Add retry"})
			if err != nil {
				t.Fatal(err)
			}
			f := &follower{t: t, book: b, id: w.ID, track: c.track, agent: p.agent(machine.Supervisor, core.ModePhase),
				schemas: map[string]*jsonschema.Resolved{}}
			f.learn()
			for range 60 {
				if !f.step() {
					break
				}
			}
			end, err := b.Load(w.ID)
			if err != nil || end.Phase != flow.Synthesize && end.Phase != flow.Completed {
				t.Errorf("ended in %s: %v", end.Phase, err)
			}
			if f.followed < c.seen {
				t.Errorf("only %d suggestions were made", f.followed)
			}
		})
	}
}

type follower struct {
	t        *testing.T
	book     *workflow.Store
	id       string
	track    flow.Track
	agent    *agent
	schemas  map[string]*jsonschema.Resolved
	followed int
}

// learn takes in the schemas of what this session is offered.
func (f *follower) learn() {
	f.t.Helper()
	page, err := f.agent.ListTools(f.t.Context(), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, tool := range page.Tools {
		f.schemas[tool.Name] = resolved(f.t, tool)
	}
}

func resolved(t *testing.T, tool *mcp.Tool) *jsonschema.Resolved {
	t.Helper()
	data, err := json.Marshal(tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// step asks for each phase that can come next, does what the refusals suggest, and
// then has ferrus and the human do their part.
func (f *follower) step() bool {
	f.t.Helper()
	w, err := f.book.Load(f.id)
	if err != nil {
		f.t.Fatal(err)
	}
	if w.IsFinal() || w.Phase == flow.Synthesize {
		return false
	}
	for _, way := range f.agent.use("workflow_status", nil).situation(f.t).Ways {
		if f.wrongWay(way) || !slices.Contains(way.By, machine.Supervisor) {
			continue
		}
		answer := f.agent.use("workflow_set", args{"phase": string(way.To)})
		if !answer.Refused {
			return true
		}
		for _, failed := range answer.situation(f.t).Failed {
			f.follow(failed)
		}
	}
	f.others()
	return true
}

// wrongWay leaves out the other track.
func (f *follower) wrongWay(w flow.Way) bool {
	for _, t := range []flow.Track{flow.Hotfix, flow.Thorough, flow.Polish, flow.Overhaul} {
		if t != f.track && slices.Contains(w.Guards, string(t)+"-track-selected") {
			return true
		}
	}
	return slices.Contains(w.Guards, "synthesis-opted-in") && f.track == "" // A oneshot that is not published.
}

func (f *follower) follow(failed machine.Failed) {
	f.t.Helper()
	s := failed.Suggested
	if s == nil {
		return
	}
	f.followed++
	schema := f.schemas[s.Tool]
	if schema == nil {
		f.t.Fatalf("%s suggests %s, which this session is not offered", failed.Guard, s.Tool)
	}
	if err := schema.Validate(s.Params); err != nil {
		f.t.Errorf("%s suggests arguments that %s does not take: %v", failed.Guard, s.Tool, err)
	}
	if answer := f.agent.use(s.Tool, s.Params); answer.Refused {
		f.t.Errorf("%s suggests %s, which is refused: %s", failed.Guard, s.Tool, answer.Text)
	}
}

// others do what is not the supervisor's.
func (f *follower) others() {
	f.t.Helper()
	w, err := f.book.Load(f.id)
	if err != nil {
		f.t.Fatal(err)
	}
	var commands []workflow.Command
	switch w.Flow().Phase(w.Phase).Run {
	case flow.RunHuman:
		commands = []workflow.Command{{Kind: "approve", By: project.HumanActor()}}
	case flow.RunTasks:
		for i, t := range w.Tasks {
			if t.Status == workflow.Pending {
				loop := fmt.Sprintf("t-%d", i)
				commands = append(commands, workflow.Command{Kind: "assigned", By: project.FerrusActor(),
					Task: &workflow.Task{ID: t.ID, Loop: loop}},
					workflow.Command{Kind: "settled", By: project.FerrusActor(),
						Task: &workflow.Task{ID: t.ID, Status: workflow.Done}})
			}
		}
		commands = append(commands, workflow.Command{Kind: "disbanded", By: project.FerrusActor()})
	case flow.RunGate, flow.RunEdit:
		passed := true
		if w.Phase != "polish-implement" && len(w.Flow().Phase(w.Phase).Takes) == 0 || w.Phase == "implementing" {
			commands = []workflow.Command{{Kind: "validated", By: project.FerrusActor(),
				Gate: &workflow.Validation{TestsPass: &passed}}}
		}
	}
	for _, c := range commands {
		if _, err := f.book.Do(f.t.Context(), f.id, store.Call{}, c); err != nil {
			f.t.Fatalf("%s in %s: %v", c.Kind, w.Phase, err)
		}
	}
}

// An agent may not record an approval, a verdict of the gate or a merge.
func TestAgentsDecideNothing(t *testing.T) {
	p := newFixture(t, once)
	if _, err := workflow.Open(p.Task).Start(t.Context(), project.HumanActor(),
		workflow.Request{Type: flow.Feature, Title: "Add retry"}); err != nil {
		t.Fatal(err)
	}
	a := p.agent(machine.Supervisor, core.ModePhase)
	for _, updates := range []args{
		{"planReview": args{"approved": true}}, {"validation": args{"testsPass": true}},
		{"_cleanup": args{"mergeVerified": true}},
		{"phase": "completed"}, {"synthesis": args{"prUrl": "https://example.com/1"}}, {"tasks": []any{}},
	} {
		if answer := a.use("workflow_set", args{"updates": updates}); !answer.Refused {
			t.Errorf("the updates %v were recorded, want a refusal", updates)
		}
	}
	answer := a.use("workflow_set", args{"phase": "synthesize"})
	if !answer.Refused || answer.Code != machine.NoSuchTransition {
		t.Errorf("skipped the review: %s", answer.Text)
	}
	if answer := a.use("workflow_set", args{"phase": "plan"}); answer.guards() != "design-artifact-exists" {
		t.Errorf("refused by %q: %s", answer.guards(), answer.Text)
	}
}
