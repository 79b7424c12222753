package core

import (
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

// loop runs commands one after the other, as the store would.
type loop struct {
	t   *testing.T
	w   World
	seq uint64
	now time.Time
	lim Limits
}

func newLoop(t *testing.T) *loop {
	now := time.Date(2026, 11, 20, 11, 0, 0, 0, time.FixedZone("somewhere", 3600))
	return &loop{t: t, w: New(now), now: now, lim: Limits{CheckRetries: 20, ReviewCycles: 3}}
}

var (
	human      = Actor{Role: machine.Human, ID: "person"}
	program    = Actor{Role: machine.Ferrus, ID: "ferrus"}
	executor   = Actor{Role: machine.Executor, ID: "executor:demo:1", Session: "e1", Mode: ModeWork, Managed: true}
	executor2  = Actor{Role: machine.Executor, ID: "executor:demo:1", Session: "e2", Mode: ModeResume, Managed: true}
	planner    = Actor{Role: machine.Supervisor, ID: "supervisor:demo:3", Session: "p1", Mode: ModeTask}
	reviewer   = Actor{Role: machine.Supervisor, ID: "supervisor:demo:1", Session: "r1", Mode: ModeReview}
	consultant = Actor{Role: machine.Supervisor, ID: "supervisor:demo:2", Session: "c1", Mode: ModeConsult}
)

var timeZero = time.Time{}

const request = "## Problem\nx\n## What I tried\ny\n## Options (if any)\nz\n## Question\nWhich?\n"

func (p *loop) decide(c Command) (Decision, error) {
	p.now = p.now.Add(time.Second)
	c.Facts.Now, c.Facts.NextSeq, c.Facts.TTL = p.now, p.seq+1, 90*time.Second
	if c.Facts.TaskID == "" {
		c.Facts.TaskID = "t-1"
	}
	return Decide(p.w, c, p.lim)
}

func (p *loop) do(c Command) Decision {
	p.t.Helper()
	d, err := p.decide(c)
	if err != nil {
		p.t.Fatalf("%s by %s while %s: %v", c.Kind, c.By.ID, p.w.State, err)
	}
	p.w = d.World
	if d.Event != "" {
		p.seq++
	}
	return d
}

func (p *loop) wantRefusal(c Command, code machine.Code, guard string) *machine.Refusal {
	p.t.Helper()
	_, err := p.decide(c)
	r := machine.AsRefusal(err)
	if r == nil {
		p.t.Fatalf("%s by %s while %s: accepted, want %s", c.Kind, c.By.ID, p.w.State, code)
	}
	if r.Code != code || guard != "" && (len(r.Failed) == 0 || r.Failed[0].Guard != guard) {
		p.t.Fatalf("%s by %s while %s: %s %+v, want %s %s", c.Kind, c.By.ID, p.w.State, r.Code, r.Failed, code, guard)
	}
	return r
}

func (p *loop) wantState(s machine.State) {
	p.t.Helper()
	if p.w.State != s {
		p.t.Fatalf("state %s, want %s", p.w.State, s)
	}
}

// say returns a command with a text.
func say(kind machine.Kind, by Actor, text string) Command {
	return Command{Kind: kind, By: by, Text: text}
}

func (p *loop) verdict(v checks.Verdict, tree string) Decision {
	p.t.Helper()
	g := &GateResult{Verdict: v, Tree: tree, Why: string(v) + ": go test ./...", Log: ".ferrus/logs/check.txt",
		Report: "report"}
	return p.do(Command{Kind: "checked", By: program, Ticket: p.w.Gate.Ticket, Gate: g})
}

func (p *loop) submit(tree string) Decision {
	p.t.Helper()
	c := say("submit", executor, "## Summary\ndone\n")
	c.Facts.Tree = tree
	return p.do(c)
}

func (p *loop) approve(by Actor, tree string) Decision {
	p.t.Helper()
	c := say("approve", by, "")
	c.Facts.Tree = tree
	return p.do(c)
}

// The story that the demo runs, from the first command to Complete.
func TestTheWholeStory(t *testing.T) {
	p := newLoop(t)
	d := p.do(say("create_task", planner, "# Add retry\n\nto the fetcher\n"))
	if d.Result.Status != "created" || d.Result.TaskID != "t-1" || p.w.Task.Title != "Add retry" ||
		d.Texts[TaskText] == "" {
		t.Fatalf("create_task: %+v, want task t-1 with its title and text", d)
	}
	p.wantRefusal(Command{Kind: "check", By: executor}, machine.GuardFailed, "lease-required")
	if d := p.do(Command{Kind: "claim", By: executor}); d.Event != "claim" || d.Result.ClaimedBy != executor.ID ||
		d.Result.LeaseUntil == nil {
		t.Fatalf("claim: %+v, want the executor's lease", d)
	}
	p.do(Command{Kind: "check", By: executor})
	p.wantState(task.Checking)
	if d := p.do(Command{Kind: "check", By: executor}); d.Event != "" || d.Result.Status != "running" ||
		d.Result.Ticket != p.w.Gate.Ticket {
		t.Fatalf("the second check is %+v, want the running gate's ticket", d)
	}
	if d := p.verdict(checks.Fail, "a"); d.Result.Status != "failed" || p.w.CheckRetries != 1 {
		t.Fatalf("the first gate: %+v, want failed with 1 retry", d)
	}
	p.wantState(task.Addressing)
	p.do(say("consult", executor, request))
	p.do(say("respond_consult", consultant, "Take the second."))
	if d := p.do(Command{Kind: "wait_for_consult", By: executor}); d.Result.ResumedState != task.Addressing {
		t.Fatalf("wait_for_consult: %+v, want to resume Addressing", d)
	}
	if d := p.submit("b"); d.Event != "check" || d.Result.Status != "running" || d.Result.Ticket == 0 {
		t.Fatalf("submit before a gate: %+v, want a running gate with a ticket", d)
	}
	p.verdict(checks.Pass, "b")
	if d := p.submit("b"); d.Event != "submit" || d.Result.Status != "submitted" || p.w.ClaimedBy != "" {
		t.Fatalf("submit after the pass: %+v, want submitted and a free lease", d)
	}
	p.do(Command{Kind: "claim", By: reviewer})
	if d := p.do(say("reject", reviewer, "Name it better.")); d.Result.Cycles.Used != 1 || d.Texts[ReviewText] == "" {
		t.Fatalf("reject: %+v, want 1 cycle and the notes", d)
	}
	p.do(Command{Kind: "claim", By: executor2})
	p.do(say("ask_human", executor2, "POST too?"))
	p.wantRefusal(Command{Kind: "deliver", By: executor2}, machine.GuardFailed, "question-answered")
	p.do(say("answer", human, "No."))
	if n := Advice.Next(p.w, executor2); n != "wait_for_answer" {
		t.Fatalf("Advice.Next(p.w, executor2) is %q, want %q", n, "wait_for_answer")
	}
	p.do(Command{Kind: "deliver", By: executor2})
	p.wantRefusal(Command{Kind: "deliver", By: executor2}, machine.GuardFailed, "answer-undelivered")
	p.do(Command{Kind: "check", By: executor2})
	p.verdict(checks.Pass, "c")
	c := say("submit", executor2, "done")
	c.Facts.Tree = "c"
	p.do(c)
	p.do(Command{Kind: "claim", By: reviewer})
	p.approve(reviewer, "c")
	p.wantState(task.Complete)
	d = p.do(say("create_task", human, "next"))
	if d.Archive != "t-1" {
		t.Fatalf("the end: %+v, want t-1 archived", d)
	}
}
