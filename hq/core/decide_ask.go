package core

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/machine"
	"ferrus/machine/task"
)

// ConsultHeadings lists the headings that a consultation must have, in the order of
// CONSULT_TEMPLATE.md.
var ConsultHeadings = []string{"## Problem", "## What I tried", "## Options (if any)", "## Question"}

// missingHeading returns the first heading that is no line of a text; empty: none.
func missingHeading(text string) string {
	lines := strings.Split(text, "\n")
	for _, h := range ConsultHeadings {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == h }) {
			return h
		}
	}
	return ""
}

// consult opens a consultation. It drops the response to the previous one. The lease
// stays with the executor, who waits; the consultant needs none.
func (t *decision) consult() error {
	missing := ""
	if t.hasText() {
		missing = missingHeading(t.c.Text)
	}
	ticket := t.c.Facts.NextSeq
	err := t.step(task.Consult{Lease: t.lease(), Ticket: ticket, Text: t.hasText(), Missing: missing})
	if err != nil {
		return err
	}
	t.w.Consult = &Consult{Ticket: ticket, Session: t.c.By.Session}
	t.setText(ConsultRequestText, t.c.Text)
	t.removeTexts(ConsultResponseText)
	t.out.Event, t.out.Why = KindConsult, summaryLine(afterHeading(t.c.Text, "## Question"))
	t.out.Result = Result{Status: StatusAsked, Ticket: ticket, Next: "wait_for_consult"}
	return nil
}

// respondConsult records the supervisor's response, until the executor waits for it.
// The human may respond too. A second response is refused: the first may have been
// read.
func (t *decision) respondConsult() error {
	if err := t.step(task.RespondConsult{Ticket: t.c.Ticket, Text: t.hasText()}); err != nil {
		return err
	}
	t.setText(ConsultResponseText, t.c.Text)
	t.out.Event, t.out.Why = KindRespondConsult, summaryLine(t.c.Text)
	t.out.Result = Result{Status: StatusRecorded, Ticket: t.w.Consult.Ticket}
	return nil
}

// waitForConsult returns to work with the response, whose text the caller reads. It is
// the executor's to call, because only it can say that the response has arrived.
func (t *decision) waitForConsult() error {
	if err := t.step(task.WaitForConsult{Lease: t.lease()}); err != nil {
		return t.stillConsulting(err)
	}
	t.forgetQuestion(machine.Supervisor) // the consultant's
	t.out.Event, t.out.Why = KindWaitForConsult, "the executor has the response"
	t.out.Result = Result{Status: StatusAnswered, ResumedState: t.w.State, Ticket: t.was.Consult.Ticket}
	return nil
}

// stillConsulting turns the refusal of a wait during a question to the human into one
// that says to wait on: the consultation is paused, not over.
func (t *decision) stillConsulting(err error) error {
	r := machine.AsRefusal(err)
	if r == nil || r.Code != machine.NoSuchTransition || !t.was.IsIn(task.Consultation) {
		return err
	}
	r.Code = machine.GuardFailed
	r.Failed = []machine.Failed{{Guard: "consult-answered", Reason: "the human is asked first", Expected: "a response",
		Fix: "call wait_for_consult again"}}
	return r
}

// askHuman opens a question to the human. It drops the previous question's answer. The
// asker keeps its lease, if it has one. Its session may end meanwhile and be started
// again with the answer.
func (t *decision) askHuman() error {
	by, ticket := t.c.By, t.c.Facts.NextSeq
	if err := t.step(task.AskHuman{Lease: t.lease(), Ticket: ticket, Text: t.hasText()}); err != nil {
		return err
	}
	t.w.Question = &Question{Ticket: ticket, Session: by.Session, Role: by.Role, Mode: by.Mode}
	t.setText(QuestionText, t.c.Text)
	t.removeTexts(AnswerText)
	t.out.Event, t.out.Why = KindAskHuman, summaryLine(t.c.Text)
	t.out.Result = Result{Status: StatusAsked, Ticket: ticket, Next: "wait_for_answer"}
	return nil
}

// answer records the answer, which waits to be delivered. The human's answer also
// clears a hold: it shows that the human is there. The state returns to where the
// question was asked at once, not when the answer is delivered: the session that needs
// it may have to be started first.
func (t *decision) answer() error {
	q := t.was.Question
	asker := q != nil && q.Session != "" && q.Session == t.c.By.Session
	err := t.step(task.Answer{Ticket: t.c.Ticket, Text: t.hasText(), Unattended: t.c.Facts.Unattended, Asker: asker})
	if err != nil {
		return err
	}
	if t.w.Question == nil {
		t.w.Question = &Question{Role: machine.Executor}
	}
	t.w.Question.Answered = true
	if t.c.By.Role == machine.Human {
		t.w.Hold = nil
	}
	t.setText(AnswerText, t.c.Text)
	t.out.Event, t.out.Why = KindAnswer, summaryLine(t.c.Text)
	t.out.Result = Result{Status: StatusRecorded, Ticket: t.w.Question.Ticket, ResumedState: t.w.State}
	return nil
}

// forgetQuestion drops the question of a role that no longer needs an answer.
func (t *decision) forgetQuestion(role machine.Role) {
	if t.w.Question != nil && t.w.Question.Role == role {
		t.w.Question = nil
		t.removeTexts(QuestionText, AnswerText)
	}
}

// deliver gives the answer once, to the session that asked or to its successor. The
// caller reads the text. An answer that is delivered twice would be acted on twice; one
// that gets lost on the way stays readable as AnswerText.
func (t *decision) deliver() error {
	q := t.w.Question
	if failed := t.undeliverable(q); failed != nil {
		return t.describeRefusal(t.refusal(machine.GuardFailed, *failed))
	}
	if t.fenced() {
		return t.describeRefusal(t.refusal(machine.GuardFailed))
	}
	q.Delivered = true
	t.out.Event, t.out.Why = KindDeliver, fmt.Sprintf("the answer to question %d", q.Ticket)
	t.out.Result = Result{Status: StatusAnswered, Ticket: q.Ticket, ResumedState: t.w.State}
	return nil
}

// undeliverable returns why there is nothing to deliver to the caller; nil if there is.
func (t *decision) undeliverable(q *Question) *machine.Failed {
	switch {
	case q == nil || !q.AskedBy(t.c.By):
		return &machine.Failed{Guard: "question-asked", Reason: "you have not asked a question",
			Fix: "call ask_human first"}
	case !q.Answered:
		return &machine.Failed{Guard: "question-answered", Reason: "the question is not answered yet",
			Fix: "call wait_for_answer again"}
	case q.Delivered:
		return &machine.Failed{Guard: "answer-undelivered", Reason: "the answer has been delivered",
			Fix: "read " + AnswerText}
	}
	return nil
}

// AskedBy reports whether an actor asked the question, or succeeds the session that did: an
// answer belongs to a role and a mode, because sessions can fail.
func (q *Question) AskedBy(a Actor) bool {
	if a.Session != "" && q.Session == a.Session {
		return true
	}
	if q.Role != a.Role {
		return false
	}
	return a.Role == machine.Executor || q.Mode == a.Mode || a.Mode == ModeFree || a.Mode == ""
}

// Exchanges returns the consultation and the answer that a role has received in this
// task, so that a restarted session knows them; text reads a text by name. Each is kept
// until the next of its kind, or until submit. A consultation is the executor's alone;
// an answer belongs to the role that asked.
func (w World) Exchanges(role machine.Role, text func(name string) string) (consults, answers []Exchange) {
	if c := w.Consult; c != nil && c.Answered && !w.IsIn(task.Consultation) && role == machine.Executor {
		consults = []Exchange{{Question: text(ConsultRequestText), Answer: text(ConsultResponseText)}}
	}
	if q := w.Question; q != nil && q.Delivered && q.Role == role {
		answers = []Exchange{{Question: text(QuestionText), Answer: text(AnswerText)}}
	}
	return consults, answers
}
