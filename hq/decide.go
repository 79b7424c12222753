package hq

import (
	"time"

	"ferrus/machine"
)

// New is the World before any task: Idle since now.
func New(now time.Time) World {
	return World{State: "Idle", Since: stamp(now), Paused: []machine.State{}}
}

// stamp is a time as STATE.json gives it back: UTC, without a monotonic reading.
func stamp(t time.Time) time.Time { return t.UTC().Round(0) }

// Decide answers one command. The error is a [*machine.Refusal], and then
// nothing has changed. It looks at nothing but its arguments.
//
//   - Decision.Event is empty when there is nothing for the journal: the lease was
//     renewed, or a running gate was joined.
//   - claim is wait_for_task and wait_for_review: while there is nothing to claim it
//     is refused with the guard nothing-to-claim. The texts of Result.Claimed are
//     filled in by who has the store; see [World.Exchanges].
//   - submit on a tree that is not proven starts the gate instead: the Decision's
//     event is check, the status running, the ticket is to be waited for, and then
//     submit is asked for again with the same text.
//   - approve with a moved tree is refused with the guard tree-unchanged; if
//     [World.Moved] says so, the caller gives the command voided, by ferrus.
//   - check_cancelled with Gate.Lost cancels as gate lost; gate_lost counts one more
//     dead runner, keeps the ticket running, and cancels it at the third.
//   - resume with a Text clears only a hold of that reason.
func Decide(w World, c Command, lim Limits) (Decision, error) {
	return Decision{}, &machine.Refusal{Code: machine.NoSuchTransition, Machine: "task", State: w.State, Event: c.Kind}
}

// Plan says what should be going on in w. Unmanaged tells that a session outside
// the conductor holds a valid lease.
func Plan(w World, wants []Want, living []Living, unmanaged bool) Going { return Going{} }

// Options are the moves that are open now, and to whom.
func Options(w World) []machine.Option { return nil }

// Next is what a role should do now, in words that name the tool.
func Next(w World, role machine.Role) string { return "" }

// Explain says where the task stands, what is open to whom, and why the rest is not.
func Explain(w World) string { return "" }

// TaskTitle is the first line of a task that says something, at most 72 cells.
func TaskTitle(text string) string { return "" }

// GateRunning reports that a check gate has no verdict yet.
func (w World) GateRunning() bool {
	return w.State == "Checking" && w.Gate != nil && w.Gate.Verdict == ""
}

// LeaseFree reports that the lease may be taken.
func (w World) LeaseFree(f Facts) bool { return w.ClaimedBy == "" }

// Moved reports that tree is known and is not the submitted one.
func (w World) Moved(tree string) bool {
	return tree != "" && w.Submission != nil && w.Submission.Tree != tree
}

// Exchanges are the consultations and answers that were given to role in this
// task and that a restarted session must be told again; text reads a text by name.
func (w World) Exchanges(role machine.Role, text func(name string) string) (consults, answers []Exchange) {
	return nil, nil
}

// GateOutcome is what the caller of check or submit is told of a ticket.
func GateOutcome(w World, ticket uint64, lim Limits) Result { return Result{} }
