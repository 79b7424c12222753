package core

import (
	"ferrus/machine"
	"ferrus/machine/task"
)

// The kinds of the commands that move the task: the rows of its table.
const (
	KindCreateTask     = task.KindCreateTask
	KindCheck          = task.KindCheck
	KindChecked        = task.KindChecked
	KindCheckCancelled = task.KindCheckCancelled
	KindGateLost       = task.KindGateLost
	KindSubmit         = task.KindSubmit
	KindConsult        = task.KindConsult
	KindRespondConsult = task.KindRespondConsult
	KindWaitForConsult = task.KindWaitForConsult
	KindAskHuman       = task.KindAskHuman
	KindAnswer         = task.KindAnswer
	KindApprove        = task.KindApprove
	KindReject         = task.KindReject
	KindVoided         = task.KindVoided
	KindReturned       = task.KindReturned
	KindRejudge        = task.KindRejudge
	KindRetry          = task.KindRetry
	KindReset          = task.KindReset
)

// The kinds of the commands outside the table, which never change the state.
const (
	// Gives the lease to a session. No state, but an event.
	KindClaim machine.Kind = "claim"
	// Ends a claim; by the human, another's.
	KindRelease machine.Kind = "release"
	// Renews the lease; never an event.
	KindHeartbeat machine.Kind = "heartbeat"
	// The reviewer's approve where only the human may approve.
	KindEndorse machine.Kind = "endorse"
	// Gives the asker the human's answer.
	KindDeliver machine.Kind = "deliver"
	// Starts no session any more, until KindResume.
	KindHold   machine.Kind = "hold"
	KindResume machine.Kind = "resume"
	// Also records that a milestone was ticked.
	KindSelect     machine.Kind = "select"
	KindCreateSpec machine.Kind = "create_spec"
	// A task was added to the queue in the place of one that is created at once.
	KindQueueTask machine.Kind = "queue_task"
	// Turns the state of an earlier ferrus into a World, once.
	KindImport machine.Kind = "import"
	// Changes which agents have the roles of the task; see [Pin].
	KindPin machine.Kind = "pin"
	// The worktree's setup commands have run.
	KindPrepared machine.Kind = "prepared"
	// The checks fail on the tree that the task started from.
	KindBaseRed machine.Kind = "base_red"
	// The branch has moved to the work.
	KindLanded machine.Kind = "landed"
	// The human's round of comments to the executor at work. As a rejection or as a return,
	// the round comes with KindReject or KindReturned.
	KindComment machine.Kind = "comment"
	// The executor's answer to comments.
	KindResolveComment machine.Kind = "resolve_comment"
	// A session wants to do something that the human has to permit.
	KindAskPermission machine.Kind = "ask_permission"
	// The human's answer to that.
	KindPermit machine.Kind = "permit"
	// A session does not wait for the answer any more.
	KindWithdrawPermission machine.Kind = "withdraw_permission"
	// The journal keeps a line about a session; nothing else changes.
	KindNoted machine.Kind = "noted"
)

// GuardFactsMoved is the guard that fails if a command's facts were gathered for another
// state.
const GuardFactsMoved = "facts-moved"

// The tools of agents that are named otherwise than their commands.
const (
	ToolWaitForTask   machine.Kind = "wait_for_task"   // an executor's claim
	ToolWaitForReview machine.Kind = "wait_for_review" // a supervisor's claim
	ToolWaitForAnswer machine.Kind = "wait_for_answer" // deliver
	ToolReviewPending machine.Kind = "review_pending"  // reads what is under review
)

// EndSession is the advice to a session that has nothing left to do.
const EndSession = "end your session now"
