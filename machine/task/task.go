// Package task is the machine of one task, the core loop of ferrus: a task is
// written, implemented, checked by ferrus, reviewed, sent back, and finally
// Complete or Failed. It pauses while the supervisor or the human is asked.
//
// [Table] holds all of its rules. Events carry the facts that the guards look at;
// texts, trees and times stay with the caller.
//
// Every request (a gate, a consultation, a question to the human) has a ticket, a
// number that is never reused in a project. The answer carries the number, and one
// with an old number is refused with STALE: an agent or a gate that answers too
// late changes nothing.
package task

import "ferrus/machine"

// The states. They are stored in STATE.json and in the journal under these names.
const (
	Idle      machine.State = "Idle" // no task
	Executing machine.State = "Executing"
	// A passed gate stays here until submit, so that the proof is not lost by waiting.
	Checking machine.State = "Checking" // the gate runs, or has passed
	// The rows treat it as Executing; the prompt and the screen do not.
	Addressing    machine.State = "Addressing"    // executing again, with a report or notes
	Consultation  machine.State = "Consultation"  // the executor asked the supervisor
	AwaitingHuman machine.State = "AwaitingHuman" // an agent asked the human
	Reviewing     machine.State = "Reviewing"
	// Final but for Returned, reset and the next task.
	Complete machine.State = "Complete" // approved; it has still to land
	Failed   machine.State = "Failed"   // a limit is used up: the human retries or resets
)

// States in the order in which a task meets them.
var States = []machine.State{Idle, Executing, Checking, Addressing, Consultation, AwaitingHuman, Reviewing,
	Complete, Failed}

// Data is what a task counts, what it waits for and where its pauses return to.
//
// It holds only what is open. A ticket is forgotten once it is answered, so that a
// second answer to it is late, and every number in Data keeps the number of snapshots
// finite: counters stop at their limits. The zero Data is a task that has just begun,
// and no task.
type Data struct {
	Retries int // failed gates in a row, below Limits.CheckRetries unless Failed
	// A voided submission is no rejection.
	Cycles int // rejections of this task, below Limits.ReviewCycles unless Failed
	Voided int // submissions whose tree changed during the review, at most VoidedLimit
	// One state in Consultation, one or two in AwaitingHuman, otherwise none.
	Paused machine.Stack // the states that answers return to
	// It survives a pause, because the answer returns to the passed gate.
	// No agent alone approves what it proved.
	Flaky    bool   // the checks failed and passed on its tree: while Checking or Reviewing, or paused from it
	Gate     Gate   // while Checking or paused from it; otherwise zero
	Consult  Asked  // while Consultation or paused from it; otherwise zero
	Question uint64 // the ticket, while AwaitingHuman; otherwise 0
}

// Gate is the check gate of a task in Checking.
type Gate struct {
	Ticket uint64
	From   machine.State // where a cancelled gate returns to: Executing or Addressing, never Checking
	Passed bool          // its verdict lets the executor submit; false: it runs
	// Per ticket: a new gate starts at 0.
	Lost int // runners of this ticket that died, below LostLimit
}

// Asked is a consultation: the executor's question to the supervisor. The zero Asked is
// none.
type Asked struct {
	Ticket   uint64
	Answered bool
}

// Limits end a task that does not converge. A limit of 0 is as strict as 1. They are no
// part of the snapshot: a limit that is lowered below a counter takes effect at the
// next failure.
type Limits struct {
	CheckRetries int // this many failed gates in a row are Failed
	ReviewCycles int // this many rejections are Failed
}

// Limits that no configuration changes. At VoidedLimit voided submissions the human is
// asked, at LostLimit dead runners the gate is cancelled: each repeats itself for a
// reason that the loop cannot remove.
const (
	VoidedLimit = 3
	LostLimit   = 3
)

// Snap is one snapshot of a task.
type Snap = machine.Snap[Data]

// Start is the snapshot of a project without a task.
var Start = Snap{At: Idle}

// Lease says how the caller stands to the lease, the time-limited exclusive claim on
// the task. The zero value is a caller while another session holds it. Held and Free
// are both true if the caller's own lease has expired and was not taken yet. The
// machine does not know who has it. Its caller finds out under the lock of the state
// and says so with each event.
type Lease struct {
	Held bool // the caller holds it
	Lost bool // it was the caller's and was taken by another session
	Free bool // it can be claimed
}

// Outcome is what the verdict of a gate means to the table; CANCELLED is the event
// [CheckCancelled] instead.
type Outcome string

// The outcomes. Green is PASS; Red is FAIL and TIMEOUT.
const (
	Green    Outcome = "green"
	Red      Outcome = "red"
	Unproven Outcome = "unproven"
	Flaky    Outcome = "flaky" // a pass, of a tree on which the checks failed, too
)

// The events of a task.
//
// Ticket is a new number where something is asked, and the number that is answered
// where something is answered; answering 0 answers whatever is open. Text reports
// that the event brings a text that is not blank; the text itself is the caller's.
type (
	CreateTask struct {
		Text bool
		// Its writes could otherwise fall into the new task.
		Ending bool // a session of the previous task is still running
	}
	Check struct {
		Lease
		Ticket uint64
	}
	Checked struct {
		Ticket  uint64
		Verdict Outcome
		// Ignored for every other verdict.
		Allowed bool // [checks] allow_none lets Unproven pass
	}
	// By ferrus or the human; no verdict counts.
	CheckCancelled struct{ Ticket uint64 }
	GateLost       struct{ Ticket uint64 } // its runner died; the conductor starts the same ticket again
	Submit         struct {
		Lease
		Ticket uint64 // of the gate, should it have to run first
		Text   bool
		// False also if either is unknown; then the gate runs again.
		TreeSame bool // the present tree is the tree that passed
		Quick    bool // only the quick commands ran on it
	}
	Consult struct {
		Lease
		Ticket  uint64
		Text    bool
		Missing string // the first heading of the template that the text lacks; empty: none
	}
	RespondConsult struct {
		Ticket uint64
		Text   bool
	}
	WaitForConsult struct{ Lease }
	AskHuman       struct {
		Lease
		Ticket uint64
		Text   bool
	}
	Answer struct {
		Ticket     uint64
		Text       bool
		Unattended bool // [hq] unattended: a supervisor may answer
		// A session that could answer itself would not have to ask.
		Asker bool // the answering session is the asking one
	}
	Approve struct {
		Lease
		// False also if it could not be read.
		TreeSame bool   // the present tree is the submitted one
		Why      string // which paths changed, or why the tree could not be read
		Alarms   string // what only the human may approve, in words; empty: nothing
	}
	Reject struct {
		Lease
		Text bool
	}
	Voided   struct{}            // the tree under review is not the submitted one
	Returned struct{ Text bool } // the work does not land, or the human has comments on it
	// Rejudge reports that the approved change is another one on what the branch has become.
	Rejudge struct {
		Text   bool
		Proven bool // the checks passed on the tree that is reviewed again
		Flaky  bool // and failed on it
	}
	Retry struct{} // a Failed task tries again with fresh counters
	Reset struct{} // the task is archived
)

// The kinds of the events, spelled as in the journal and in the tools of agents.
const (
	// By the supervisor or the human.
	KindCreateTask machine.Kind = "create_task"
	KindCheck      machine.Kind = "check"
	// The gate's verdict, by ferrus alone. An agent never reports one.
	KindChecked        machine.Kind = "checked"
	KindCheckCancelled machine.Kind = "check_cancelled"
	// By ferrus, which found the gate's lock free.
	KindGateLost       machine.Kind = "gate_lost"
	KindSubmit         machine.Kind = "submit"
	KindConsult        machine.Kind = "consult"
	KindRespondConsult machine.Kind = "respond_consult"
	KindWaitForConsult machine.Kind = "wait_for_consult"
	KindAskHuman       machine.Kind = "ask_human"
	KindAnswer         machine.Kind = "answer"
	KindApprove        machine.Kind = "approve"
	KindReject         machine.Kind = "reject"
	KindVoided         machine.Kind = "voided"
	// By ferrus, from a landing, or by the human with comments.
	KindReturned machine.Kind = "returned"
	// By ferrus, from a merge queue.
	KindRejudge machine.Kind = "rejudge"
	KindRetry   machine.Kind = "retry"
	KindReset   machine.Kind = "reset"
)

func (CreateTask) Kind() machine.Kind     { return KindCreateTask }
func (Check) Kind() machine.Kind          { return KindCheck }
func (Checked) Kind() machine.Kind        { return KindChecked }
func (CheckCancelled) Kind() machine.Kind { return KindCheckCancelled }
func (GateLost) Kind() machine.Kind       { return KindGateLost }
func (Submit) Kind() machine.Kind         { return KindSubmit }
func (Consult) Kind() machine.Kind        { return KindConsult }
func (RespondConsult) Kind() machine.Kind { return KindRespondConsult }
func (WaitForConsult) Kind() machine.Kind { return KindWaitForConsult }
func (AskHuman) Kind() machine.Kind       { return KindAskHuman }
func (Answer) Kind() machine.Kind         { return KindAnswer }
func (Approve) Kind() machine.Kind        { return KindApprove }
func (Reject) Kind() machine.Kind         { return KindReject }
func (Voided) Kind() machine.Kind         { return KindVoided }
func (Returned) Kind() machine.Kind       { return KindReturned }
func (Rejudge) Kind() machine.Kind        { return KindRejudge }
func (Retry) Kind() machine.Kind          { return KindRetry }
func (Reset) Kind() machine.Kind          { return KindReset }

// Guards reach a field of several events through these methods: lease for the lease,
// hasText for Text, answers for the ticket of an answer.

func (l Lease) lease() Lease             { return l }
func (e CreateTask) hasText() bool       { return e.Text }
func (e Submit) hasText() bool           { return e.Text }
func (e Consult) hasText() bool          { return e.Text }
func (e RespondConsult) hasText() bool   { return e.Text }
func (e AskHuman) hasText() bool         { return e.Text }
func (e Answer) hasText() bool           { return e.Text }
func (e Reject) hasText() bool           { return e.Text }
func (e Returned) hasText() bool         { return e.Text }
func (e Rejudge) hasText() bool          { return e.Text }
func (e Checked) answers() uint64        { return e.Ticket }
func (e CheckCancelled) answers() uint64 { return e.Ticket }
func (e GateLost) answers() uint64       { return e.Ticket }
func (e RespondConsult) answers() uint64 { return e.Ticket }
func (e Answer) answers() uint64         { return e.Ticket }
