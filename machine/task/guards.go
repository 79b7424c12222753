package task

import (
	"fmt"

	"ferrus/machine"
)

func states(s ...machine.State) []machine.State { return s }
func all(g ...guard) []guard                    { return g }

var human = []machine.Role{machine.Human}

// The guards that callers act upon. On GuardTreeUnchanged they void the submission, on
// GuardHumanApproves and GuardFlaky they record that the reviewer accepts and leave the approval to
// the human. The names are part of refusals and never change.
const (
	GuardTreeUnchanged = "tree-unchanged"
	GuardHumanApproves = "person-approves-alarms"
	GuardFlaky         = "person-approves-flaky"
)

// What a row requires. Each has a sentence for its refusal, and a fix where there is one.
var (
	// A blank text would leave the next reader without a task, notes or an answer.
	text = guard{Name: "text-required", Reason: "the text is empty", Expected: "a text that is not blank",
		Fix: "call it again with the text",
		Met: func(_ Snap, e machine.Event) bool { return e.(interface{ hasText() bool }).hasText() }}

	// A reviewer reads what the checks passed on, and nothing else.
	provenAgain = guard{Name: "proven-again", Reason: "the checks have not passed on the tree to review",
		Expected: "a tree that the checks passed on",
		Met:      func(_ Snap, e machine.Event) bool { return e.(Rejudge).Proven }}

	ended = guard{Name: "still-ending", Reason: "a session of the previous task is still running",
		Expected: "no session of the previous task", Fix: "call it again in a moment",
		Met: func(_ Snap, e machine.Event) bool { return !e.(CreateTask).Ending }}

	// The executor's, and the reviewer's: one lease, claimed by two tools.
	holder       = leaseGuard("wait_for_task")
	reviewHolder = leaseGuard("wait_for_review")

	// For the human alone; an expired lease counts as free.
	unclaimed = guard{Name: "lease-free", Reason: "an executor holds the lease and checks its own work",
		Expected: "no valid lease", Fix: "use --force, which runs the checks and changes no state",
		Fixer: human, Met: func(_ Snap, e machine.Event) bool { return leaseOf(e).Free }}

	// The four headings make a consultation answerable without a second one.
	template = guard{Name: "consult-template", Expected: "the four headings of CONSULT_TEMPLATE.md, literally",
		Fix: "add the heading and call consult again",
		Met: func(_ Snap, e machine.Event) bool { return e.(Consult).Missing == "" },
		Why: func(_ Snap, e machine.Event) string {
			return fmt.Sprintf("the heading %q is missing", e.(Consult).Missing)
		}}

	// It binds the human too. There is no way to approve what was not checked.
	treeUnchanged = guard{Name: GuardTreeUnchanged, Expected: "the tree that was submitted",
		Fix:   "call wait_for_review: a submission whose tree changed is voided and returns to the executor",
		Fixer: []machine.Role{machine.Supervisor},
		Met:   func(_ Snap, e machine.Event) bool { return e.(Approve).TreeSame },
		Why: func(_ Snap, e machine.Event) string {
			if why := e.(Approve).Why; why != "" {
				return "the tree is not the submitted one: " + why
			}
			return "the tree is not the submitted one"
		}}

	// It binds supervisors only; its refusal is recorded as the reviewer's consent.
	noAlarms = guard{Name: GuardHumanApproves, Expected: "no alarm that needs the human",
		Fix: "approve or reject", Fixer: human,
		Met: func(_ Snap, e machine.Event) bool { return e.(Approve).Alarms == "" },
		Why: func(_ Snap, e machine.Event) string {
			return "the submission touches what only the human may approve: " + e.(Approve).Alarms
		}}

	// Like an alarm.
	notFlaky = guard{Name: GuardFlaky, Expected: "a tree on which the checks never failed",
		Reason: "it is FLAKY: the checks failed and passed on this tree, so only the human may approve it",
		Fix:    "approve or reject", Fixer: human, Holds: func(s Snap) bool { return !s.Data.Flaky }}

	// By default no agent answers for the human.
	unattended = guard{Name: "unattended", Reason: "questions are for the human", Expected: "[hq] unattended = true",
		Fix: "answer the question", Fixer: human,
		Met: func(_ Snap, e machine.Event) bool { return e.(Answer).Unattended }}

	notTheAsker = guard{Name: "not-the-asker", Reason: "a session cannot answer its own question",
		Expected: "an answer by another session", Fix: "answer the question", Fixer: human,
		Met: func(_ Snap, e machine.Event) bool { return !e.(Answer).Asker }}
)

// What the snapshot alone decides, and with it which moves are open.
var (
	// Also what keeps a verdict from being given twice.
	running = guard{Name: "gate-running", Reason: "no gate is running", Expected: "a gate without a verdict",
		Holds: func(s Snap) bool { return s.At == Checking && !s.Data.Gate.Passed }}

	passed = guard{Name: "gate-passed", Reason: "the gate is still running", Expected: "a gate that passed",
		Fix:   "call check: it joins the running gate",
		Fixer: []machine.Role{machine.Executor, machine.Human}, Holds: func(s Snap) bool { return s.Data.Gate.Passed }}

	// A pause over a running gate would have two things to wait for.
	atRest = guard{Name: "gate-ended", Reason: "the gate is still running", Expected: "no gate without a verdict",
		Fix:   "call check: it joins the running gate and returns its verdict",
		Holds: func(s Snap) bool { return s.At != Checking || s.Data.Gate.Passed }}

	answered = guard{Name: "consult-answered", Reason: "the consultation is not answered yet", Expected: "a response",
		Fix:   "respond to the consultation",
		Fixer: []machine.Role{machine.Supervisor, machine.Human}, Holds: func(s Snap) bool {
			return s.Data.Consult.Answered
		}}

	// The first response counts; the executor may be acting on it already.
	unanswered = guard{Name: "consult-unanswered", Reason: "the consultation has already been answered",
		Expected: "a consultation without a response", Fix: "call wait_for_consult",
		Fixer: []machine.Role{machine.Executor}, Holds: func(s Snap) bool { return !s.Data.Consult.Answered }}

	runnerLeft   = guard{Name: "runner-left", Holds: func(s Snap) bool { return s.Data.Gate.Lost+1 < LostLimit }}
	noRunnerLeft = guard{Name: "no-runner-left", Holds: func(s Snap) bool { return s.Data.Gate.Lost+1 >= LostLimit }}
)

// Guards that select among several rows. Refusals rarely show them, so most have no
// sentence.
var (
	green    = verdict("PASS", Green)
	red      = verdict("FAIL or TIMEOUT", Red)
	unproven = verdict("UNPROVEN", Unproven)
	flaky    = verdict("FLAKY", Flaky)
	allowed  = guard{Name: "allowed by configuration", Met: func(_ Snap, e machine.Event) bool {
		return e.(Checked).Allowed
	}}
	notAllowed = guard{Name: "not allowed", Met: func(_ Snap, e machine.Event) bool { return !e.(Checked).Allowed }}
	treeSame   = guard{Name: "tree as proven", Met: func(_ Snap, e machine.Event) bool { return e.(Submit).TreeSame }}
	treeMoved  = guard{Name: "tree moved since", Met: func(_ Snap, e machine.Event) bool {
		return !e.(Submit).TreeSame
	}}
	provenInFull = guard{Name: "proven-in-full", Met: func(_ Snap, e machine.Event) bool { return !e.(Submit).Quick }}
	provenInPart = guard{Name: "proven in part", Met: func(_ Snap, e machine.Event) bool { return e.(Submit).Quick }}
)

// verdict selects a row by what the gate found. Exactly one of the four holds for each
// verdict.
func verdict(name string, v Outcome) guard {
	return guard{Name: name, Reason: "the verdict is not " + name, Met: func(_ Snap, e machine.Event) bool {
		return e.(Checked).Verdict == v
	}}
}

// A limit is a pair of guards, which select the row before it and the row at it.

func (l Limits) retryLeft() guard {
	return guard{Name: "retries left", Holds: func(s Snap) bool { return s.Data.Retries+1 < l.CheckRetries }}
}

func (l Limits) noRetryLeft() guard {
	return guard{Name: "last retry", Holds: func(s Snap) bool { return s.Data.Retries+1 >= l.CheckRetries }}
}

func (l Limits) cycleLeft() guard {
	return guard{Name: "cycles left", Holds: func(s Snap) bool { return s.Data.Cycles+1 < l.ReviewCycles }}
}

func (l Limits) noCycleLeft() guard {
	return guard{Name: "last cycle", Holds: func(s Snap) bool { return s.Data.Cycles+1 >= l.ReviewCycles }}
}

// leaseGuard requires the lease, which a tool claims. A caller whose lease was taken
// gets STALE: it does not lack a lease, it comes too late.
func leaseGuard(tool string) guard {
	return guard{Name: "lease-required", Expected: "the lease on the task", Fix: "call " + tool,
		Met: func(_ Snap, e machine.Event) bool { return leaseOf(e).Held },
		Why: func(_ Snap, e machine.Event) string { return leaseWhy(leaseOf(e)) },
		As: func(_ Snap, e machine.Event) machine.Code {
			if leaseOf(e).Lost {
				return machine.Stale
			}
			return machine.GuardFailed
		}}
}

// It panics for an event without a lease: such a row would be a fault of the table.
func leaseOf(e machine.Event) Lease { return e.(interface{ lease() Lease }).lease() }

// leaseWhy returns why a caller does not hold the lease.
func leaseWhy(l Lease) string {
	switch {
	case l.Lost:
		return "the lease was taken by another session"
	case l.Free:
		return "you do not hold the lease"
	}
	return "another session holds the lease"
}

// late reports an answer to what is no longer open. Ticket 0 is never late: it answers
// whatever is open.
func late(s Snap, e machine.Event) bool {
	a, ok := e.(interface{ answers() uint64 })
	return ok && a.answers() != 0 && a.answers() != openTicket(s, e)
}

// lateWhy names the ticket that was answered, and the open one if there is any.
func lateWhy(s Snap, e machine.Event) string {
	n := e.(interface{ answers() uint64 }).answers()
	if now := openTicket(s, e); now != 0 {
		return fmt.Sprintf("ticket %d is no longer open; the open one is %d", n, now)
	}
	return fmt.Sprintf("ticket %d is no longer open", n)
}

// openTicket returns the ticket that an event could answer now; 0: none.
func openTicket(s Snap, e machine.Event) uint64 {
	switch e.(type) {
	case Checked, CheckCancelled, GateLost:
		if s.At == Checking && !s.Data.Gate.Passed {
			return s.Data.Gate.Ticket
		}
	case RespondConsult:
		if !s.Data.Consult.Answered {
			return s.Data.Consult.Ticket
		}
	case Answer:
		return s.Data.Question
	}
	return 0
}
