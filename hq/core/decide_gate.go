package core

import (
	"fmt"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

// check starts the gate on the present tree, or joins the running one. It starts no
// process: the gate's runner is started by the caller or the conductor as soon as
// either sees a ticket without a verdict.
func (t *decision) check() error {
	if err := t.provable(); err != nil {
		return err
	}
	if err := t.step(task.Check{Lease: t.lease(), Ticket: t.c.Facts.NextSeq}); err != nil {
		return err
	}
	t.startOrJoinGate(KindCheck)
	return nil
}

// provable refuses an executor a new gate while the human is asked why the last one
// could not prove anything: the next one could not either.
func (t *decision) provable() error {
	if t.c.By.Role != machine.Executor || !t.was.isHeld(HoldUnproven) || t.was.GateRunning() {
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{
		Guard: "gate-provable", Reason: "the gate could not prove anything, and the human has been asked about it",
		Expected: "check commands that can run, and a tree that can be read", Fix: EndSession + ": the human must act",
	})
}

// startOrJoinGate starts the gate that the machine has just opened a ticket for, or joins
// the running one.
func (t *decision) startOrJoinGate(asked machine.Kind) {
	if !t.was.GateRunning() {
		t.startGate(asked)
	}
	t.out.Result = GateOutcome(t.w, t.w.Gate.Ticket, t.lim)
}

// startGate records a new gate; asked is the command that needs it. A gate that
// replaces a passed one keeps where that came from: Checking is no place to return to.
func (t *decision) startGate(asked machine.Kind) {
	from := t.was.State
	if t.was.State == task.Checking && t.was.Gate != nil {
		from = t.was.Gate.From
	}
	attempt := 1
	if t.w.Task != nil {
		t.w.Task.Gates++
		attempt = t.w.Task.Gates
	}
	t.w.Gate = &Gate{Ticket: t.c.Facts.NextSeq, Attempt: attempt, From: from, Quick: t.quick(asked),
		Submit: asked == KindSubmit}
	t.out.Event, t.out.Why = KindCheck, fmt.Sprintf("check %d", attempt)
	if asked == KindSubmit {
		t.out.Why += " before submit"
	}
}

// quick reports whether a gate runs the quick commands alone: what an executor checks as it works.
func (t *decision) quick(asked machine.Kind) bool {
	return asked == KindCheck && t.c.By.Role == machine.Executor && t.w.Task != nil && t.w.Task.Definition != nil &&
		len(t.w.Task.Definition.Quick) > 0
}

// submit submits the work if the gate has passed on the present tree, and otherwise
// starts the gate. The tree is compared by its hash as of this call, so a change
// between check and submit costs a second gate, never a wrong approval.
func (t *decision) submit() error {
	if err := t.commentsAnswered(); err != nil {
		return err
	}
	if err := t.provable(); err != nil {
		return err
	}
	f, g := t.c.Facts, t.was.Gate
	same := f.Tree != "" && g != nil && g.Tree == f.Tree
	err := t.step(task.Submit{Lease: t.lease(), Ticket: f.NextSeq, Text: t.hasText(), TreeSame: same,
		Quick: g != nil && g.Quick})
	if err != nil {
		return err
	}
	if t.w.State != task.Reviewing {
		t.startOrJoinGate(KindSubmit)
		return nil
	}
	t.recordSubmission(f)
	return nil
}

// recordSubmission binds the submission to the tree, ends the executor's lease, and
// drops the exchanges of this round of work. The next reviewer starts without a lease
// to wait for.
func (t *decision) recordSubmission(f Facts) {
	voided := 0
	if t.was.Submission != nil {
		voided = t.was.Submission.Voided
	}
	made := Submission{Tree: f.Tree, At: stamp(f.Now), Voided: voided, Alarms: f.Alarms, Ticket: t.w.Gate.Ticket}
	t.w.Submission = made.copied()
	t.w.Pending = Pending{Permissions: t.w.Permissions}
	t.w.unclaim()
	t.setText(SubmissionText, t.c.Text)
	t.removeTexts(QuestionText, AnswerText, ConsultRequestText, ConsultResponseText)
	t.out.Event, t.out.Why = KindSubmit, summaryLine(afterHeading(t.c.Text, "## Summary"))
	t.out.Result = Result{Status: StatusSubmitted, Ticket: t.w.Gate.Ticket}
	report := GateOutcome(t.was, t.w.Gate.Ticket, t.lim).GateReport
	t.out.Result.GateReport = report
}

// checked records the verdict of the running ticket. A verdict renews the lease of a
// holder that waits for it: the gate may have taken longer than the TTL.
func (t *decision) checked() error {
	g := t.c.Gate
	if g == nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "verdict-required", Reason: "there is no verdict",
			Expected: "the verdict of the gate"})
	}
	if g.Verdict == checks.Cancelled {
		return t.checkCancelled()
	}
	v, ok := verdicts[g.Verdict]
	if !ok {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "verdict-required",
			Reason: fmt.Sprintf("%q is not a verdict", g.Verdict)})
	}
	err := t.step(task.Checked{Ticket: t.c.Ticket, Verdict: v, Allowed: t.allowed(g)})
	if err != nil {
		return err
	}
	t.recordVerdict(g)
	t.out.Event, t.out.Why = KindChecked, orElse(summaryLine(g.Why), string(g.Verdict))
	t.applyVerdict(g)
	t.out.Result = GateOutcome(t.w, t.w.Gate.Ticket, t.lim)
	t.out.Result.Report = g.Report
	if t.w.IsClaimed() {
		t.w.renew(t.c.Facts)
	}
	return nil
}

// A tree that changed under the checks proves as little as a timeout, and counts like a
// failure. CANCELLED is missing: it is an event of its own.
var verdicts = map[checks.Verdict]task.Outcome{
	checks.Pass: task.Green, checks.Fail: task.Red, checks.Timeout: task.Red,
	checks.Unproven: task.Unproven, checks.Flaky: task.Flaky,
}

// allowed reports whether UNPROVEN passes: the configuration allows a gate without
// commands, there are none, and the tree could be read. The pinned definition and the
// present configuration may each allow it, but a definition with commands never passes
// unproven.
func (t *decision) allowed(g *GateResult) bool {
	var d *Definition
	if t.w.Task != nil {
		d = t.w.Task.Definition
	}
	allow := t.c.Facts.AllowNone || d != nil && d.AllowNone
	return allow && g.Tree != "" && (d == nil || len(d.Commands) == 0)
}

// recordVerdict records what the gate found, and when.
func (t *decision) recordVerdict(g *GateResult) {
	now := stamp(t.c.Facts.Now)
	t.w.Gate.Verdict, t.w.Gate.Tree, t.w.Gate.Log, t.w.Gate.At = g.Verdict, g.Tree, g.Log, &now
}

// applyVerdict applies what a verdict means besides the next state: the reason of a
// failure, and a hold if nothing could be proved. In Failed the lease ends too, since
// nothing is left to do under it.
func (t *decision) applyVerdict(g *GateResult) {
	why := orElse(summaryLine(g.Why), string(g.Verdict))
	switch {
	case t.w.State == task.Failed:
		t.w.FailureReason = fmt.Sprintf("checks failed %d times in a row: %s", t.w.CheckRetries, why)
		t.w.unclaim()
	case t.w.State == task.Checking:
		t.w.FailureReason = ""
	case g.Verdict == checks.Unproven:
		t.holdFor(HoldUnproven, "ferrus", orElse(g.Why, why))
	default:
		t.w.FailureReason = why
	}
}

// checkCancelled ends a gate without a verdict on the work; the task returns to where
// the gate was started. It counts neither as a pass nor as a failure.
func (t *decision) checkCancelled() error {
	if err := t.step(task.CheckCancelled{Ticket: t.c.Ticket}); err != nil {
		return err
	}
	lost := t.c.Gate != nil && t.c.Gate.Lost
	t.cancelGate(lost)
	return nil
}

// cancelGate records the verdict CANCELLED; lost is a gate whose runners died.
func (t *decision) cancelGate(lost bool) {
	log := ""
	if t.c.Gate != nil {
		log = t.c.Gate.Log
	}
	t.recordVerdict(&GateResult{Verdict: checks.Cancelled, Log: log})
	t.out.Event, t.out.Why = KindCheckCancelled, "before its verdict"
	if lost {
		t.w.Gate.Lost = task.LostLimit
		t.out.Why = "gate lost: its runner died three times"
	}
	t.out.Result = GateOutcome(t.w, t.w.Gate.Ticket, t.lim)
}

// gateLost counts a dead runner, and cancels the gate at the limit. The caller has seen
// that the gate's lock is free while there is no verdict.
func (t *decision) gateLost() error {
	if err := t.step(task.GateLost{Ticket: t.c.Ticket}); err != nil {
		return err
	}
	if t.w.State != task.Checking {
		t.cancelGate(true)
		return nil
	}
	t.out.Event, t.out.Why = KindGateLost, "its runner died; the same ticket runs again"
	t.out.Result = GateOutcome(t.w, t.w.Gate.Ticket, t.lim)
	return nil
}

// baseRed records that the checks fail on the tree that the task started from. It says
// nothing about the task, and changes no counter. Recording it twice is no event.
func (t *decision) baseRed() error {
	g, was := t.c.Gate, t.w.Task
	if g == nil || was == nil || g.Tree == "" || g.Tree != was.Base.Tree {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "base-tree",
			Reason: "it is not the tree that the open task started from"})
	}
	t.out.Result.Status = StatusNoted
	if red := orElse(summaryLine(g.Why), string(g.Verdict)); red != was.Base.Red {
		was.Base.Red = red
		t.out.Event, t.out.Why = KindBaseRed, "before the task: "+red
	}
	return nil
}

// GateOutcome returns the answer to check or submit for a ticket: running while it has
// no verdict, then the verdict and what to do. A ticket that is no longer the newest
// counts as cancelled. It reads the World alone; report and test counts are in the
// gate's record, which the caller adds.
func GateOutcome(w World, ticket uint64, lim Limits) Result {
	r := Result{Status: StatusCancelled, State: w.State, Ticket: ticket, GateReport: &GateReport{}}
	r.GateReport.Retries = &Count{Used: w.CheckRetries, Limit: lim.CheckRetries}
	g := w.Gate
	if g == nil || g.Ticket != ticket {
		r.Next = "call check"
		return r
	}
	r.Attempt, r.Verdict, r.Log = g.Attempt, g.Verdict, g.Log
	r.Status, r.Next = outcome(w, g)
	return r
}

// outcome returns the status of a gate, and what its caller does next.
func outcome(w World, g *Gate) (status Status, next string) {
	switch g.Verdict {
	case "":
		return StatusRunning, "check"
	case checks.Pass, checks.Flaky:
		return StatusPassed, "submit"
	case checks.Unproven:
		if w.State == task.Checking {
			return StatusPassed, "submit"
		}
		return StatusUnproven, EndSession + "; the human is asked for check commands"
	case checks.Cancelled:
		return StatusCancelled, "call check"
	}
	if w.State == task.Failed {
		return StatusLimit, EndSession + "; the human must act"
	}
	return StatusFailed, "fix what the report names, then call check"
}
