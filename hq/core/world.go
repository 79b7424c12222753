// Package core is the pure mind of ferrus.
//
// A [World] is what STATE.json says of the task loop. [Decide] answers one
// command: it returns the next World, the texts and the journal's words, or a
// refusal, and touches nothing. [Plan] says what should be going on in a World,
// so that whoever carries things out compares it with what is and starts or ends
// the difference; nothing that must happen is queued anywhere.
//
// The package reads no clock and no file: time, trees and who is alive come with
// the command as [Facts].
package core

import (
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/machine"
	"ferrus/ui/text"
)

// The texts of a task, by the names people and agents find them under.
const (
	TaskText            = "TASK.md"
	ReviewText          = "REVIEW.md"
	SubmissionText      = "SUBMISSION.md"
	QuestionText        = "QUESTION.md"
	AnswerText          = "ANSWER.md"
	ConsultRequestText  = "CONSULT_REQUEST.md"
	ConsultResponseText = "CONSULT_RESPONSE.md"
)

// World is the task loop at one moment. The zero World is Idle once it has been
// through [World.Normalize].
type World struct {
	State  machine.State   `json:"state"`
	Since  time.Time       `json:"since"`  // when State last changed
	Paused []machine.State `json:"paused"` // what answers return to, innermost last
	Epoch  uint64          `json:"epoch"`  // moves on with each task and reset
	Counters
	Lease
	Selection
	Task       *Task       `json:"task,omitempty"`
	Gate       *Gate       `json:"gate,omitempty"`
	Submission *Submission `json:"submission,omitempty"`
	Pending
	Hold *Hold `json:"hold,omitempty"`
}

// Counters guard the loop against work that does not converge.
type Counters struct {
	CheckRetries  int           `json:"check_retries"` // consecutive failed gates
	ReviewCycles  int           `json:"review_cycles"` // rejections of this task
	FailureReason string        `json:"failure_reason"`
	PausedState   machine.State `json:"paused_state,omitempty"` // the top of World.Paused
}

// Lease says who works on the task, beside the state.
type Lease struct {
	ClaimedBy     string     `json:"claimed_by,omitempty"` // executor:codex:1
	LeaseUntil    *time.Time `json:"lease_until,omitempty"`
	LastHeartbeat *time.Time `json:"last_heartbeat,omitempty"`
	Claim         *Claim     `json:"claim,omitempty"`
	// Fenced are the last sessions that lost the lease to another, to a reset, or
	// to a person's review in place of theirs:
	// what they still ask for under it is STALE.
	Fenced []string `json:"fenced,omitempty"`
}

// Claim ties a lease to one session and one process.
type Claim struct {
	Session string            `json:"session"` // first 16 hex of SHA-256 of the nonce
	Epoch   uint64            `json:"epoch"`   // the World's when it was claimed
	Managed bool              `json:"managed"` // started by a conductor
	Process *process.Identity `json:"process,omitempty"`
}

// Selection is the spec and milestone that were chosen, that are about to
// become a task, and that the task came from.
type Selection struct {
	SelectedSpec         string `json:"selected_spec,omitempty"`
	SelectedMilestone    string `json:"selected_milestone,omitempty"`
	PendingTaskSpec      string `json:"pending_task_spec,omitempty"`
	PendingTaskMilestone string `json:"pending_task_milestone,omitempty"`
	// PendingTaskChanges says that what is not committed comes along into the work
	// tree of the task that is drafted.
	PendingTaskChanges bool   `json:"pending_task_changes,omitempty"`
	TaskSpec           string `json:"task_spec,omitempty"`
	TaskMilestone      string `json:"task_milestone,omitempty"`
	// TaskTicked says that the milestone of the complete task was ticked in its
	// specification, or that it turned out that it cannot be.
	TaskTicked bool `json:"task_ticked,omitempty"`
}

// Task is the work in hand.
type Task struct {
	ID         string      `json:"id"`    // t-20261120-101500-4f2a
	Title      string      `json:"title"` // first non-empty line without #, at most 72 cells
	Base       Base        `json:"base"`
	Definition *Definition `json:"definition,omitempty"` // the gate's, pinned when the task was created
	Gates      int         `json:"gates"`                // gate attempts so far
	Asked      *Amount     `json:"asked,omitempty"`      // what was used when the person was asked about a limit last
	Workspace  *Workspace  `json:"workspace,omitempty"`  // nil: the project directory
	Landed     *Landed     `json:"landed,omitempty"`     // nil: not yet
	Origin     *Origin     `json:"origin,omitempty"`     // nil: no workflow's, or from before this was kept
}

// Origin names the task of a workflow's plan that a task carries out. By it the two
// know each other: a workflow that died while it created the task finds it again.
type Origin struct {
	Workflow string `json:"workflow"` // id
	Task     string `json:"task"`     // id in the plan
	Round    int    `json:"round"`    // of rework; the same task may come again in the next
}

// Workspace is a work tree of the task's own.
type Workspace struct {
	Dir    string `json:"dir"`            // the project directory in it, below .ferrus: worktrees/<task id>
	Branch string `json:"branch"`         // ferrus/<task id>
	From   string `json:"from,omitempty"` // branch that it came from and goes back to; empty: none was checked out
	Left   int    `json:"left,omitempty"` // files with changes that stayed behind in the checkout
	Ready  bool   `json:"ready"`          // its setup commands have run
}

// Landed is where the work of a task went.
type Landed struct {
	Commit string    `json:"commit"`
	Onto   string    `json:"onto,omitempty"` // branch; empty: none was checked out
	At     time.Time `json:"at"`
}

// Base is the tree the task started from.
type Base struct {
	Commit string `json:"commit,omitempty"`
	Tree   string `json:"tree,omitempty"`
}

// Gate is the newest check gate. Checking is running when Verdict is empty.
type Gate struct {
	Ticket  uint64         `json:"ticket"` // the seq of the check that asked for it
	Attempt int            `json:"attempt"`
	From    machine.State  `json:"from"` // Executing or Addressing
	Verdict checks.Verdict `json:"verdict"`
	Tree    string         `json:"tree,omitempty"` // that it was proved on
	Log     string         `json:"log,omitempty"`  // below the project directory
	At      *time.Time     `json:"at,omitempty"`   // of the verdict
	Lost    int            `json:"lost,omitempty"` // runners that died
}

// Submission is what the reviewer judges.
type Submission struct {
	Tree   string    `json:"tree"`
	At     time.Time `json:"at"`
	Ticket uint64    `json:"ticket,omitempty"` // of the gate that proved the tree
	Voided int       `json:"voided,omitempty"` // times the tree moved under the review
	Alarms []Alarm   `json:"alarms,omitempty"` // what a person should see of it
	Review *Review   `json:"review,omitempty"` // the newest, on this tree
}

// Alarm is something that a change does to its own checks, in words.
type Alarm struct {
	Rule       string   `json:"rule"`
	Path       string   `json:"path,omitempty"`
	Words      string   `json:"words"`
	Lines      []string `json:"lines,omitempty"`  // the first of those that are meant
	NeedsHuman bool     `json:"person,omitempty"` // only the person may approve it
}

// String is the alarm in one line.
func (a Alarm) String() string {
	s := a.Words
	if a.Path != "" {
		s = a.Path + ": " + s
	}
	if len(a.Lines) > 0 {
		s += " (" + a.Lines[0] + ")"
	}
	return text.Cut(text.Sanitize(s), alarmCells)
}

// alarmCells is how wide an alarm may be.
const alarmCells = 200

// Review is what a reviewer or the person found.
type Review struct {
	Decision Status    `json:"verdict"` // StatusApproved, StatusRejected, or StatusEndorsed
	Tree     string    `json:"tree"`
	By       string    `json:"by"`
	Session  string    `json:"session,omitempty"`
	At       time.Time `json:"at"`
}

// Pending holds what waits for somebody's answer.
type Pending struct {
	Consult  *Consult  `json:"consult,omitempty"`
	Question *Question `json:"question,omitempty"`
}

// Consult is the executor's question to the supervisor.
type Consult struct {
	Ticket   uint64 `json:"ticket"`
	Session  string `json:"session"`
	Answered bool   `json:"answered"`
}

// Question is an agent's question to the person.
type Question struct {
	Ticket    uint64       `json:"ticket"`
	Session   string       `json:"session"`
	Role      machine.Role `json:"role"`
	Mode      Mode         `json:"mode"`
	Answered  bool         `json:"answered"`
	Delivered bool         `json:"delivered"`
}

// Describe are its reason, and what brought it about.
func (h Hold) Describe() string {
	if h.Cause == "" {
		return h.Reason
	}
	return h.Reason + ": " + h.Cause
}

// The reasons of a hold, as they are stored. Resuming with a reason clears a hold of
// that reason only.
const (
	HoldStop         = "stop"          // /stop
	HoldQuit         = "quit"          // HQ ended its sessions; it never replaces another reason
	HoldNoProgress   = "no-progress"   // sessions end without doing anything
	HoldSessionLimit = "session-limit" // a session failed too often in a row
	HoldUnproven     = "unproven"      // the gate could not prove anything
	HoldVoided       = "voided"        // files changed during review [task.VoidedLimit] times
	HoldSetup        = "setup"         // the worktree could not be prepared
	HoldTokens       = "limit-tokens"  // the task used more tokens than it may
	HoldCost         = "limit-cost"    // the task cost more than it may
)

// Hold starts no session until it is cleared; sessions that run are left alone.
type Hold struct {
	Reason string    `json:"reason"`            // one of the constants above
	Cause  string    `json:"because,omitempty"` // what brought it about, in one line; may quote an agent
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
}
