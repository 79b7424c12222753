package core

import (
	"fmt"

	"ferrus/hq/comments"
	"ferrus/machine"
	"ferrus/machine/task"
)

// approve completes the task if the tree is the submitted one and, for a supervisor, no
// alarm is reserved for the human. The tree and the alarms are facts of this moment,
// and not the submission's: what is approved is what is there now. A tree that could
// not be read approves nothing.
func (t *decision) approve() error {
	if err := t.seen(); err != nil {
		return err
	}
	f := t.c.Facts
	same := t.was.Submission != nil && f.Tree != "" && f.Tree == t.was.Submission.Tree
	err := t.step(task.Approve{Lease: t.lease(), TreeSame: same, Why: f.TreeWhy, Alarms: describeHumanAlarms(f.Alarms)})
	if err != nil {
		return err
	}
	t.w.FailureReason = ""
	if t.w.Task != nil && t.w.Task.Origin == nil {
		t.w.Hold = nil // nothing of the task is left to hold; a workflow is still to be held
	}
	t.endReview(StatusApproved)
	t.out.Event, t.out.Why = KindApprove, orElse(summaryLine(t.c.Text), "accepted")
	t.out.Result = Result{Status: StatusApproved}
	return nil
}

// seen refuses a decision of the human about another submission than the one under review: another screen decided about
// it meanwhile, and there is a new one.
func (t *decision) seen() error {
	s := t.was.Submission
	if t.c.By.Role != machine.Human || t.c.Ticket == 0 || t.was.State != task.Reviewing || s == nil ||
		s.Ticket == t.c.Ticket {
		return nil
	}
	return t.refusal(machine.Stale, machine.Failed{Guard: "submission-seen",
		Reason:   "the submission that you saw is no longer under review, and there is another one",
		Expected: "a decision about the present submission", Fix: "look at it, and decide again"})
}

// endorse records that the reviewer accepts a submission that only the human may
// approve. It releases the lease: the reviewer is done. The state stays Reviewing;
// [World.AwaitsApproval] then keeps a second reviewer away.
func (t *decision) endorse() error {
	if t.was.State != task.Reviewing || t.was.Submission == nil {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "state",
			Reason: "there is no submission to review"})
	}
	if !t.was.HeldBy(t.c.By) {
		return t.noLease()
	}
	t.w.Submission.Alarms = (&Submission{Alarms: t.c.Facts.Alarms}).copied().Alarms
	if len(t.w.HumanAlarms()) == 0 {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "alarm-for-the-person",
			Reason: "none of its alarms needs the human", Fix: "call approve"})
	}
	t.recordReview(StatusEndorsed)
	t.w.unclaim()
	t.out.Event, t.out.Why = KindEndorse, "accepted; the human must approve: "+
		summaryLine(t.w.HumanAlarms()[0].String())
	t.out.Result = Result{Status: StatusEndorsed, Next: EndSession + "; the human approves"}
	return nil
}

// recordReview records a review together with the tree it is about. Without a
// submission, or for an empty decision, there is nothing to record.
func (t *decision) recordReview(decision Status) {
	if t.w.Submission != nil && decision != "" {
		by := t.c.By
		t.w.Submission.Review = &Review{Decision: decision, Tree: t.w.Submission.Tree,
			By: orElse(by.ID, string(by.Role)), Session: by.Session, At: stamp(t.c.Facts.Now)}
	}
}

// endReview ends a review: the caller releases the lease, another session's review
// is cut short and its later calls are refused as late, and the reviewer's question
// to the human is dropped.
func (t *decision) endReview(decision Status) {
	t.recordReview(decision)
	if t.w.HeldBy(t.c.By) {
		t.w.unclaim()
	} else {
		t.w.fence()
	}
	t.forgetQuestion(machine.Supervisor)
}

// reject sends the work back with notes, or fails the task at the limit. The work stays
// as it is; only the state and the notes change.
func (t *decision) reject() error {
	if err := t.seen(); err != nil {
		return err
	}
	if err := t.sendRound(comments.AsRejection); err != nil {
		return err
	}
	if err := t.step(task.Reject{Lease: t.lease(), Text: t.hasText()}); err != nil {
		return err
	}
	t.endReview(StatusRejected)
	t.setText(ReviewText, t.c.Text)
	t.out.Event, t.out.Why = KindReject, summaryLine(t.c.Text)
	if len(t.c.Drafts) > 0 {
		t.out.Why = t.roundSummary()
	}
	t.out.Result = Result{Status: StatusRejected, Cycles: &Count{Used: t.w.ReviewCycles, Limit: t.lim.ReviewCycles}}
	if t.w.State == task.Failed {
		t.out.Result.Status = StatusLimit
		t.w.FailureReason = fmt.Sprintf("rejected %d times: %s", t.w.ReviewCycles, t.out.Why)
	}
	return nil
}

// voided sends back a submission whose tree changed during the review. The changed
// paths are the command's text, or Facts.TreeWhy. Ferrus gives it, never an agent, and
// it counts against no limit of the executor's.
func (t *decision) voided() error {
	if t.c.Facts.Tree != "" && t.was.Submission != nil && !t.was.TreeChanged(t.c.Facts.Tree) {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "tree-moved",
			Reason: "the tree is the submitted one"})
	}
	if err := t.step(task.Voided{}); err != nil {
		return err
	}
	paths := orElse(t.c.Text, t.c.Facts.TreeWhy)
	t.endReview("")
	t.setText(ReviewText, "The submission is void: files changed after it was submitted, so what was checked is not "+
		"what would be approved.\n\n"+paths+"\n\nCheck and submit again.\n")
	t.out.Event, t.out.Why = KindVoided, orElse(summaryLine(paths), "files changed after the submission")
	t.out.Result = Result{Status: StatusVoided, Message: t.out.Why}
	if t.w.Submission != nil && t.w.Submission.Voided >= task.VoidedLimit {
		t.holdFor(HoldVoided, "ferrus", t.out.Why)
	}
	return nil
}
