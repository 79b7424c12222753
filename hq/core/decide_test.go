package core

import (
	"strings"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

// started returns a player whose executor has claimed a task.
func started(t *testing.T) *loop {
	p := newLoop(t)
	p.do(say("create_task", planner, "# Add retry"))
	p.do(Command{Kind: "claim", By: executor})
	return p
}

// reviewing returns a player whose tree "b" is under review.
func reviewing(t *testing.T) *loop {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	p.verdict(checks.Pass, "b")
	p.submit("b")
	p.do(Command{Kind: "claim", By: reviewer})
	return p
}

func (p *loop) with(c Command, change func(*Facts)) Command {
	change(&c.Facts)
	return c
}

func TestEmptyTextsAreRefused(t *testing.T) {
	p := newLoop(t)
	p.wantRefusal(say("create_task", planner, " \n"), machine.GuardFailed, "text-required")
	p = started(t)
	for _, kind := range []machine.Kind{"submit", "consult", "ask_human"} {
		p.wantRefusal(say(kind, executor, "\t"), machine.GuardFailed, "text-required")
	}
	p.do(say("ask_human", executor, "Which?"))
	p.wantRefusal(say("answer", human, ""), machine.GuardFailed, "text-required")
	p.wantRefusal(say("answer", human, "caf\xe9"), machine.GuardFailed, "text-utf8")
	p = reviewing(t)
	p.wantRefusal(say("reject", reviewer, ""), machine.GuardFailed, "text-required")
	p.wantRefusal(say("hold", human, ""), machine.GuardFailed, "text-required")
}

func TestReset(t *testing.T) {
	if p := newLoop(t); p.do(Command{Kind: "reset", By: human}).Event != "" {
		t.Error("a reset of nothing is recorded")
	}
	p := started(t)
	p.do(say("hold", human, "stop"))
	p.wantRefusal(Command{Kind: "reset", By: reviewer}, machine.NotYourRole, "")
	epoch := p.w.Epoch
	d := p.do(Command{Kind: "reset", By: human})
	p.wantState(task.Idle)
	if d.Archive != "t-1" || p.w.Epoch <= epoch || p.w.Task != nil || p.w.Hold != nil || p.w.ClaimedBy != "" {
		t.Errorf("the reset: %+v, want t-1 archived and no task, hold or lease", d)
	}
	for _, name := range append([]string{TaskText}, TaskTexts...) {
		if text, ok := d.Texts[name]; !ok || text != "" {
			t.Errorf("%s was not removed", name)
		}
	}
	for _, kind := range []machine.Kind{"check", "heartbeat", "deliver"} {
		p.wantRefusal(Command{Kind: kind, By: executor}, machine.Stale, "")
	}
	p.wantRefusal(say("submit", executor, "done"), machine.Stale, "lease-required")
	p.wantRefusal(Command{Kind: "claim", By: executor2, Epoch: epoch}, machine.Stale, "same-task")
	p.wantRefusal(p.with(say("create_task", human, "x"), func(f *Facts) {
		f.StillEnding = true
	}), machine.GuardFailed, "still-ending")
	p.do(say("create_task", human, "x"))
	p.wantRefusal(Command{Kind: "check", By: executor}, machine.Stale, "lease-required")
}

func TestHolds(t *testing.T) {
	p := started(t)
	h := say("hold", program, "no-progress")
	h.Cause = "it said last: \x1b[31mno\n" + strings.Repeat("x", 9999)
	if d := p.do(h); d.Why != "no-progress: it said last: no" || p.w.Hold.Cause != "it said last: no" {
		t.Errorf("why %q, hold %+v; want a hold with its cause", d.Why, p.w.Hold)
	}
	if d := p.do(say("hold", program, "no-progress")); d.Event != "" {
		t.Error("held twice")
	}
	if p.do(say("hold", human, "quit")); !p.w.isHeld("no-progress") {
		t.Error("a hold quit took the place of another")
	}
	if d := p.do(say("resume", human, "quit")); d.Event != "" || p.w.Hold == nil {
		t.Error("another hold was cleared")
	}
	p.do(say("ask_human", executor, "?"))
	p.do(say("answer", human, "!"))
	if p.w.Hold != nil {
		t.Error("an answer did not clear the hold")
	}
	p.do(say("hold", human, "quit"))
	if d := p.do(say("resume", human, "quit")); d.Event != "resume" || p.w.Hold != nil {
		t.Error("the hold stays")
	}
	p.wantRefusal(say("hold", executor, "stop"), machine.NotYourRole, "role")
}

func TestModes(t *testing.T) {
	p := newLoop(t)
	p.wantRefusal(say("create_task", reviewer, "x"), machine.NotYourRole, "mode")
	p.wantRefusal(Command{Kind: "create_spec", By: planner, Select: &Selection{SelectedSpec: "a"}},
		machine.NotYourRole, "mode")
	p = reviewing(t)
	p.wantRefusal(say("approve", consultant, ""), machine.NotYourRole, "mode")
	p.wantRefusal(say("submit", reviewer, "x"), machine.NotYourRole, "")
	p.wantRefusal(say("approve", executor, ""), machine.NotYourRole, "")
}

func TestFactsMoved(t *testing.T) {
	p := started(t)
	c := Command{Kind: "check", By: executor, Seq: 1}
	p.wantRefusal(c, machine.GuardFailed, "facts-moved")
	c.Seq = p.seq
	p.do(c)
}

func TestSelection(t *testing.T) {
	p := newLoop(t)
	p.do(Command{Kind: "create_spec", By: Actor{Role: machine.Supervisor, Mode: ModeSpec, Session: "s"},
		Select: &Selection{SelectedSpec: "docs/a.md", SelectedMilestone: "m1"}})
	p.do(Command{Kind: "select", By: human, Select: &Selection{SelectedSpec: "docs/a.md", SelectedMilestone: "m1",
		PendingTaskSpec: "docs/a.md", PendingTaskMilestone: "m1"}})
	p.do(say("create_task", planner, "x"))
	want := Selection{SelectedSpec: "docs/a.md", SelectedMilestone: "m1", TaskSpec: "docs/a.md", TaskMilestone: "m1"}
	if p.w.Selection != want {
		t.Errorf("p.w.Selection is %v, want %v", p.w.Selection, want)
	}
	p.wantRefusal(Command{Kind: "select", By: human}, machine.GuardFailed, "selection-required")
}

// The work of a planning session does not change the state of its task, and the session is not told
// to do it again.
func TestAPlanIsMadeOnce(t *testing.T) {
	for _, test := range []struct {
		kind machine.Kind
		mode Mode
		next string
	}{
		{KindQueueTask, ModePlan, EndSession}, {KindQueueTask, ModeTask, EndSession}, {KindQueueTask, ModeFree, ""},
		{KindCreateSpec, ModeSpec, EndSession}, {KindCreateSpec, ModePlan, ""},
	} {
		d := newLoop(t).do(Command{Kind: test.kind, By: Actor{Role: machine.Supervisor, Mode: test.mode, Session: "s"},
			Text: "2 tasks", Select: &Selection{SelectedSpec: "docs/a.md"}})
		if d.Result.Next != test.next {
			t.Errorf("%s in mode %s: then %q, not %q", test.kind, test.mode, d.Result.Next, test.next)
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	newLoop(t).wantRefusal(Command{Kind: "dance", By: human}, machine.NoSuchTransition, "known-command")
}

func TestTitles(t *testing.T) {
	cases := map[string]string{
		"":                           "",
		"\n\n## Add retry \n\nx":     "Add retry",
		"###":                        "",
		"a\x1b[31mb\u202ec":          "abc",
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
	p.do(say("hold", human, "stop"))
	if !p.w.Since.Equal(since) {
		t.Error("since changed, though the state did not")
	}
	p.do(Command{Kind: "check", By: executor})
	if !p.w.Since.Equal(p.now) || p.w.Since.Location() != time.UTC {
		t.Error("since did not change with the state")
	}
}

func TestATaskKeepsItsOrigin(t *testing.T) {
	p := newLoop(t)
	c := say("create_task", human, "do it")
	c.Origin = &Origin{Workflow: "w-1", Task: "2", Round: 1}
	p.do(c)
	if o := p.w.Task.Origin; o == nil || *o != *c.Origin || o == c.Origin {
		t.Errorf("the origin is %+v, want a copy of %+v", o, c.Origin)
	}
}

// Approved work is no longer on hold: nothing is left to start.
func TestApprovalEndsTheHold(t *testing.T) {
	p := reviewing(t)
	p.do(say("hold", human, "stop"))
	p.approve(human, "b")
	if p.w.Hold != nil {
		t.Errorf("hold %s in %s, want none", p.w.Hold.Reason, p.w.State)
	}
}
