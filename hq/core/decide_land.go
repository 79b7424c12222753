package core

import (
	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/machine"
	"ferrus/machine/task"
)

// prepared records that the setup commands of the task's workspace have run. Recording
// it twice is no event.
func (t *decision) prepared() error {
	if t.w.Task == nil || t.w.Task.Workspace == nil {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "own-workspace",
			Reason: "the task has no workspace"})
	}
	t.out.Result.Status = StatusPrepared
	if !t.w.Task.Workspace.Ready {
		t.w.Task.Workspace.Ready = true
		t.out.Event, t.out.Why = KindPrepared, t.w.Task.Workspace.Branch
	}
	return nil
}

// landed records the commit that the work of a complete task is in. A second landing is
// refused. It is recorded after the branch has moved, and cannot be taken back: from
// then on the work belongs to the branch.
func (t *decision) landed() error {
	if err := t.unlanded(); err != nil {
		return err
	}
	if t.c.Landed == nil || t.c.Landed.Commit == "" {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "commit-required",
			Reason: "the commit of the work is missing"})
	}
	t.w.Task.Landed = copied(t.c.Landed)
	t.out.Event, t.out.Why = KindLanded, summaryLine(t.c.Landed.Commit[:min(12, len(t.c.Landed.Commit))]+" on "+
		orElse(t.c.Landed.Onto, "no branch"))
	t.out.Result.Status = StatusLanded
	return nil
}

// unlanded refuses if there is nothing to land, or no longer.
func (t *decision) unlanded() error {
	switch {
	case t.w.State != task.Complete || t.w.Task == nil:
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "complete",
			Reason: "only a Complete task can land", Expected: "an approved submission"})
	case t.w.Task.Landed != nil:
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "not-landed",
			Reason: "the task has landed already"})
	}
	return nil
}

// returned sends approved work back to the executor: because it conflicts with the branch
// or its checks fail there, or because the human has comments on it. The text has the
// details. Both counters are 0 again, since the executor's work was accepted. The base
// becomes what the work now rests on, so that the next diff shows the task's own change
// only. The human cannot return what has landed: that is a task of its own.
func (t *decision) returned() error {
	if t.c.By.Role == machine.Human {
		if err := t.unlanded(); err != nil {
			return err
		}
	}
	if err := t.sendRound(comments.AsReturn); err != nil {
		return err
	}
	if err := t.step(task.Returned{Text: t.hasText()}); err != nil {
		return err
	}
	if t.w.Task != nil && t.c.Facts.Base.Tree != "" {
		t.w.Task.Base = t.c.Facts.Base
	}
	t.w.FailureReason = ""
	t.setText(ReviewText, t.c.Text)
	t.out.Event, t.out.Why = KindReturned, summaryLine(t.c.Text)
	if len(t.c.Drafts) > 0 {
		t.out.Why = t.roundSummary()
	}
	t.out.Result = Result{Status: StatusReturned}
	return nil
}

// rejudge returns approved work to review after its branch moved: on the new tip it is another change
// than the approved one. The checks passed on that tree, which the submission is bound to from now on.
func (t *decision) rejudge() error {
	if err := t.unlanded(); err != nil {
		return err
	}
	g, f, was := t.c.Gate, t.c.Facts, t.was.Submission
	proven := g != nil && g.Tree != "" && g.Verdict.Passed()
	if err := t.step(task.Rejudge{Text: t.hasText(), Proven: proven,
		Flaky: proven && g.Verdict == checks.Flaky}); err != nil {
		return err
	}
	t.w.Task.Base = f.Base
	t.w.Task.Gates++
	now := stamp(f.Now)
	t.w.Gate = &Gate{Ticket: f.NextSeq, Attempt: t.w.Task.Gates, From: task.Addressing, Submit: true,
		Verdict: g.Verdict, Tree: g.Tree, Log: g.Log, At: &now}
	made := Submission{Tree: g.Tree, At: now, Ticket: f.NextSeq, Alarms: f.Alarms, Rejudged: true}
	if was != nil {
		made.Voided = was.Voided
	}
	t.w.Submission = made.copied()
	t.w.FailureReason = ""
	t.setText(ReviewText, t.c.Text)
	t.out.Event, t.out.Why = KindRejudge, summaryLine(t.c.Text)
	t.out.Result = Result{Status: StatusRejudged}
	return nil
}
