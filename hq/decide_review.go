package hq

import (
	"fmt"

	"ferrus/machine"
	"ferrus/machine/task"
)

func (t *turn) approve() error {
	f := t.c.Facts
	same := t.was.Submission != nil && f.Tree != "" && f.Tree == t.was.Submission.Tree
	err := t.step(task.Approve{Lease: t.lease(), TreeSame: same, Why: f.TreeWhy, Alarms: len(f.Alarms) > 0})
	if err != nil {
		return err
	}
	t.w.FailureReason = ""
	t.reviewed()
	if t.c.Select != nil {
		t.w.SelectedSpec, t.w.SelectedMilestone = t.c.Select.SelectedSpec, t.c.Select.SelectedMilestone
	}
	t.out.Event, t.out.Why = "approve", orElse(line(t.c.Text), "accepted")
	t.out.Result = Result{Status: "approved"}
	return nil
}

// reviewed ends a review: the lease is given back, and what the reviewer asked
// the person is over.
func (t *turn) reviewed() {
	t.w.unclaim()
	t.forgetQuestion(machine.Supervisor)
}

func (t *turn) reject() error {
	if err := t.step(task.Reject{Lease: t.lease(), Text: t.text()}); err != nil {
		return err
	}
	t.reviewed()
	t.put(ReviewText, t.c.Text)
	t.out.Event, t.out.Why = "reject", line(t.c.Text)
	t.out.Result = Result{Status: "rejected", Cycles: &Count{Used: t.w.ReviewCycles, Limit: t.lim.ReviewCycles}}
	if t.w.State == task.Failed {
		t.out.Result.Status = "limit"
		t.w.FailureReason = fmt.Sprintf("rejected %d times: %s", t.w.ReviewCycles, line(t.c.Text))
	}
	return nil
}

// voided sends a submission back whose tree moved under the review. The paths
// come as the command's text, or as why the tree is not the one.
func (t *turn) voided() error {
	if t.c.Facts.Tree != "" && t.was.Submission != nil && !t.was.Moved(t.c.Facts.Tree) {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "tree-moved", Reason: "the tree is the submitted one"})
	}
	if err := t.step(task.Voided{}); err != nil {
		return err
	}
	paths := orElse(t.c.Text, t.c.Facts.TreeWhy)
	t.reviewed()
	t.put(ReviewText, "The submission is void: files changed after it was handed in, so what was checked is not what would be approved.\n\n"+paths+"\n\nCheck and submit again.\n")
	t.out.Event, t.out.Why = "voided", orElse(line(paths), "the tree moved after the submission")
	t.out.Result = Result{Status: "voided", Message: t.out.Why}
	if t.w.Submission != nil && t.w.Submission.Voided >= task.VoidedLimit {
		t.holdFor("voided", "ferrus")
	}
	return nil
}
