package slash

import (
	"context"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/hq/workflow"
	"ferrus/ui/view"
)

// Env is what requests run on. Each uses a few of the fields and needs those only; the
// conductor is most of them. It has more than 12 fields because each is one small interface.
type Env struct {
	Viewer    Viewer
	Tasks     Tasks
	Sessions  Sessions
	Gate      Gate
	Humans    Humans
	Pairs     Pairs
	Landing   Landing
	Specs     Specs
	Workflows Workflows
	Models    Models
	Project   Project
	Comments  Comments
	Queue     Queue
	Adopter   Adopter

	forced forced
}

// Viewer returns what is shown: the newest state of the task, its sessions and the queue.
type Viewer interface {
	View() conductor.View
}

// Tasks takes the moves of the human on a task.
type Tasks interface {
	Do(ctx context.Context, c core.Command) (core.Result, error)
	// WholeRequest returns all of what a request for permission wants; empty: the task has no such request.
	WholeRequest(number uint64) (string, error)
}

// Sessions starts, stops and reaches the sessions of agents.
type Sessions interface {
	// Want asks for a session.
	Want(w core.Request) error
	// Start starts the session of one slot now.
	Start(slot core.Slot) error
	// TakeLease takes the work of a slot from the session that has it, and starts another.
	TakeLease(ctx context.Context, slot core.Slot) error
	// Resume clears a hold and continues; it says what that led to.
	Resume(ctx context.Context) (string, error)
	// SwitchScreen continues a slot's session on its program's own screen, or back; it returns which.
	SwitchScreen(slot core.Slot) (string, error)
	// SendMessage leaves a message for a slot's session; it says which that will be.
	SendMessage(slot core.Slot, text string) (string, error)
	// Stop stops all sessions and sets the hold stop.
	Stop(ctx context.Context) error
}

// Gate runs the checks beside the task, and trusts their commands.
type Gate interface {
	// CheckForce runs the gate and records it, but changes no state.
	CheckForce(ctx context.Context) error
	// CheckCancel ends the gate that runs.
	CheckCancel(ctx context.Context) error
	// Trust trusts the check commands that were shown.
	Trust(ctx context.Context, shown []string) error
}

// Humans decides on commands in other terminals that ask whether they are the human's.
type Humans interface {
	// Allow allows or denies the command with a number.
	Allow(ctx context.Context, number int, allow bool) error
}

// Pairs runs two agents beside the loop.
type Pairs interface {
	// Pair starts a run, or continues one; it says how that went.
	Pair(ctx context.Context, q pair.Request) (string, error)
}

// Landing lands approved work.
type Landing interface {
	LandPlan(ctx context.Context, o land.Options) (land.Plan, error)
	Land(ctx context.Context, o land.Options) (land.Done, error)
}

// Specs reads specs, and selects milestones.
type Specs interface {
	// Specs reads the specs as they are now.
	Specs() ([]spec.Spec, error)
	// SelectMilestone selects a milestone of a spec; empty both, nothing.
	SelectMilestone(ctx context.Context, name, milestone string) error
}

// Workflows starts and decides workflows.
type Workflows interface {
	// Workflow returns the open workflow, else the newest, and its story as Markdown.
	Workflow() (workflow.Workflow, string, error)
	// StartWorkflow starts one of a type with a title.
	StartWorkflow(ctx context.Context, kind, title string) (workflow.Workflow, error)
	// Decide answers the open workflow: approve, revise, unblock, replan, cancel.
	Decide(ctx context.Context, kind, text string) (workflow.Workflow, error)
}

// Queue orders the tasks that wait for their turn.
type Queue interface {
	// QueueSpec queues the open milestones of a specification.
	QueueSpec(ctx context.Context, s spec.Spec) ([]queue.Item, error)
	// ApproveProposed approves tasks that a supervisor proposed: all (0), or the one with a number.
	ApproveProposed(ctx context.Context, n int) ([]queue.Item, error)
	// CancelProposed takes a task that was proposed out of the queue.
	CancelProposed(ctx context.Context, n int) error
	// Rewrite gives a task that has not started another text.
	Rewrite(ctx context.Context, n int, text string) error
	// Merges returns what the merge queues do, and what was merged, in lines.
	Merges() ([]string, error)
	// DecideMerge decides about the named merge, or the waiting one if none is named: again, accept or
	// resume. It returns what it decided about.
	DecideMerge(ctx context.Context, what, name string) (string, error)
	// Unland queues a task that reverts what a task has landed.
	Unland(ctx context.Context, name string) (queue.Item, error)
	// Request returns the text of a task that has not started.
	Request(n int) (string, error)
}

// Models chooses what roles run on.
type Models interface {
	// SetModel chooses what a role runs on; an empty model is the agent's default.
	SetModel(role, model string) error
	// SwitchAgent gives a role to another agent, with its default model.
	SwitchAgent(role, agent string) error
}

// Project is what commands need of the project around the conductor.
type Project interface {
	Files
	// Register sets agents up as the flags of ferrus register say.
	Register(ctx context.Context, flags string) (string, error)
	// TaskTexts returns the texts of a task, archived or not, as Markdown.
	TaskTexts(id string) (string, error)
	// Stats adds up what tasks took, as lines.
	Stats() (string, error)
	// Workers lists other machines that run tasks, as lines.
	Workers(ctx context.Context) (string, error)
	// DrainWorker stops giving tasks to a worker, or starts again; it returns which.
	DrainWorker(ctx context.Context, name string, drained bool) (string, error)
	// AnswerHost says whether programs in the sandbox may reach a host, and returns it with the answer.
	AnswerHost(host string, answer advice.HostAnswer) (advice.AskedHost, error)
	// Projects returns the projects of this machine, what needs the human first.
	Projects(ctx context.Context) ([]view.Project, error)
	// Completions returns what commands are completed with, besides specs.
	Completions() view.Completions
}
