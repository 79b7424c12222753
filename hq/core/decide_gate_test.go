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
		t.Errorf("the first failure: %+v, want failed with 1 retry used", d.Result)
	}
	p.do(Command{Kind: "check", By: executor})
	d := p.verdict(checks.Timeout, "a")
	p.wantState(task.Failed)
	if d.Result.Status != "limit" || p.w.ClaimedBy != "" || !strings.Contains(p.w.FailureReason, "2 times in a row") {
		t.Errorf("the last failure: %+v, %+v; want the limit, a free lease and the reason", d.Result, p.w)
	}
	p.wantRefusal(Command{Kind: "retry", By: reviewer}, machine.NotYourRole, "")
	p.do(Command{Kind: "retry", By: human})
	p.wantState(task.Addressing)
	if p.w.CheckRetries != 0 || p.w.FailureReason != "" {
		t.Errorf("after the retry: counters %+v, reason %q; want both reset", p.w.Counters, p.w.FailureReason)
	}
}

func TestUnproven(t *testing.T) {
	p := started(t)
	p.do(Command{Kind: "check", By: executor})
	why := "UNPROVEN: the submodule lib has changes that are not committed in it: no hash can say what they are"
	d := p.do(Command{Kind: "checked", By: program, Gate: &GateResult{Verdict: checks.Unproven, Tree: "a", Why: why}})
	p.wantState(task.Executing)
	if p.w.Hold.Cause != why {
		t.Errorf("held for %q, want all of %q", p.w.Hold.Cause, why)
	}
	if d.Result.Status != "unproven" || !p.w.isHeld("unproven") || p.w.CheckRetries != 0 {
		t.Errorf("after an unproven gate: %+v, want a hold and no retry used", p.w)
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
		t.Errorf("the gate is %+v, want UNPROVEN that still can be submitted", p.w.Gate)
	}
}

// A tree that cannot be read is never proven, whatever the configuration allows.
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
	if strings.Contains(d.Why, "by ") || strings.Contains(d.Why, human.ID) {
		t.Errorf("the reason says who cancelled it, as the entry does: %q", d.Why)
	}
	if d.Result.Status != "cancelled" || p.w.Gate.Verdict != checks.Cancelled || p.w.CheckRetries != 0 {
		t.Errorf("after the cancellation: %+v, want cancelled and no retry used", d)
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
		t.Errorf("after 3 lost gates: %+v, gate %+v; want check_cancelled", d, p.w.Gate)
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
		t.Errorf("the outcome of a replaced gate is %+v, want cancelled", r)
	}
}

// A check that starts in Checking keeps the state that the previous gate came from.
func TestTheGateComesFromWork(t *testing.T) {
	p := started(t)
	for range 3 {
		p.do(Command{Kind: "check", By: executor})
		p.verdict(checks.Pass, "a")
	}
	if p.w.Gate.From != task.Executing || p.w.Task.Gates != 3 {
		t.Errorf("the gate is %+v, want the third one, from Executing", p.w.Gate)
	}
	if d := p.submit("moved"); d.Event != "check" || p.w.Gate.From != task.Executing || p.w.Gate.Attempt != 4 {
		t.Errorf("the submission of a moved tree: %+v, want the fourth gate, from Executing", d)
	}
}
