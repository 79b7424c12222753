package core

import (
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

func TestTheLastRetryFails(t *testing.T) {
	p := started(t)
	p.lim.CheckRetries = 2
	p.do(Command{Kind: "check", By: executor})
	if d := p.verdict(checks.Fail, "a"); d.Result.Status != "failed" || d.Result.GateReport.Retries.Used != 1 {
		t.Errorf("%+v", d.Result)
	}
	p.do(Command{Kind: "check", By: executor})
	d := p.verdict(checks.Timeout, "a")
	p.wantState(task.Failed)
	if d.Result.Status != "limit" || p.w.ClaimedBy != "" || !strings.Contains(p.w.FailureReason, "2 times in a row") {
		t.Errorf("%+v %+v", d.Result, p.w)
	}
	p.wantRefusal(Command{Kind: "retry", By: reviewer}, machine.NotYourRole, "")
	p.do(Command{Kind: "retry", By: human})
	p.wantState(task.Addressing)
	if p.w.CheckRetries != 0 || p.w.FailureReason != "" {
		t.Errorf("%+v", p.w.Counters)
	}
}

func TestUnproven(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	d := p.verdict(checks.Unproven, "a")
	p.wantState(task.Executing)
	if d.Result.Status != "unproven" || !p.w.isHeld("unproven") || p.w.CheckRetries != 0 {
		t.Errorf("%+v", p.w)
	}
	p.wantRefusal(Command{Kind: "check", By: executor}, machine.GuardFailed, "gate-provable")
	p.wantRefusal(say("submit", executor, "done"), machine.GuardFailed, "gate-provable")
	p.do(Command{Kind: "resume", By: human})
	allowed := Command{Kind: "checked", By: program, Gate: &GateResult{Verdict: checks.Unproven, Tree: "a"},
		Facts: Facts{AllowNone: true}}
	p.do(Command{Kind: "check", By: executor})
	p.do(allowed)
	p.wantState(task.Checking)
	if p.w.Gate.Verdict != checks.Unproven || p.submit("a").Result.Status != "submitted" {
		t.Errorf("%+v", p.w.Gate)
	}
}

// What cannot be read is never proven, whatever is allowed.
func TestUnprovenForWantOfATreeIsNeverAllowed(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	p.do(Command{Kind: "checked", By: program, Gate: &GateResult{Verdict: checks.Unproven},
		Facts: Facts{AllowNone: true}})
	p.wantState(task.Executing)
}

func TestCancelledAndLostGates(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	d := p.do(Command{Kind: "check_cancelled", By: human})
	p.wantState(task.Executing)
	if d.Result.Status != "cancelled" || p.w.Gate.Verdict != checks.Cancelled || p.w.CheckRetries != 0 {
		t.Errorf("%+v", d)
	}
	p.do(Command{Kind: "check", By: executor})
	ticket := p.w.Gate.Ticket
	for range 2 {
		p.do(Command{Kind: "gate_lost", By: program, Ticket: ticket})
		p.wantState(task.Checking)
	}
	d = p.do(Command{Kind: "gate_lost", By: program, Ticket: ticket})
	p.wantState(task.Executing)
	if d.Event != "check_cancelled" || !strings.Contains(d.Why, "gate lost") || p.w.Gate.Lost != 3 {
		t.Errorf("%+v %+v", d, p.w.Gate)
	}
	p.wantRefusal(Command{Kind: "checked", By: program, Ticket: ticket, Gate: &GateResult{Verdict: checks.Pass}},
		machine.Stale, "ticket-current")
}

func TestALateVerdictChangesNothing(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	old := p.w.Gate.Ticket
	p.verdict(checks.Pass, "a")
	p.wantRefusal(Command{Kind: "checked", By: program, Ticket: old, Gate: &GateResult{Verdict: checks.Fail}},
		machine.Stale, "ticket-current")
	p.do(Command{Kind: "check", By: executor})
	p.wantRefusal(Command{Kind: "checked", By: program, Ticket: old, Gate: &GateResult{Verdict: checks.Fail}},
		machine.Stale, "ticket-current")
	if r := GateOutcome(p.w, old, p.lim); r.Status != "cancelled" {
		t.Errorf("%+v", r)
	}
}

// A check out of Checking keeps where the gate before it came from.
func TestTheGateComesFromWork(t *testing.T) {
	p := started(t)
	for range 3 {
		p.do(Command{Kind: "check", By: executor})
		p.verdict(checks.Pass, "a")
	}
	if p.w.Gate.From != task.Executing || p.w.Task.Gates != 3 {
		t.Errorf("%+v", p.w.Gate)
	}
	if d := p.submit("moved"); d.Event != "check" || p.w.Gate.From != task.Executing || p.w.Gate.Attempt != 4 {
		t.Errorf("%+v", d)
	}
}
