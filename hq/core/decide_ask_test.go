package core

import (
	"slices"
	"strings"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

func TestConsultNamesTheFirstMissingHeading(t *testing.T) {
	p := started(t)
	text := "## Problem\nx\n## Options (if any)\n### Question\n"
	r := p.wantRefusal(say("consult", executor, text), machine.GuardFailed, "consult-template")
	if !strings.Contains(r.Error(), "## What I tried") {
		t.Errorf("the refusal does not name the first missing heading: %v", r)
	}
}

func TestAnswers(t *testing.T) {
	p := started(t)
	p.do(say("ask_human", executor, "POST too?"))
	ticket := p.w.Question.Ticket
	p.wantRefusal(Command{Kind: "answer", By: human, Text: "x", Ticket: ticket - 1}, machine.Stale, "ticket-current")
	p.wantRefusal(say("answer", reviewer, "x"), machine.GuardFailed, "unattended")
	p.wantRefusal(say("answer", executor, "x"), machine.NotYourRole, "")
	if d := p.do(p.with(say("answer", reviewer, "No."), func(f *Facts) {
		f.Unattended = true
	})); d.Result.ResumedState != task.Executing {
		t.Errorf("after the answer: %+v, want to resume Executing", d.Result)
	}
	p.wantRefusal(Command{Kind: "answer", By: human, Text: "x", Ticket: ticket}, machine.Stale, "ticket-current")
	p.wantRefusal(Command{Kind: "deliver", By: reviewer}, machine.GuardFailed, "question-asked")
	text := func(name string) string { return name }
	if _, answers := p.w.Exchanges(machine.Executor, text); answers != nil {
		t.Error("an answer is handed out before it was delivered")
	}
	p.do(Command{Kind: "deliver", By: executor2}) // in place of who asked
	if _, answers := p.w.Exchanges(machine.Executor, text); !slices.Equal(answers,
		[]Exchange{{QuestionText, AnswerText}}) {
		t.Errorf("the executor's exchanges are %+v, want one question with its answer", answers)
	}
}

func TestTheAskerDoesNotAnswer(t *testing.T) {
	p := reviewing(t)
	p.do(say("ask_human", reviewer, "Is this wanted?"))
	c := p.with(say("answer", reviewer, "Yes."), func(f *Facts) { f.Unattended = true })
	p.wantRefusal(c, machine.GuardFailed, "not-the-asker")
	p.do(say("answer", human, "Yes."))
	p.wantState(task.Reviewing)
}

// A question of the consultant nests above the consultation, and both are resumed in turn.
func TestQuestionsNest(t *testing.T) {
	p := started(t)
	p.do(say("consult", executor, request))
	p.do(say("ask_human", consultant, "Which one is meant?"))
	if p.w.PausedState != task.Consultation || len(p.w.Paused) != 2 {
		t.Errorf("paused in %s over %v, want a question above the consultation", p.w.PausedState, p.w.Paused)
	}
	p.wantRefusal(Command{Kind: "wait_for_consult", By: executor}, machine.GuardFailed, "consult-answered")
	if n := Advice.Next(p.w, executor); n != "wait_for_consult" {
		t.Errorf("Advice.Next(p.w, executor) is %q, want %q", n, "wait_for_consult")
	}
	p.do(say("answer", human, "The first."))
	p.wantState(task.Consultation)
	if n := Advice.Next(p.w, consultant); n != "wait_for_answer" {
		t.Errorf("Advice.Next(p.w, consultant) is %q, want %q", n, "wait_for_answer")
	}
	p.do(Command{Kind: "deliver", By: consultant})
	p.do(say("respond_consult", consultant, "The first."))
	p.wantRefusal(say("respond_consult", consultant, "Again."), machine.GuardFailed, "consult-unanswered")
	p.do(Command{Kind: "wait_for_consult", By: executor})
	p.wantState(task.Executing)
	text := func(name string) string { return name }
	if consults, _ := p.w.Exchanges(machine.Executor, text); !slices.Equal(consults,
		[]Exchange{{ConsultRequestText, ConsultResponseText}}) {
		t.Errorf("the executor's exchanges are %+v, want one consultation with its response", consults)
	}
}
