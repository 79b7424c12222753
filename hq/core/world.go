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

// The texts of a task. Each is a file beside STATE.json under this name. They are
// written with the commit that makes them true and archived with the task. A name is a
// file name and a key of Decision.Texts, so it never changes.
const (
	TaskText            = "TASK.md"
	ReviewText          = "REVIEW.md"
	SubmissionText      = "SUBMISSION.md"
	QuestionText        = "QUESTION.md"
	AnswerText          = "ANSWER.md"
	ConsultRequestText  = "CONSULT_REQUEST.md"
	ConsultResponseText = "CONSULT_RESPONSE.md"
	CommentsText        = "COMMENTS.json" // of package comments
	// Of [WholeRequests]: what was asked for permission at such length that the World has only its ends.
	PermissionsText = "PERMISSIONS.json"
)

// World is the state of the task loop. The zero World is Idle after [World.Normalize].
// Pointers are nil where there is nothing; a World is changed only through [Decide].
// Its JSON is STATE.json, and the same members, as far as they changed, are the data of
// a journal entry: a member that is renamed can no longer be read back. Callers get a
// copy from the store and may keep it; it never changes under them.
type World struct {
	State machine.State `json:"state"` // of package machine/task
	Since time.Time     `json:"since"` // when State last changed
	// None but Consultation and AwaitingHuman pause, so there are two at most. It is
	// never nil after Normalize: it is written as [].
	Paused []machine.State `json:"paused"` // the states that answers return to, innermost last
	// A claim remembers it, and a command of an older epoch is STALE, so that nothing
	// that was asked of one task is done to the next.
	Epoch uint64 `json:"epoch"` // increases with each task and reset
	Counters
	Lease
	Selection
	// Nil in Idle. A Complete task stays until the next one replaces it, because it can
	// still land.
	Task *Task `json:"task,omitempty"`
	// Kept after its verdict: submit compares its tree, and reviews show it.
	Gate *Gate `json:"gate,omitempty"`
	// Kept after the review: a rejected task still shows what was rejected, and Voided
	// keeps counting.
	Submission *Submission `json:"submission,omitempty"`
	Pending
	Hold *Hold `json:"hold,omitempty"`
}

// Counters stop a loop that does not converge. The table counts and clears them; the
// limits come with each command, so a changed limit takes effect at the next one.
type Counters struct {
	// 0 again after a pass, a rejection, a retry and for each new task.
	CheckRetries int `json:"check_retries"` // failed gates in a row
	// Only a reject counts. A voided submission does not: it was not judged.
	ReviewCycles int `json:"review_cycles"` // rejections of this task
	// Why the last gate failed, also while the task is still worked on; in Failed, why
	// it ended there.
	FailureReason string `json:"failure_reason"` // one line; empty: no failure
	// Derived, for readers of STATE.json; ferrus itself reads Paused.
	PausedState machine.State `json:"paused_state,omitempty"` // the top of World.Paused
}

// Lease is a time-limited exclusive claim on the task. Its fields are renewed without
// an event, except Claim and ClaimedBy. Of all agents its holder alone may check,
// submit, consult and review; see [World.LeaseFree] for when another session may take
// it.
type Lease struct {
	// For display only: rights follow Claim.Session, because an agent id is given again
	// to the slot's next session.
	ClaimedBy string `json:"claimed_by,omitempty"` // executor:codex:1
	// By the clock of the host that renewed it. Expired alone frees nothing: the holder
	// may be running still.
	LeaseUntil *time.Time `json:"lease_until,omitempty"` // nil: expired
	// One that lies in the future shows that the clock was set back, and then
	// LeaseUntil proves nothing.
	LastHeartbeat *time.Time `json:"last_heartbeat,omitempty"`
	Claim         *Claim     `json:"claim,omitempty"`
	// Fenced are the last sessions that lost the lease: to another session, to a reset,
	// or to the human's review in place of theirs. Their calls under it are STALE.
	Fenced []string `json:"fenced,omitempty"`
}

// Claim binds a lease to one session and one process.
type Claim struct {
	Session string `json:"session"` // first 16 hex of SHA-256 of the nonce
	Epoch   uint64 `json:"epoch"`   // the World's when it was claimed
	// A session that HQ started keeps an unmanaged one from touching the same files.
	Managed bool `json:"managed"` // started by a conductor
	// Nil where the caller could not be identified. Then only time frees the lease.
	Process *process.Identity `json:"process,omitempty"`
}

// Selection has three pairs of spec and milestone: the selected one, the one that a
// task is being drafted from, and the milestone that the present task came from. Each
// pair names a file below the project directory and an ID in it; both are empty or
// both are set, except that a spec without an open milestone may be selected alone.
type Selection struct {
	SelectedSpec      string `json:"selected_spec,omitempty"`
	SelectedMilestone string `json:"selected_milestone,omitempty"`
	// Set when a supervisor starts to draft, so that the human may select something
	// else meanwhile; consumed by create_task.
	PendingTaskSpec      string `json:"pending_task_spec,omitempty"`
	PendingTaskMilestone string `json:"pending_task_milestone,omitempty"`
	// PendingTaskChanges says that uncommitted changes are copied into the worktree of
	// the task that is being drafted.
	PendingTaskChanges bool `json:"pending_task_changes,omitempty"`
	// What is ticked when the task is done. Empty for a task of the human's own.
	TaskSpec      string `json:"task_spec,omitempty"`
	TaskMilestone string `json:"task_milestone,omitempty"`
	// TaskTicked says that the milestone of the complete task was ticked in its spec, or
	// cannot be ticked any more.
	TaskTicked bool `json:"task_ticked,omitempty"`
}

// Task is the open task, or the last one until it is replaced or reset. It is written
// by create_task and import and replaced, never edited, but for Gates, Asked, Base, Pin,
// Workspace.Ready, Landed and Comments.
type Task struct {
	ID    string `json:"id"`    // t-20261120-101500-4f2a
	Title string `json:"title"` // first non-empty line without #, at most 72 cells
	// What the diff and the alarms of a review compare with.
	Base Base `json:"base"`
	// Nil in a task of an earlier version.
	Definition *Definition `json:"definition,omitempty"` // the gate's, pinned when the task was created
	// Nil in a task of an earlier version, until its next event.
	Pin *Pin `json:"pin,omitempty"` // the agents of the roles, pinned when the task was created
	// The number of the next attempt and of its log; never reset while the task is
	// open.
	Gates int `json:"gates"` // gate attempts so far
	// Nil: not yet. A limit counts from here, so resuming buys one more limit.
	Asked     *Amount    `json:"asked,omitempty"`     // usage when the human was last asked about a limit
	Workspace *Workspace `json:"workspace,omitempty"` // nil: the project directory
	Landed    *Landed    `json:"landed,omitempty"`    // nil: not yet
	Origin    *Origin    `json:"origin,omitempty"`    // nil: no workflow's task, or created before this was recorded
	// A queue that crashed while it began the task finds it by this.
	Item int `json:"item,omitempty"` // its number in the queue; 0: it was not started from there
	// The comments themselves are CommentsText.
	Comments *Comments `json:"comments,omitempty"` // nil: none was sent
}

// Comments counts the human's comments on the change of a task.
type Comments struct {
	Rounds int `json:"rounds"`
	All    int `json:"all"`
	// While there are some, submit is refused.
	Open int `json:"open"` // without an answer of the executor
}

// Origin names the task in a workflow's plan that a task carries out. A workflow that
// crashed while it created the task finds it by its Origin.
type Origin struct {
	Workflow string `json:"workflow"` // id
	Task     string `json:"task"`     // id in the plan
	Round    int    `json:"round"`    // of rework; the same task can come again in the next
}

// Workspace is the worktree of a task. It is recorded with create_task, and the
// directory stays until it is removed.
type Workspace struct {
	Dir    string `json:"dir"`            // the project directory in it, below .ferrus: worktrees/<task id>
	Branch string `json:"branch"`         // ferrus/<task id>
	From   string `json:"from,omitempty"` // the branch it was made from and lands on; empty: none was checked out
	// As counted when the worktree was made; for display.
	Left int `json:"left,omitempty"` // files with changes that stayed behind in the checkout
	// No agent is started in it before.
	Ready   bool     `json:"ready"`             // its setup commands have run
	Adopted *Adopted `json:"adopted,omitempty"` // what it began with; nil: the commit of a branch
}

// Adopted is work that you began by hand, and that a task continues. The directory that it comes from is
// not touched: the task has a copy of it.
type Adopted struct {
	Dir    string `json:"dir"`              // the top of the worktree that it comes from, absolute
	Branch string `json:"branch,omitempty"` // that was checked out there; empty: none was
	// A commit of all its files. Its first parent is what was checked out, its second a commit of the index.
	Snapshot string `json:"snapshot"`
	Base     string `json:"base"` // the commit that the work and the branch that it lands on have in common
	// The conversation that continues; empty all four: there is none.
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"` // its id
	Held         string `json:"held,omitempty"`         // the directory that it was held in
	Place        string `json:"place,omitempty"`        // its file below the client's directory, if that says where it goes
}

// Landed says where the work of a task is. It is recorded after the branch has moved; a
// landing that dies between the two is completed by the next start.
type Landed struct {
	Commit string    `json:"commit"`
	Onto   string    `json:"onto,omitempty"` // branch; empty: none was checked out
	At     time.Time `json:"at"`
}

// Base is the tree the task started from. Commit is empty in a repository without one,
// Tree where no tree could be read; without it no diff is shown.
type Base struct {
	Commit string `json:"commit,omitempty"`
	Tree   string `json:"tree,omitempty"`
	Start  string `json:"start,omitempty"` // where Commit holds uncommitted changes: the commit below it
	// One line, FAIL: go test ./...; empty: they pass, or did not run yet. It counts
	// against no limit, because the task did not cause it.
	Red string `json:"red,omitempty"` // why the checks fail on Tree
}

// Gate is the newest check gate of the task. It runs while the state is Checking and
// Verdict is empty.
type Gate struct {
	// Verdicts carry it, and one of another ticket changes nothing.
	Ticket uint64 `json:"ticket"` // the seq of the check that asked for it
	// From 1, per task: what agents and logs call the check.
	Attempt int `json:"attempt"`
	// Where a cancelled or unproven gate returns to.
	From   machine.State `json:"from"`             // Executing or Addressing
	Submit bool          `json:"submit,omitempty"` // submit asked for it: it runs before gates of check
	// Then its pass is no proof that submit accepts.
	Quick bool `json:"quick,omitempty"` // it runs the quick commands instead of all
	// Set once. UNPROVEN lets the task pass only where the configuration allows a gate
	// without commands.
	Verdict checks.Verdict `json:"verdict"`
	// Empty while it runs and when it could not be read. Submit needs this very tree.
	Tree string     `json:"tree,omitempty"` // hash of the tree that the checks ran on
	Log  string     `json:"log,omitempty"`  // below the project directory
	At   *time.Time `json:"at,omitempty"`   // of the verdict
	// At [task.LostLimit] the gate is cancelled instead of run again.
	Lost int `json:"lost,omitempty"` // runners of this ticket that died
}

// Submission is the executor's finished work, bound to one tree. The tree that the gate
// passed on, that the reviewer reads and that is approved are one and the same, or the
// submission is void.
type Submission struct {
	Tree string    `json:"tree"`
	At   time.Time `json:"at"`
	// Under it the gate's record is found.
	Ticket uint64 `json:"ticket,omitempty"` // of the gate that proved the tree
	// At [task.VoidedLimit] the task is put on hold. It counts on over later
	// submissions of the task.
	Voided int `json:"voided,omitempty"` // times the tree changed during a review
	// Found anew for each submit and each endorse, by comparing with Task.Base.
	Alarms []Alarm `json:"alarms,omitempty"` // what may weaken the checks
	Review *Review `json:"review,omitempty"` // the newest, on this tree
	// The text of the review says what is different.
	Rejudged bool `json:"rejudged,omitempty"` // it was approved on another base, and is another change here
}

// Alarm is a change that may weaken the checks. Words and Lines can quote the change, so
// they are untrusted: [Alarm.String] sanitizes them.
type Alarm struct {
	// The name under which package checks/tamper and the guide document it.
	Rule  string   `json:"rule"`
	Path  string   `json:"path,omitempty"`
	Words string   `json:"words"`
	Lines []string `json:"lines,omitempty"` // the first lines of the change that raised it
	// Then a supervisor's approve becomes endorse.
	NeedsHuman bool `json:"person,omitempty"` // only the human may approve it
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

// Review is the decision of a reviewer or of the human on one tree. One of another tree
// than the submission's proves nothing about it.
type Review struct {
	Decision Status    `json:"verdict"` // StatusApproved, StatusRejected, or StatusEndorsed
	Tree     string    `json:"tree"`
	By       string    `json:"by"`
	Session  string    `json:"session,omitempty"`
	At       time.Time `json:"at"`
}

// Pending is what waits for an answer. At most one consultation and one question are open at a
// time: a second question waits until the first is answered. Both end with the submission.
type Pending struct {
	Consult  *Consult  `json:"consult,omitempty"`
	Question *Question `json:"question,omitempty"`
	// They outlive the submission: what was answered for the task still counts.
	Permissions *Permissions `json:"permissions,omitempty"`
}

// Consult is a consultation: the executor's question to the supervisor. It stays after
// the executor has the response, for a session that is restarted; see
// [World.Exchanges].
type Consult struct {
	// The seq of its event. A response that names another ticket is STALE.
	Ticket  uint64 `json:"ticket"`
	Session string `json:"session"`
	// The response is recorded; the executor has it only after wait_for_consult.
	Answered bool `json:"answered"`
}

// Question is an agent's question to the human. It is kept after its answer was delivered,
// so that a restarted session learns the answer too.
type Question struct {
	Ticket  uint64       `json:"ticket"`
	Session string       `json:"session"`
	Role    machine.Role `json:"role"`
	// Another session of the same role and mode succeeds the asker and may take the
	// answer.
	Mode     Mode `json:"mode"`
	Answered bool `json:"answered"`
	// Set by the wait that returned the answer, so that it is delivered once.
	Delivered bool `json:"delivered"`
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
	HoldAgent        = "agent"         // an agent cannot be started: it is not installed
	HoldUnproven     = "unproven"      // the gate could not prove anything
	HoldVoided       = "voided"        // files changed during review [task.VoidedLimit] times
	HoldSetup        = "setup"         // the worktree could not be prepared
	HoldTokens       = "limit-tokens"  // the task used more tokens than it may
	HoldCost         = "limit-cost"    // the task cost more than it may
)

// Hold starts no session until it is cleared; sessions that run are left alone. There
// is at most one: a newer reason replaces the older one, except that HoldQuit never
// does. The state stays what it is, so commands of agents that still run are accepted.
type Hold struct {
	Reason string `json:"reason"`            // one of the constants above
	Cause  string `json:"because,omitempty"` // in one line; may quote an agent
	// person, ferrus or an agent id.
	By    string    `json:"by"`
	Since time.Time `json:"since"`
}
