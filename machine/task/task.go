// Package task is the machine of one task: written, implemented, checked by
// ferrus, reviewed, sent back, and in the end done or given up; paused while
// somebody is asked.
//
// [Table] is the whole of it. Events carry the facts that its guards look at;
// texts, trees and times stay with the caller. Tickets number what is asked, and
// an answer with an old number is refused with STALE.
package task

import "ferrus/machine"

// The states.
const (
	Idle          machine.State = "Idle"
	Executing     machine.State = "Executing"
	Checking      machine.State = "Checking"     // the gate runs, or has passed
	Addressing    machine.State = "Addressing"   // executing again, with a report or notes
	Consultation  machine.State = "Consultation" // the executor asked the supervisor
	AwaitingHuman machine.State = "AwaitingHuman"
	Reviewing     machine.State = "Reviewing"
	Complete      machine.State = "Complete"
	Failed        machine.State = "Failed"
)

// States in the order in which a task meets them.
var States = []machine.State{Idle, Executing, Checking, Addressing, Consultation, AwaitingHuman, Reviewing, Complete, Failed}

// Data is what a task counts, what it waits for and where its pauses return to.
// It holds what is open only: an answered ticket is forgotten, and so is late.
type Data struct {
	Retries  int           // gates failed in a row
	Cycles   int           // rejections
	Voided   int           // submissions that moved under the review, at most VoidedLimit
	Paused   machine.Stack // what answers return to
	Gate     Gate          // while Checking, or paused from it
	Consult  Asked         // while Consultation, or paused from it
	Question uint64        // its ticket, while AwaitingHuman
}

// Gate is the check gate of a task in Checking.
type Gate struct {
	Ticket uint64
	From   machine.State // Executing or Addressing, never Checking
	Passed bool          // otherwise it runs
	Lost   int           // its runners that died
}

// Asked is a consultation.
type Asked struct {
	Ticket   uint64
	Answered bool
}

// Limits end a task that does not converge. A limit of 0 is as strict as 1.
type Limits struct {
	CheckRetries int // this many failed gates in a row are Failed
	ReviewCycles int // this many rejections are Failed
}

// VoidedLimit is the number of voided submissions at which the person is asked;
// LostLimit that of dead runners at which a gate is given up.
const (
	VoidedLimit = 3
	LostLimit   = 3
)

// Snap is where a task is.
type Snap = machine.Snap[Data]

// Start is a project without a task.
var Start = Snap{At: Idle}

// Lease is how the caller stands to the lease on the task.
type Lease struct {
	Held bool // the caller holds it
	Lost bool // it was the caller's and was taken by another
	Free bool // nobody holds it
}

// Outcome is what the verdict of a gate means to the table.
type Outcome string

// The outcomes. Green is PASS; Red is FAIL, TIMEOUT and CHANGED.
const (
	Green    Outcome = "green"
	Red      Outcome = "red"
	Unproven Outcome = "unproven"
)

// What can happen to a task. A Ticket is a new one where something is asked, and
// the one that is answered where something is answered; 0 answers nothing.
// Text says that the event brings a text that is not blank.
type (
	CreateTask struct {
		Text   bool
		Ending bool // a session of the task before still lives
	}
	Check struct {
		Lease
		Ticket uint64
	}
	Checked struct {
		Ticket  uint64
		Verdict Outcome
		Allowed bool // the configuration lets Unproven pass
	}
	CheckCancelled struct{ Ticket uint64 }
	GateLost       struct{ Ticket uint64 } // its runner died; who noticed runs it again
	Submit         struct {
		Lease
		Ticket   uint64 // of the gate, should it have to run first
		Text     bool
		TreeSame bool // the present tree is the one that passed
	}
	Consult struct {
		Lease
		Ticket  uint64
		Text    bool
		Missing string // the first heading of the template that the text lacks
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
		Unattended bool // a supervisor may answer
		Asker      bool // whoever answers is the one who asked
	}
	Approve struct {
		Lease
		TreeSame bool   // the present tree is the submitted one
		Why      string // which paths moved, or why the tree could not be read
		Alarms   string // what needs the person's approval; empty when nothing does
	}
	Reject struct {
		Lease
		Text bool
	}
	Voided   struct{}
	Returned struct{ Text bool } // it does not land: the branch has moved on
	Retry    struct{}
	Reset    struct{}
)

// The kinds of the events, spelled as in the journal and in tools.
const (
	KindCreateTask     machine.Kind = "create_task"
	KindCheck          machine.Kind = "check"
	KindChecked        machine.Kind = "checked"
	KindCheckCancelled machine.Kind = "check_cancelled"
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
	KindReturned       machine.Kind = "returned"
	KindRetry          machine.Kind = "retry"
	KindReset          machine.Kind = "reset"
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
func (Retry) Kind() machine.Kind          { return KindRetry }
func (Reset) Kind() machine.Kind          { return KindReset }

func (l Lease) lease() Lease             { return l }
func (e CreateTask) hasText() bool       { return e.Text }
func (e Submit) hasText() bool           { return e.Text }
func (e Consult) hasText() bool          { return e.Text }
func (e RespondConsult) hasText() bool   { return e.Text }
func (e AskHuman) hasText() bool         { return e.Text }
func (e Answer) hasText() bool           { return e.Text }
func (e Reject) hasText() bool           { return e.Text }
func (e Returned) hasText() bool         { return e.Text }
func (e Checked) answers() uint64        { return e.Ticket }
func (e CheckCancelled) answers() uint64 { return e.Ticket }
func (e GateLost) answers() uint64       { return e.Ticket }
func (e RespondConsult) answers() uint64 { return e.Ticket }
func (e Answer) answers() uint64         { return e.Ticket }
