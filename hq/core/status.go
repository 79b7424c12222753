package core

// Status is the outcome of a command in one word. It is the first thing that callers
// of the tools read, so its values never change. An agent's next step is in
// Result.Next, so it need not know them all.
type Status string

// How a task moved.
const (
	StatusCreated   Status = "created"
	StatusSubmitted Status = "submitted"
	StatusApproved  Status = "approved"
	StatusEndorsed  Status = "endorsed" // the reviewer accepts what only the human may approve
	StatusRejected  Status = "rejected"
	StatusVoided    Status = "voided"
	StatusReturned  Status = "returned"
	StatusRejudged  Status = "rejudged"
	StatusRetried   Status = "retried"
	StatusReset     Status = "reset"
	StatusPrepared  Status = "prepared"
	StatusPinned    Status = "pinned"
	StatusLanded    Status = "landed"
	StatusImported  Status = "imported"
)

// How a gate ended, or that it did not.
const (
	StatusRunning   Status = "running" // ask again with the cursor
	StatusPassed    Status = "passed"  // also UNPROVEN, where the configuration allows it
	StatusFailed    Status = "failed"
	StatusUnproven  Status = "unproven"
	StatusCancelled Status = "cancelled"
	StatusLimit     Status = "limit" // the last retry or review cycle was used: the task is Failed
)

// How a question, a claim, a hold or a selection ended.
const (
	StatusAsked     Status = "asked"
	StatusRecorded  Status = "recorded" // the answer waits to be delivered
	StatusAnswered  Status = "answered" // the answer is in the result
	StatusClaimed   Status = "claimed"
	StatusReleased  Status = "released"
	StatusRenewed   Status = "renewed"
	StatusHeld      Status = "held"
	StatusResumed   Status = "resumed"
	StatusSelected  Status = "selected"
	StatusCommented Status = "commented"
	StatusResolved  Status = "resolved" // comments
	StatusWritten   Status = "written"  // a spec
	StatusQueued    Status = "queued"   // a task, which begins when it has its turn
)

// What a server answers by itself.
const (
	StatusOK      Status = "ok"
	StatusPending Status = "pending" // there is a submission to review
	StatusTimeout Status = "timeout" // nothing yet: wait again with the cursor
	StatusParked  Status = "parked"  // nothing to wait for any more
	StatusMessage Status = "message" // the human says something instead
	StatusNoted   Status = "noted"   // in the open workflow, or in the journal
	StatusOpen    Status = "open"    // about the open workflow
	StatusRefused Status = "refused"
	StatusError   Status = "error" // the call failed, and may or may not have changed something
)
