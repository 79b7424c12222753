package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ferrus/hq/core"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// The arguments of the workflow's tools.
type (
	nothing   struct{}
	setValues struct {
		Updates *workflow.Updates `json:"updates,omitempty" jsonschema:"the evidence to record"`
		Phase   string            `json:"phase,omitempty" jsonschema:"the phase to enter with it, both or neither"`
	}
	plannedTasks struct {
		Tasks []plannedTask `json:"tasks" jsonschema:"the tasks, in the order in which they are carried out"`
	}
	plannedTask struct {
		ID    string   `json:"id" jsonschema:"a short name of its own"`
		Title string   `json:"title,omitempty" jsonschema:"one line; without it, the first of the text"`
		Text  string   `json:"text" jsonschema:"the whole task as Markdown; who carries it out knows only this"`
		After []string `json:"after,omitempty" jsonschema:"ids of tasks that must be complete first"`
	}
	reviewed struct {
		Dimension string `json:"dimension" jsonschema:"one of the required dimensions, as workflow_status lists them"`
		Verdict   string `json:"verdict" jsonschema:"pass, fail or blocked"`
		Findings  string `json:"findings,omitempty" jsonschema:"what was found: file, problem, what would be accepted"`
	}
	selected struct {
		Track string `json:"track" jsonschema:"hotfix or thorough of a debug, polish or overhaul of a refactor"`
	}
	because struct {
		Reason string `json:"reason,omitempty" jsonschema:"why, in a sentence or two"`
	}
)

var phases = []core.Mode{core.ModePhase}

// workflowTools are the tools of who carries out a phase.
var workflowTools = []tool{
	{name: "workflow_status", title: "Show the workflow", roles: supervisor, modes: phases, reads: true,
		accepts: nothing{},
		about: "Show where the open workflow stands: request, phase, what was recorded, tasks, reviews, and for " +
			"each phase that can come next what is missing. Call it first. Changes nothing.",
		run: (*server).workflowStatus},
	{name: "workflow_set", title: "Record evidence, enter a phase", roles: supervisor, modes: phases, once: true,
		accepts: setValues{},
		about: "Record evidence of the present phase and, if phase is given, enter that phase. Refused with every " +
			"guard that failed, and the call that would satisfy it.",
		run: carried(func(a *setValues) workflow.Command {
			return workflow.Command{Kind: workflow.KindSet, Updates: a.Updates, To: machine.State(a.Phase)}
		})},
	{name: "plan_tasks", title: "Plan the tasks", roles: supervisor, modes: phases, once: true, accepts: plannedTasks{},
		about: "Give the tasks of the plan, in order. ferrus carries each out through the task loop: executor, " +
			"check gate, review. In a round of rework, give the tasks that fix what was found.",
		run: carried(planned)},
	{name: "record_review", title: "Record a verdict", roles: supervisor, modes: phases, once: true,
		accepts: reviewed{},
		about:   "Record the verdict of one review dimension on the whole change. Every required dimension needs one.",
		run: carried(func(a *reviewed) workflow.Command {
			return workflow.Command{Kind: workflow.KindRecordReview, Dimension: a.Dimension, Verdict: a.Verdict,
				Text: a.Findings}
		})},
	{name: "select_track", title: "Choose the track", roles: supervisor, modes: phases, once: true, accepts: selected{},
		about: "Choose the track of a debug or refactor workflow: hotfix for a simple bug, thorough for a complex " +
			"one; polish for a small change, overhaul for a large one.",
		run: carried(func(a *selected) workflow.Command {
			return workflow.Command{Kind: workflow.KindSelectTrack, Track: flow.Track(a.Track)}
		})},
	{name: "request_synthesize", title: "Ask for publication", roles: supervisor, modes: phases, once: true,
		accepts: because{},
		about: "Ask that the work is published, where the policy is on-request. Under always and never it changes " +
			"nothing. It cannot be withdrawn.",
		run: carried(func(a *because) workflow.Command {
			return workflow.Command{Kind: workflow.KindRequestSynthesis, Text: a.Reason}
		})},
	{name: "finalize_oneshot", title: "End a oneshot", roles: supervisor, modes: phases, accepts: nothing{},
		about: "End a oneshot whose gate has passed: into synthesize or completed, as its policy and the requests say.",
		run:   carried(func(*nothing) workflow.Command { return workflow.Command{Kind: workflow.KindFinalize} })},
	{name: "escalate", title: "Hand the decision to the human", roles: supervisor, modes: phases, once: true,
		accepts: because{},
		about:   "Stop the workflow in blocked, where the human decides. Only for what you cannot decide; say why.",
		run: carried(func(a *because) workflow.Command {
			return workflow.Command{Kind: workflow.KindEscalate, Text: a.Reason}
		})},
}

func planned(a *plannedTasks) workflow.Command {
	c := workflow.Command{Kind: workflow.KindPlanTasks}
	for _, t := range a.Tasks {
		c.Tasks = append(c.Tasks, workflow.Task{ID: t.ID, Title: t.Title, Text: t.Text, After: t.After})
	}
	return c
}

// carried is a tool that is a command on the open workflow and nothing more.
func carried[A any](command func(*A) workflow.Command) func(*server, *call) (*outcome, error) {
	return func(s *server, c *call) (*outcome, error) {
		b := workflow.Open(s.project)
		w, err := b.Find()
		if err != nil {
			return nil, s.noWorkflow(c, err)
		}
		command := command(c.value.(*A))
		command.By = c.by
		after, err := b.Do(c, w.ID, c.id, command)
		if err != nil {
			return nil, err
		}
		return s.position(b, after, core.StatusNoted)
	}
}

func (s *server) workflowStatus(c *call) (*outcome, error) {
	b := workflow.Open(s.project)
	w, err := b.Find()
	if err != nil {
		return nil, s.noWorkflow(c, err)
	}
	return s.position(b, w, core.StatusOpen)
}

// noWorkflow refuses where none is open.
func (s *server) noWorkflow(c *call, err error) error {
	if !strings.HasPrefix(err.Error(), workflow.ErrNoneOpen.Error()) {
		return err
	}
	return &machine.Refusal{
		Code: machine.NoSuchTransition, Machine: "workflow", Event: machine.Kind(c.tool.name), By: c.by.Role,
		Failed: []machine.Failed{{Guard: "workflow-open", Reason: "no workflow is open",
			Expected: "a workflow that the human started",
			Fix:      "the human must act: ferrus workflow start <type> <title>"}},
	}
}

// workflowResult is what the workflow's tools answer.
type workflowResult struct {
	*core.Result
	Workflow string          `json:"workflow"`
	Type     flow.Type       `json:"workflowType"`
	Title    string          `json:"title"`
	Request  string          `json:"request,omitempty"`
	Phase    machine.State   `json:"phase"`
	Takes    []flow.Evidence `json:"takes,omitempty"` // what workflow_set records now
	Ways     []flow.Way      `json:"ways"`
	Required []string        `json:"requiredReviews"`
	Notes    string          `json:"notes,omitempty"` // what this phase has to know
	workflow.Recorded
	Tasks []workflow.Task `json:"tasks,omitempty"`
}

// position is where a workflow is, for the session that carries it out.
func (s *server) position(b *workflow.Store, w workflow.Workflow, status core.Status) (*outcome, error) {
	living, err := b.Executor()
	if err != nil {
		return nil, err
	}
	full := workflowResult{
		Result:   &core.Result{Status: status, State: w.Phase, Seq: w.Seq},
		Workflow: w.ID, Type: w.Type, Title: w.Title, Request: w.Request, Phase: w.Phase,
		Takes:    w.Flow().Phase(w.Phase).Takes,
		Ways:     w.Flow().Ways(w.Snap(), machine.Supervisor, w.Facts(workflow.Observed{Living: living})),
		Required: w.Required, Notes: w.Notes, Recorded: w.Recorded, Tasks: w.Tasks,
	}
	if full.Ways == nil {
		full.Ways = []flow.Way{}
	}
	full.Next = nextOf(w, full.Ways)
	return &outcome{base: full.Result, full: &full}, nil
}

// nextOf says what the session does now: what is missing first, or its end.
func nextOf(w workflow.Workflow, ways []flow.Way) string {
	switch run := w.Flow().Phase(w.Phase).Run; run {
	case flow.RunHuman:
		return "end your session: the human decides"
	case flow.RunGate, flow.RunPublish, "":
		return "end your session: ferrus continues"
	}
	for _, way := range ways {
		if len(way.Failed) == 0 {
			return fmt.Sprintf("workflow_set with phase %s, or end your session: ferrus continues", way.To)
		}
	}
	for _, way := range ways {
		for _, f := range way.Failed {
			if f.Suggested != nil {
				return "call " + f.Suggested.Tool + ": " + f.Reason
			}
		}
	}
	return "end your session: ferrus continues"
}

// typed is the schema of a struct of arguments, without the null that a pointer
// stands for: who has nothing to say leaves a member out.
func typed(arguments any) (map[string]any, error) {
	schema, err := jsonschema.ForType(reflect.TypeOf(arguments), nil)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	withoutNull(plain)
	if plain["properties"] == nil {
		plain["properties"] = map[string]any{}
	}
	return plain, nil
}

func withoutNull(node any) {
	switch node := node.(type) {
	case map[string]any:
		if types, ok := node["type"].([]any); ok {
			for _, t := range types {
				if t != "null" {
					node["type"] = t
				}
			}
		}
		for _, below := range node {
			withoutNull(below)
		}
	case []any:
		for _, below := range node {
			withoutNull(below)
		}
	}
}

// bindTyped reads arguments into the struct of the tool; what it does not know is
// refused.
func (t tool) bindTyped(data json.RawMessage) (any, map[string]string, error) {
	value := reflect.New(reflect.TypeOf(t.accepts)).Interface()
	text := cmp.Or(strings.TrimSpace(string(data)), "{}")
	if len(text) > textLimit {
		return nil, nil, t.misuse("the arguments are longer than 4 MiB", "shorter texts; put what is long into a file")
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return nil, nil, t.misuse("the arguments do not fit: "+strings.TrimPrefix(err.Error(), "json: "),
			"the arguments of its schema")
	}
	return value, map[string]string{"": text}, nil
}
