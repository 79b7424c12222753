package core

import (
	"errors"
	"slices"
	"strings"

	"ferrus/machine"
	"ferrus/machine/task"
)

// imported turns the World of an earlier ferrus into a valid one. The World is as read
// from its STATE.json, and Command.Texts are the files beside it. Leases and proofs are
// dropped, because that version could not bind them to a process or a tree. Open
// questions stay open under new tickets, and given answers are kept. The tree that the
// task started from is unknown, so only the human may approve it.
func (t *decision) imported() error {
	w, f := &t.w, t.c.Facts
	if w.Task != nil || w.Gate != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "fresh-import",
			Reason: "this project has been imported or used already"})
	}
	w.Lease = Lease{}
	w.FailureReason = summaryLine(w.FailureReason)
	if w.State == task.Checking {
		w.State, w.Since = task.Executing, stamp(f.Now)
	}
	t.removeTexts(TaskText)
	t.removeTexts(TaskTexts...)
	if w.State != task.Idle {
		w.Task = &Task{ID: f.TaskID, Title: orElse(TaskTitle(t.c.Texts[TaskText]), "task without a text"),
			Definition: f.Definition.copied()}
		t.importTexts()
	}
	t.resumeWaits()
	if w.IsIn(task.Reviewing) {
		w.Submission = &Submission{Tree: f.Tree, At: stamp(f.Now)}
	}
	err := w.Validate()
	if err == nil && w.IsIn(task.Reviewing) && f.Tree == "" {
		err = errors.New("the submitted tree cannot be identified: " + orElse(f.TreeWhy, "its tree was not read"))
	}
	if err != nil {
		return t.refusal(machine.GuardFailed, machine.Failed{Guard: "state-sound", Reason: err.Error()})
	}
	t.out.Event, t.out.Why = KindImport, "from schema version 1"
	t.out.Result.Status = StatusImported
	return nil
}

// importTexts keeps the texts of the task. An earlier ferrus left the review notes of a
// previous task in place, so notes without a rejection are dropped.
func (t *decision) importTexts() {
	for _, name := range []string{TaskText, SubmissionText} {
		t.setText(name, t.c.Texts[name])
	}
	if t.w.ReviewCycles > 0 {
		t.setText(ReviewText, t.c.Texts[ReviewText])
	}
}

// hasImported reports whether an imported text is not blank.
func (t *decision) hasImported(name string) bool { return strings.TrimSpace(t.c.Texts[name]) != "" }

// resumeWaits gives new tickets to what was waited for. The earlier version kept one
// pause; a pause over a gate, or over an unknown state, becomes one over work.
func (t *decision) resumeWaits() {
	w, back := &t.w, task.Executing
	if over := top(w.Paused); slices.Contains([]machine.State{task.Addressing, task.Reviewing,
		task.Consultation}, over) {
		back = over
	}
	w.Paused, w.PausedState = []machine.State{}, ""
	switch w.State {
	case task.Consultation:
		if back != task.Addressing {
			back = task.Executing
		}
		w.pauseOver(back)
		t.resumeConsult()
	case task.AwaitingHuman:
		w.pauseOver(back)
		if back == task.Consultation {
			w.pauseOver(task.Executing, back)
			t.resumeConsult()
		}
		t.resumeQuestion(back)
	case task.Executing, task.Addressing:
		if t.hasImported(AnswerText) { // the human has answered, and the executor has not read it
			t.resumeQuestion(w.State)
		}
	}
}

// pauseOver sets the pause stack, innermost last.
func (w *World) pauseOver(states ...machine.State) {
	w.Paused, w.PausedState = states, states[len(states)-1]
}

// resumeConsult asks the supervisor again, or keeps the response for the executor.
func (t *decision) resumeConsult() {
	t.w.Consult = &Consult{Ticket: t.c.Facts.NextSeq, Answered: t.hasImported(ConsultResponseText)}
	t.setText(ConsultRequestText, t.c.Texts[ConsultRequestText])
	t.setText(ConsultResponseText, t.c.Texts[ConsultResponseText])
}

// resumeQuestion asks the human again, or keeps the answer for delivery.
func (t *decision) resumeQuestion(back machine.State) {
	w, q := &t.w, &Question{Ticket: t.c.Facts.NextSeq, Role: machine.Executor, Mode: ModeWork}
	switch back {
	case task.Reviewing:
		q.Role, q.Mode = machine.Supervisor, ModeReview
	case task.Consultation:
		q.Role, q.Mode = machine.Supervisor, ModeConsult
	}
	q.Answered = t.hasImported(AnswerText)
	if q.Answered && w.State == task.AwaitingHuman {
		w.State, w.Since = back, stamp(t.c.Facts.Now)
		w.Paused = w.Paused[:len(w.Paused)-1]
		w.PausedState = top(w.Paused)
	}
	w.Question = q
	t.setText(QuestionText, t.c.Texts[QuestionText])
	t.setText(AnswerText, t.c.Texts[AnswerText])
}
