// Package core decides: it has the rules of the task loop as pure functions.
//
// A [World] is what STATE.json says of the task loop. [Decide] decides one command: it
// returns the next World, the texts and the journal entry, or a refusal, and has no
// effects. [Plan] computes which sessions should run in a World; the conductor compares
// them with the running ones, and starts or stops the difference. Nothing that must happen
// is queued, so a crash can lose no work that is waiting. [Recover] decides what a new
// conductor does with the sessions of a dead one.
//
// The package reads no clock, no file and no process table: time, trees and what is known
// of processes come with the command as [Facts]. So the same World, Command and Limits
// always give the same Decision.
package core

import (
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/machine"
	"ferrus/ui/text"
)

// The texts of a task. Each is a file beside STATE.json under this name.
const (
	TaskText            = "TASK.md"
	ReviewText          = "REVIEW.md"
	SubmissionText      = "SUBMISSION.md"
	QuestionText        = "QUESTION.md"
	AnswerText          = "ANSWER.md"
	ConsultRequestText  = "CONSULT_REQUEST.md"
	ConsultResponseText = "CONSULT_RESPONSE.md"
)

// World is the state of the task loop. The zero World is Idle after [World.Normalize].
// Pointers are nil where there is nothing; a World is changed only through [Decide].
type World struct {
	State  machine.State   `json:"state"`  // of package machine/task
	Since  time.Time       `json:"since"`  // when State last changed
	Paused []machine.State `json:"paused"` // the states that answers return to, innermost last
	Epoch  uint64          `json:"epoch"`  // increases with each task and reset
	Counters
	Lease
	Selection
	Task       *Task       `json:"task,omitempty"`
	Gate       *Gate       `json:"gate,omitempty"`
	Submission *Submission `json:"submission,omitempty"`
	Pending
	Hold *Hold `json:"hold,omitempty"`
}

// Counters stop a loop that does not converge.
type Counters struct {
	CheckRetries  int           `json:"check_retries"`          // failed gates in a row
	ReviewCycles  int           `json:"review_cycles"`          // rejections of this task
	FailureReason string        `json:"failure_reason"`         // one line; empty: no failure
	PausedState   machine.State `json:"paused_state,omitempty"` // the top of World.Paused
}

// Lease is a time-limited exclusive claim on the task. Its fields are renewed without an
// event, except Claim and ClaimedBy.
type Lease struct {
	ClaimedBy     string     `json:"claimed_by,omitempty"`  // executor:codex:1
	LeaseUntil    *time.Time `json:"lease_until,omitempty"` // nil: expired
	LastHeartbeat *time.Time `json:"last_heartbeat,omitempty"`
	Claim         *Claim     `json:"claim,omitempty"`
	// Fenced are the last sessions that lost the lease: to another session, to a reset,
	// or to the human's review in place of theirs. Their calls under it are STALE.
	Fenced []string `json:"fenced,omitempty"`
}

// Claim binds a lease to one session and one process.
type Claim struct {
	Session string            `json:"session"` // first 16 hex of SHA-256 of the nonce
	Epoch   uint64            `json:"epoch"`   // the World's when it was claimed
	Managed bool              `json:"managed"` // started by a conductor
	Process *process.Identity `json:"process,omitempty"`
}

// Selection has three pairs of spec and milestone: the selected one, the one that a task
// is being drafted from, and the one that the present task came from.
type Selection struct {
	SelectedSpec         string `json:"selected_spec,omitempty"`
	SelectedMilestone    string `json:"selected_milestone,omitempty"`
	PendingTaskSpec      string `json:"pending_task_spec,omitempty"`
	PendingTaskMilestone string `json:"pending_task_milestone,omitempty"`
	// PendingTaskChanges says that uncommitted changes are copied into the worktree of
	// the task that is being drafted.
	PendingTaskChanges bool   `json:"pending_task_changes,omitempty"`
	TaskSpec           string `json:"task_spec,omitempty"`
	TaskMilestone      string `json:"task_milestone,omitempty"`
	// TaskTicked says that the milestone of the complete task was ticked in its spec, or
	// cannot be ticked any more.
	TaskTicked bool `json:"task_ticked,omitempty"`
}

// Task is the open task, or the last one until it is replaced or reset.
type Task struct {
	ID         string      `json:"id"`    // t-20261120-101500-4f2a
	Title      string      `json:"title"` // first non-empty line without #, at most 72 cells
	Base       Base        `json:"base"`
	Definition *Definition `json:"definition,omitempty"` // the gate's, pinned when the task was created
	Gates      int         `json:"gates"`                // gate attempts so far
	Asked      *Amount     `json:"asked,omitempty"`      // usage when the human was last asked about a limit
	Workspace  *Workspace  `json:"workspace,omitempty"`  // nil: the project directory
	Landed     *Landed     `json:"landed,omitempty"`     // nil: not yet
	Origin     *Origin     `json:"origin,omitempty"`     // nil: no workflow's task, or created before this was recorded
}

// Origin names the task in a workflow's plan that a task carries out. A workflow that
// crashed while it created the task finds it by its Origin.
type Origin struct {
	Workflow string `json:"workflow"` // id
	Task     string `json:"task"`     // id in the plan
	Round    int    `json:"round"`    // of rework; the same task can come again in the next
}

// Workspace is the worktree of a task.
type Workspace struct {
	Dir    string `json:"dir"`            // the project directory in it, below .ferrus: worktrees/<task id>
	Branch string `json:"branch"`         // ferrus/<task id>
	From   string `json:"from,omitempty"` // the branch it was made from and lands on; empty: none was checked out
	Left   int    `json:"left,omitempty"` // files with changes that stayed behind in the checkout
	Ready  bool   `json:"ready"`          // its setup commands have run
}

// Landed says where the work of a task is.
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

// Gate is the newest check gate of the task. It runs while the state is Checking and
// Verdict is empty.
type Gate struct {
	Ticket  uint64         `json:"ticket"` // the seq of the check that asked for it
	Attempt int            `json:"attempt"`
	From    machine.State  `json:"from"` // Executing or Addressing
	Verdict checks.Verdict `json:"verdict"`
	Tree    string         `json:"tree,omitempty"` // hash of the tree that the checks ran on
	Log     string         `json:"log,omitempty"`  // below the project directory
	At      *time.Time     `json:"at,omitempty"`   // of the verdict
	Lost    int            `json:"lost,omitempty"` // runners of this ticket that died
}

// Submission is the executor's finished work, bound to one tree.
type Submission struct {
	Tree   string    `json:"tree"`
	At     time.Time `json:"at"`
	Ticket uint64    `json:"ticket,omitempty"` // of the gate that proved the tree
	Voided int       `json:"voided,omitempty"` // times the tree changed during a review
	Alarms []Alarm   `json:"alarms,omitempty"` // what may weaken the checks
	Review *Review   `json:"review,omitempty"` // the newest, on this tree
}

// Alarm is a change that may weaken the checks. Words and Lines can quote the change, so
// they are untrusted: [Alarm.String] sanitizes them.
type Alarm struct {
	Rule       string   `json:"rule"`
	Path       string   `json:"path,omitempty"`
	Words      string   `json:"words"`
	Lines      []string `json:"lines,omitempty"`  // the first lines of the change that raised it
	NeedsHuman bool     `json:"person,omitempty"` // only the human may approve it
}

// String returns the alarm as one sanitized line.
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

// alarmCells is the maximal width of an alarm.
const alarmCells = 200

// Review is the decision of a reviewer or of the human on one tree.
type Review struct {
	Decision Status    `json:"verdict"` // StatusApproved, StatusRejected, or StatusEndorsed
	Tree     string    `json:"tree"`
	By       string    `json:"by"`
	Session  string    `json:"session,omitempty"`
	At       time.Time `json:"at"`
}

// Pending is what waits for an answer.
type Pending struct {
	Consult  *Consult  `json:"consult,omitempty"`
	Question *Question `json:"question,omitempty"`
}

// Consult is a consultation: the executor's question to the supervisor.
type Consult struct {
	Ticket   uint64 `json:"ticket"`
	Session  string `json:"session"`
	Answered bool   `json:"answered"`
}

// Question is an agent's question to the human. It is kept after its answer was delivered,
// so that a restarted session learns the answer too.
type Question struct {
	Ticket    uint64       `json:"ticket"`
	Session   string       `json:"session"`
	Role      machine.Role `json:"role"`
	Mode      Mode         `json:"mode"`
	Answered  bool         `json:"answered"`
	Delivered bool         `json:"delivered"`
}

// Describe returns the reason of a hold and its cause, if it has one.
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
	Cause  string    `json:"because,omitempty"` // in one line; may quote an agent
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
}
