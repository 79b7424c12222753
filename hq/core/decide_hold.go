package core

import (
	"slices"

	"ferrus/machine"
)

// hold sets a hold: no session is started until it is cleared. The command's text is
// the reason, one of the Hold constants. Holding again for the same reason is accepted
// without an event, so callers need not look first.
func (t *decision) hold() error {
	if !t.hasText() {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "text-required", Reason: "a hold needs a reason",
			Expected: "stop, quit, no-progress, session-limit, agent, unproven, voided, limit-tokens, limit-cost"})
	}
	t.out.Result.Status = StatusHeld
	if t.holdFor(t.c.Text, orElse(t.c.By.ID, string(t.c.By.Role)), t.c.Cause) {
		t.out.Event, t.out.Why = KindHold, t.w.Hold.Describe()
		t.recordAsked()
	}
	return nil
}

// recordAsked keeps the amount at which the human is asked about a limit, from which
// the limit counts on. The other limit is unaffected. Without it, resuming would hold
// the task again at the next session's end.
func (t *decision) recordAsked() {
	if t.c.Used == nil || t.w.Task == nil {
		return
	}
	if t.w.Task.Asked == nil {
		t.w.Task.Asked = &Amount{}
	}
	switch t.c.Text {
	case HoldTokens:
		t.w.Task.Asked.Tokens = t.c.Used.Tokens
	case HoldCost:
		t.w.Task.Asked.Cost = t.c.Used.Cost
	}
}

// becauseCells is the maximal width of a hold's cause: two rows of a wide screen.
const becauseCells = 300

// holdFor sets a hold and reports whether it is new. HoldQuit never replaces another
// hold, because the next HQ clears it without asking.
func (t *decision) holdFor(reason, by, because string) bool {
	if t.w.Hold != nil && (t.w.Hold.Reason == reason || reason == HoldQuit) {
		return false
	}
	t.w.Hold = &Hold{Reason: reason, Cause: firstLine(because, becauseCells), By: by, Since: stamp(t.c.Facts.Now)}
	return true
}

// isHeld reports whether the task is on hold for one of some reasons.
func (w World) isHeld(reasons ...string) bool {
	return w.Hold != nil && slices.Contains(reasons, w.Hold.Reason)
}

// resume clears the hold; with a text, only a hold of that reason. Resuming without a
// hold is accepted without an event.
func (t *decision) resume() error {
	t.out.Result.Status = StatusResumed
	if t.w.Hold == nil || t.hasText() && t.c.Text != t.w.Hold.Reason {
		return nil
	}
	t.out.Event, t.out.Why = KindResume, t.w.Hold.Reason
	t.w.Hold = nil
	return nil
}

// needSelection refuses a selection command without one.
func (t *decision) needSelection() error {
	if t.c.Select != nil {
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: "selection-required", Reason: "nothing is selected",
		Expected: "a spec, and perhaps a milestone"})
}

// selected records the selection and what is about to become a task; the origin of the
// present task stays. The command's text, if any, is the reason. Only ferrus records a
// tick, and only where one is due. A selection that is there already is no event.
func (t *decision) selected() error {
	if err := t.needSelection(); err != nil {
		return err
	}
	s := *t.c.Select
	s.TaskSpec, s.TaskMilestone = t.w.TaskSpec, t.w.TaskMilestone
	s.TaskTicked = t.w.TaskTicked || t.c.By.Role == machine.Ferrus && s.TaskTicked && t.w.NeedsTick()
	t.out.Result = Result{Status: StatusSelected, Path: s.SelectedSpec, Milestone: s.SelectedMilestone}
	if s == t.w.Selection {
		return nil
	}
	t.w.Selection = s
	t.out.Event, t.out.Why = KindSelect, orElse(summaryLine(t.c.Text), orElse(s.chosen(), "nothing"))
	return nil
}

// chosen names what is selected; empty: nothing.
func (s Selection) chosen() string {
	if s.SelectedMilestone == "" {
		return s.SelectedSpec
	}
	return s.SelectedMilestone + " of " + s.SelectedSpec
}

// createSpec selects a spec that was just written. The caller has written the file
// before: a spec without a selection is harmless, a selection without its file is not.
func (t *decision) createSpec() error {
	if err := t.needSelection(); err != nil {
		return err
	}
	t.w.SelectedSpec, t.w.SelectedMilestone = t.c.Select.SelectedSpec, t.c.Select.SelectedMilestone
	t.out.Event, t.out.Why = KindCreateSpec, t.w.SelectedSpec
	t.out.Result = Result{Status: StatusWritten, Path: t.w.SelectedSpec, Milestone: t.w.SelectedMilestone,
		Next: t.nextIn(ModeSpec)}
	return nil
}

// nextIn tells a session of these modes, which has now done what it was started for, to end; empty: it is another one,
// which does what the state calls for.
func (t *decision) nextIn(modes ...Mode) string {
	if slices.Contains(modes, t.c.By.Mode) {
		return EndSession
	}
	return ""
}

// queueTask records that a task was added to the queue, which ends the request for it. The caller
// has added it before: a task in the queue without this line is harmless.
func (t *decision) queueTask() error {
	if !t.hasText() {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "text-required", Reason: "the text is empty",
			Expected: "which task was queued"})
	}
	t.out.Event, t.out.Why = KindQueueTask, summaryLine(t.c.Text)
	t.out.Result = Result{
		Status: StatusQueued, Message: summaryLine(t.c.Text) + " is queued, and starts when its turn comes",
		Next: t.nextIn(ModePlan, ModeTask),
	}
	return nil
}

// noted records a line about a session in the journal.
func (t *decision) noted() error {
	t.out.Result.Status = StatusNoted
	if t.hasText() {
		t.out.Event, t.out.Why = KindNoted, firstLine(t.c.Text, noteCells)
	}
	return nil
}
