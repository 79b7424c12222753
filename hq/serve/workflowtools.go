package serve

import (
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// The arguments of the workflow's tools.
type (
	noArguments  struct{}
	setArguments struct {
		Updates *workflow.Updates `json:"updates,omitempty" jsonschema:"the evidence to record"`
		Phase   string            `json:"phase,omitempty" jsonschema:"the phase to enter with it; all or nothing"`
	}
	planArguments struct {
		Tasks []plannedTask `json:"tasks" jsonschema:"the tasks, in the order to do them"`
	}
	plannedTask struct {
		ID    string   `json:"id" jsonschema:"a short id, unique in the plan"`
		Title string   `json:"title,omitempty" jsonschema:"one line; by default the first line of the text"`
		Text  string   `json:"text" jsonschema:"the whole task as Markdown; its executor knows nothing else"`
		After []string `json:"after,omitempty" jsonschema:"ids of tasks that must be complete first"`
	}
	reviewArguments struct {
		Dimension string `json:"dimension" jsonschema:"one of the required dimensions, as workflow_status lists them"`
		Verdict   string `json:"verdict" jsonschema:"pass, fail or blocked"`
		Findings  string `json:"findings,omitempty" jsonschema:"what you found: file, problem, what you would accept"`
	}
	trackArguments struct {
		Track string `json:"track" jsonschema:"hotfix or thorough of a debug, polish or overhaul of a refactor"`
	}
	reasonArgument struct {
		Reason string `json:"reason,omitempty" jsonschema:"why, in a sentence or two"`
	}
)

// workflowTools are the tools of a session that carries out a phase.
var workflowTools = []toolRow{
	{tool{name: "workflow_status", title: "Show the workflow", roles: supervisorOnly, modes: phaseMode, reads: true,
		accepts: noArguments{},
		about: "Show where the open workflow stands: request, phase, recorded evidence, tasks, reviews, and what " +
			"each possible next phase still needs. Call it first. Changes nothing."},
		showWorkflow},
	{tool{name: "workflow_set", title: "Record evidence, enter a phase", roles: supervisorOnly,
		modes: phaseMode, once: true,
		accepts: setArguments{},
		about: "Record evidence of the current phase and, if phase is given, enter that phase. A refusal names " +
			"every guard that failed and the call that would satisfy it."},
		toWorkflow(func(a *setArguments) workflow.Command {
			return workflow.Command{Kind: workflow.KindSet, Updates: a.Updates, To: machine.State(a.Phase)}
		})},
	{tool{name: "plan_tasks", title: "Plan the tasks", roles: supervisorOnly, modes: phaseMode, once: true,
		accepts: planArguments{},
		about: "Set the tasks of the plan, in order. ferrus takes each through the task loop: executor, check gate, " +
			"review. In a round of rework, give the tasks that fix the findings."},
		toWorkflow(planCommand)},
	{tool{name: "record_review", title: "Record a verdict", roles: supervisorOnly, modes: phaseMode, once: true,
		accepts: reviewArguments{},
		about:   "Record the verdict of one review dimension on the whole change. Every required dimension needs one."},
		toWorkflow(func(a *reviewArguments) workflow.Command {
			return workflow.Command{Kind: flow.KindRecordReview, Dimension: a.Dimension, Verdict: a.Verdict,
				Text: a.Findings}
		})},
	{tool{name: "select_track", title: "Choose the track", roles: supervisorOnly, modes: phaseMode, once: true,
		accepts: trackArguments{},
		about: "Choose the track of a debug or refactor workflow: hotfix for a simple bug, thorough for a complex " +
			"one; polish for a small change, overhaul for a large one."},
		toWorkflow(func(a *trackArguments) workflow.Command {
			return workflow.Command{Kind: flow.KindSelectTrack, Track: flow.Track(a.Track)}
		})},
	{tool{name: "request_synthesize", title: "Request publication", roles: supervisorOnly, modes: phaseMode, once: true,
		accepts: reasonArgument{},
		about: "Request that the work is published, where the policy is on-request; under always and never this " +
			"changes nothing. A request cannot be withdrawn."},
		toWorkflow(func(a *reasonArgument) workflow.Command {
			return workflow.Command{Kind: flow.KindRequestSynthesis, Text: a.Reason}
		})},
	{tool{name: "finalize_oneshot", title: "End a oneshot", roles: supervisorOnly, modes: phaseMode,
		accepts: noArguments{},
		about: "Say that the work of a oneshot is done. ferrus runs the gate, and a pass ends the oneshot in " +
			"synthesize or completed, depending on its policy and the requests. Then end your session."},
		toWorkflow(func(*noArguments) workflow.Command { return workflow.Command{Kind: workflow.KindFinalize} })},
	{tool{name: "escalate", title: "Hand the decision to the human", roles: supervisorOnly,
		modes: phaseMode, once: true,
		accepts: reasonArgument{},
		about: "Stop the workflow in blocked, where the human decides. Only for what you cannot decide " +
			"yourself; say why."},
		toWorkflow(func(a *reasonArgument) workflow.Command {
			return workflow.Command{Kind: flow.KindEscalate, Text: a.Reason}
		})},
}

func planCommand(a *planArguments) workflow.Command {
	c := workflow.Command{Kind: flow.KindPlanTasks}
	for _, t := range a.Tasks {
		c.Tasks = append(c.Tasks, workflow.Task{ID: t.ID, Title: t.Title, Text: t.Text, After: t.After})
	}
	return c
}
