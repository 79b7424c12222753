package tui

import (
	"context"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/spec"
	"ferrus/hq/workflow"
)

// Engine is what carries out what the screen asks for. Its methods are called
// from several goroutines.
type Engine interface {
	// View is what is true now. It is asked for up to 120 times a second.
	View() conductor.View
	// Changed says that View has something new; it is coalesced.
	Updates() <-chan struct{}
	// Do gives a command as the person.
	Do(ctx context.Context, c core.Command) (core.Result, error)
	// Specs reads the specifications as they are now.
	Specs() ([]spec.Spec, error)
	// Choose selects a milestone of a specification; empty both, nothing.
	Choose(ctx context.Context, name, milestone string) error
	// Workflow is the one that is open, else the newest, and its story as Markdown.
	Workflow() (workflow.Workflow, string, error)
	// StartWorkflow begins one of a type with a title.
	StartWorkflow(ctx context.Context, kind, title string) (workflow.Workflow, error)
	// Decide answers the open workflow: approve, revise, unblock, replan, cancel.
	Decide(ctx context.Context, kind, text string) (workflow.Workflow, error)
	// Want asks for a session.
	Want(w core.Request) error
	// Start starts the session of one slot now.
	Start(slot core.Slot) error
	// Resume clears a hold and goes on; it says what that led to.
	Resume(ctx context.Context) (string, error)
	// Tell leaves a message for a slot's session; it says which that will be.
	SendMessage(slot core.Slot, text string) (string, error)
	// LandPlan says what would land.
	LandPlan(ctx context.Context, o land.Options) (land.Plan, error)
	// Land brings approved work home.
	Land(ctx context.Context, o land.Options) (land.Done, error)
	// Stop ends all sessions and sets the hold stop.
	Stop(ctx context.Context) error
	// CheckForce runs the gate and records it, but changes no state.
	CheckForce(ctx context.Context) error
	// CheckCancel ends the gate that runs.
	CheckCancel(ctx context.Context) error
	// Story reads what belongs to an entry of the journal.
	ReadEntry(seq uint64) (conductor.EntryDetail, error)
	// Change reads what the task changed up to now.
	Diff(ctx context.Context) (conductor.Diff, error)
	// SetModel chooses what a role runs on; an empty model is the agent's own.
	SetModel(role, model string) error
	// Input is typed into a slot's session. One slot's calls come in order.
	Input(slot core.Slot, data []byte)
	// Resize is the size of a slot's terminal, also before its first session.
	Resize(slot core.Slot, columns, rows int)
	// Close ends all sessions. With hold, a task that is open is held until the
	// person resumes. The deck calls it or Leave once, after the terminal is back.
	Close(hold bool) error
	// Leave lets all sessions run on; the next HQ has them again.
	Detach() error
}
