package hq

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/machine"
	"ferrus/machine/task"
)

// started is a player whose executor has claimed a task.
func started(t *testing.T) *player {
	p := newPlayer(t)
	p.do(say("create_task", planner, "# Add retry"))
	p.do(Command{Kind: "claim", By: executor})
	return p
}

// reviewing is a player whose tree "b" is under review.
func reviewing(t *testing.T) *player {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	p.verdict(Pass, "b")
	p.submit("b")
	p.do(Command{Kind: "claim", By: reviewer})
	return p
}

func (p *player) with(c Command, change func(*Facts)) Command {
	change(&c.Facts)
	return c
}

func TestEmptyTextsAreRefused(t *testing.T) {
	p := newPlayer(t)
	p.refused(say("create_task", planner, " \n"), machine.GuardFailed, "text-required")
	p = started(t)
	for _, kind := range []machine.Kind{"submit", "consult", "ask_human"} {
		p.refused(say(kind, executor, "\t"), machine.GuardFailed, "text-required")
	}
	p.do(say("ask_human", executor, "Which?"))
	p.refused(say("answer", person, ""), machine.GuardFailed, "text-required")
	p = reviewing(t)
	p.refused(say("reject", reviewer, ""), machine.GuardFailed, "text-required")
	p.refused(say("hold", person, ""), machine.GuardFailed, "text-required")
}

func TestConsultNamesTheFirstMissingHeading(t *testing.T) {
	p := started(t)
	text := "## Problem\nx\n## Options (if any)\n### Question\n"
	r := p.refused(say("consult", executor, text), machine.GuardFailed, "consult-template")
	if !strings.Contains(r.Error(), "## What I tried") {
		t.Error(r)
	}
}

func TestTheLastRetryFails(t *testing.T) {
	p := started(t)
	p.lim.CheckRetries = 2
	p.do(Command{Kind: "check", By: executor})
	if d := p.verdict(Fail, "a"); d.Result.Status != "failed" || d.Result.GateReport.Retries.Used != 1 {
		t.Errorf("%+v", d.Result)
	}
	p.do(Command{Kind: "check", By: executor})
	d := p.verdict(Timeout, "a")
	p.at(task.Failed)
	if d.Result.Status != "limit" || p.w.ClaimedBy != "" || !strings.Contains(p.w.FailureReason, "2 times in a row") {
		t.Errorf("%+v %+v", d.Result, p.w)
	}
	p.refused(Command{Kind: "retry", By: reviewer}, machine.NotYourRole, "")
	p.do(Command{Kind: "retry", By: person})
	p.at(task.Addressing)
	if p.w.CheckRetries != 0 || p.w.FailureReason != "" {
		t.Errorf("%+v", p.w.Counters)
	}
}

func TestTheLastRejectionFails(t *testing.T) {
	p := reviewing(t)
	p.lim.ReviewCycles = 1
	d := p.do(say("reject", person, "No."))
	p.at(task.Failed)
	if d.Result.Status != "limit" || d.Texts[ReviewText] != "No." || p.w.ReviewCycles != 1 {
		t.Errorf("%+v", d)
	}
	free := reviewer
	free.Mode = ModeFree
	p.do(Command{Kind: "reset", By: free})
	p.at(task.Idle)
}

func TestUnproven(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	d := p.verdict(Unproven, "a")
	p.at(task.Executing)
	if d.Result.Status != "unproven" || !p.w.held("unproven") || p.w.CheckRetries != 0 {
		t.Errorf("%+v", p.w)
	}
	allowed := Command{Kind: "checked", By: program, Gate: &GateResult{Verdict: Unproven, Tree: "a"}, Facts: Facts{AllowNone: true}}
	p.do(Command{Kind: "check", By: executor})
	p.do(allowed)
	p.at(task.Checking)
	if p.w.Gate.Verdict != Unproven || p.submit("a").Result.Status != "submitted" {
		t.Errorf("%+v", p.w.Gate)
	}
}

// What cannot be read is never proven, whatever is allowed.
func TestUnprovenForWantOfATreeIsNeverAllowed(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	p.do(Command{Kind: "checked", By: program, Gate: &GateResult{Verdict: Unproven}, Facts: Facts{AllowNone: true}})
	p.at(task.Executing)
}

func TestCancelledAndLostGates(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	d := p.do(Command{Kind: "check_cancelled", By: person})
	p.at(task.Executing)
	if d.Result.Status != "cancelled" || p.w.Gate.Verdict != Cancelled || p.w.CheckRetries != 0 {
		t.Errorf("%+v", d)
	}
	p.do(Command{Kind: "check", By: executor})
	ticket := p.w.Gate.Ticket
	for range 2 {
		p.do(Command{Kind: "gate_lost", By: program, Ticket: ticket})
		p.at(task.Checking)
	}
	d = p.do(Command{Kind: "gate_lost", By: program, Ticket: ticket})
	p.at(task.Executing)
	if d.Event != "check_cancelled" || !strings.Contains(d.Why, "gate lost") || p.w.Gate.Lost != 3 {
		t.Errorf("%+v %+v", d, p.w.Gate)
	}
	p.refused(Command{Kind: "checked", By: program, Ticket: ticket, Gate: &GateResult{Verdict: Pass}}, machine.Stale, "ticket-current")
}

func TestALateVerdictChangesNothing(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	old := p.w.Gate.Ticket
	p.verdict(Pass, "a")
	p.do(Command{Kind: "check", By: executor})
	p.refused(Command{Kind: "checked", By: program, Ticket: old, Gate: &GateResult{Verdict: Fail}}, machine.Stale, "ticket-current")
	if r := GateOutcome(p.w, old, p.lim); r.Status != "cancelled" {
		t.Errorf("%+v", r)
	}
}

// A check out of Checking keeps where the gate before it came from.
func TestTheGateComesFromWork(t *testing.T) {
	p := started(t)
	for range 3 {
		p.do(Command{Kind: "check", By: executor})
		p.verdict(Pass, "a")
	}
	if p.w.Gate.From != task.Executing || p.w.Task.Gates != 3 {
		t.Errorf("%+v", p.w.Gate)
	}
	if d := p.submit("moved"); d.Event != "check" || p.w.Gate.From != task.Executing || p.w.Gate.Attempt != 4 {
		t.Errorf("%+v", d)
	}
}

func TestApproveOnlyWhatWasSubmitted(t *testing.T) {
	p := reviewing(t)
	moved := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) { f.Tree, f.TreeWhy = "c", "a.go" })
	if r := p.refused(moved, machine.GuardFailed, "tree-unchanged"); !strings.Contains(r.Error(), "a.go") {
		t.Error(r)
	}
	if !p.w.Moved("c") || p.w.Moved("b") || p.w.Moved("") {
		t.Error("moved")
	}
	alarm := p.with(Command{Kind: "approve", By: reviewer}, func(f *Facts) { f.Tree, f.Alarms = "b", []string{"x"} })
	p.refused(alarm, machine.GuardFailed, "person-approves-alarms")
	alarm.By = person
	p.do(alarm)
	p.at(task.Complete)
}

func TestVoidedThreeTimesHolds(t *testing.T) {
	p := reviewing(t)
	for n := 1; ; n++ {
		d := p.do(p.with(say("voided", program, "a.go\nb.go"), func(f *Facts) { f.Tree = "other" }))
		p.at(task.Addressing)
		if !strings.Contains(d.Texts[ReviewText], "b.go") || p.w.ReviewCycles != 0 {
			t.Errorf("%+v", d)
		}
		if p.w.held("voided") != (n == 3) {
			t.Fatalf("%d: %+v", n, p.w.Hold)
		}
		if n == 3 {
			return
		}
		p.do(Command{Kind: "claim", By: executor})
		p.do(Command{Kind: "check", By: executor})
		p.verdict(Pass, "b")
		p.submit("b")
	}
}

func TestAnswers(t *testing.T) {
	p := started(t)
	p.do(say("ask_human", executor, "POST too?"))
	ticket := p.w.Question.Ticket
	p.refused(Command{Kind: "answer", By: person, Text: "x", Ticket: ticket - 1}, machine.Stale, "ticket-current")
	p.refused(say("answer", reviewer, "x"), machine.GuardFailed, "unattended")
	p.refused(say("answer", executor, "x"), machine.NotYourRole, "")
	if d := p.do(p.with(say("answer", reviewer, "No."), func(f *Facts) { f.Unattended = true })); d.Result.ResumedState != task.Executing {
		t.Errorf("%+v", d)
	}
	p.refused(Command{Kind: "answer", By: person, Text: "x", Ticket: ticket}, machine.Stale, "ticket-current")
	p.refused(Command{Kind: "deliver", By: reviewer}, machine.GuardFailed, "question-asked")
	text := func(name string) string { return name }
	if _, answers := p.w.Exchanges(machine.Executor, text); answers != nil {
		t.Error("an answer that was not delivered is handed out")
	}
	p.do(Command{Kind: "deliver", By: executor2}) // in place of who asked
	if _, answers := p.w.Exchanges(machine.Executor, text); !slices.Equal(answers, []Exchange{{QuestionText, AnswerText}}) {
		t.Errorf("%+v", answers)
	}
}

func TestTheAskerDoesNotAnswer(t *testing.T) {
	p := reviewing(t)
	p.do(say("ask_human", reviewer, "Is this wanted?"))
	c := p.with(say("answer", reviewer, "Yes."), func(f *Facts) { f.Unattended = true })
	p.refused(c, machine.GuardFailed, "not-the-asker")
	p.do(say("answer", person, "Yes."))
	p.at(task.Reviewing)
}

// A question of the consultant nests over the consultation, and both find back.
func TestQuestionsNest(t *testing.T) {
	p := started(t)
	p.do(say("consult", executor, request))
	p.do(say("ask_human", consultant, "Which one is meant?"))
	if p.w.PausedState != task.Consultation || len(p.w.Paused) != 2 {
		t.Errorf("%+v", p.w)
	}
	p.refused(Command{Kind: "wait_for_consult", By: executor}, machine.GuardFailed, "consult-answered")
	if n := Next(p.w, machine.Executor); n != "wait_for_consult" {
		t.Error(n)
	}
	p.do(say("answer", person, "The first."))
	p.at(task.Consultation)
	if n := Next(p.w, machine.Supervisor); n != "wait_for_answer" {
		t.Error(n)
	}
	p.do(Command{Kind: "deliver", By: consultant})
	p.do(say("respond_consult", consultant, "The first."))
	p.refused(say("respond_consult", consultant, "Again."), machine.GuardFailed, "consult-unanswered")
	p.do(Command{Kind: "wait_for_consult", By: executor})
	p.at(task.Executing)
	text := func(name string) string { return name }
	if consults, _ := p.w.Exchanges(machine.Executor, text); !slices.Equal(consults, []Exchange{{ConsultRequestText, ConsultResponseText}}) {
		t.Errorf("%+v", consults)
	}
}

func TestReset(t *testing.T) {
	p := started(t)
	p.do(say("hold", person, "stop"))
	p.refused(Command{Kind: "reset", By: reviewer}, machine.NotYourRole, "")
	epoch := p.w.Epoch
	d := p.do(Command{Kind: "reset", By: person})
	p.at(task.Idle)
	if d.Archive != "t-1" || p.w.Epoch <= epoch || p.w.Task != nil || p.w.Hold != nil || p.w.ClaimedBy != "" {
		t.Errorf("%+v", d)
	}
	for _, name := range append([]string{TaskText}, allTexts...) {
		if text, ok := d.Texts[name]; !ok || text != "" {
			t.Errorf("%s stays", name)
		}
	}
	for _, kind := range []machine.Kind{"check", "heartbeat", "deliver"} {
		p.refused(Command{Kind: kind, By: executor}, machine.Stale, "")
	}
	p.refused(say("submit", executor, "done"), machine.Stale, "lease-required")
	p.refused(Command{Kind: "claim", By: executor2, Epoch: epoch}, machine.Stale, "same-task")
	p.refused(p.with(say("create_task", person, "x"), func(f *Facts) { f.StillEnding = true }), machine.GuardFailed, "still-ending")
	p.do(say("create_task", person, "x"))
	p.refused(Command{Kind: "check", By: executor}, machine.Stale, "lease-required")
}

func TestHolds(t *testing.T) {
	p := started(t)
	p.do(say("hold", program, "no-progress"))
	if d := p.do(say("hold", program, "no-progress")); d.Event != "" {
		t.Error("held twice")
	}
	if p.do(say("hold", person, "quit")); !p.w.held("no-progress") {
		t.Error("a hold quit took the place of another")
	}
	if d := p.do(say("resume", person, "quit")); d.Event != "" || p.w.Hold == nil {
		t.Error("another hold was cleared")
	}
	p.do(say("ask_human", executor, "?"))
	p.do(say("answer", person, "!"))
	if p.w.Hold != nil {
		t.Error("an answer did not clear the hold")
	}
	p.do(say("hold", person, "quit"))
	if d := p.do(say("resume", person, "quit")); d.Event != "resume" || p.w.Hold != nil {
		t.Error("the hold stays")
	}
	p.refused(say("hold", executor, "stop"), machine.NotYourRole, "role")
}

func TestModes(t *testing.T) {
	p := newPlayer(t)
	p.refused(say("create_task", reviewer, "x"), machine.NotYourRole, "mode")
	p.refused(Command{Kind: "create_spec", By: planner, Select: &Selection{SelectedSpec: "a"}}, machine.NotYourRole, "mode")
	p = reviewing(t)
	p.refused(say("approve", consultant, ""), machine.NotYourRole, "mode")
	p.refused(say("submit", reviewer, "x"), machine.NotYourRole, "")
	p.refused(say("approve", executor, ""), machine.NotYourRole, "")
}

func TestFactsMoved(t *testing.T) {
	p := started(t)
	c := Command{Kind: "check", By: executor, Seq: 1}
	p.refused(c, machine.GuardFailed, "facts-moved")
	c.Seq = p.seq
	p.do(c)
}

func TestSelection(t *testing.T) {
	p := newPlayer(t)
	p.do(Command{Kind: "create_spec", By: Actor{Role: machine.Supervisor, Mode: ModeSpec, Session: "s"}, Select: &Selection{SelectedSpec: "docs/a.md", SelectedMilestone: "m1"}})
	p.do(Command{Kind: "select", By: person, Select: &Selection{SelectedSpec: "docs/a.md", SelectedMilestone: "m1", PendingTaskSpec: "docs/a.md", PendingTaskMilestone: "m1"}})
	p.do(say("create_task", planner, "x"))
	want := Selection{SelectedSpec: "docs/a.md", SelectedMilestone: "m1", TaskSpec: "docs/a.md", TaskMilestone: "m1"}
	if p.w.Selection != want {
		t.Errorf("%+v", p.w.Selection)
	}
	p.refused(Command{Kind: "select", By: person}, machine.GuardFailed, "selection-required")
}

func TestImport(t *testing.T) {
	p := newPlayer(t)
	p.w = World{State: task.AwaitingHuman, Counters: Counters{CheckRetries: 2, PausedState: task.Addressing}, Lease: Lease{ClaimedBy: "executor:x:1"}}
	p.w.Paused = []machine.State{task.Addressing}
	p.do(say("import", program, "# Old task"))
	if p.w.ClaimedBy != "" || p.w.Task.Title != "Old task" || p.w.Question == nil {
		t.Errorf("%+v", p.w)
	}
	p.do(say("answer", person, "Yes."))
	p.at(task.Addressing)
	p.refused(say("import", program, "x"), machine.GuardFailed, "fresh-import")
}

func TestUnknownCommand(t *testing.T) {
	newPlayer(t).refused(Command{Kind: "dance", By: person}, machine.NoSuchTransition, "known-command")
}

func TestTitles(t *testing.T) {
	cases := map[string]string{
		"":                           "",
		"\n\n## Add retry \n\nx":     "Add retry",
		"###":                        "",
		"a\x1b[31mb\u202ec":          "a[31mbc",
		strings.Repeat("x", 73):      strings.Repeat("x", 71) + "…",
		strings.Repeat("x", 72):      strings.Repeat("x", 72),
		strings.Repeat("語", 40):      strings.Repeat("語", 35) + "…",
		"#tag first\nsecond":         "tag first",
		"  \t \r\n  leading spaces ": "leading spaces",
	}
	for text, want := range cases {
		if got := TaskTitle(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSinceMovesWithTheStateOnly(t *testing.T) {
	p := started(t)
	since := p.w.Since
	p.do(Command{Kind: "heartbeat", By: executor})
	p.do(say("hold", person, "stop"))
	if !p.w.Since.Equal(since) {
		t.Error("since moved")
	}
	p.do(Command{Kind: "check", By: executor})
	if !p.w.Since.Equal(p.now) || p.w.Since.Location() != time.UTC {
		t.Error("since stays")
	}
}
