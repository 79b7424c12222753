package core

import (
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/machine"
	"ferrus/machine/task"
)

func TestLeases(t *testing.T) {
	p := started(t)
	if d := p.do(Command{Kind: "claim", By: executor}); d.Event != "" || d.Result.Status != "claimed" {
		t.Errorf("claimed twice: %+v", d)
	}
	p.wantRefusal(Command{Kind: "claim", By: executor2}, machine.GuardFailed, "nothing-to-claim")
	p.wantRefusal(Command{Kind: "claim", By: reviewer}, machine.GuardFailed, "nothing-to-claim")
	p.wantRefusal(Command{Kind: "check", By: executor2}, machine.GuardFailed, "lease-required")
	p.wantRefusal(Command{Kind: "check", By: human}, machine.GuardFailed, "lease-free")

	p.now = p.now.Add(time.Hour)
	alive := p.with(Command{Kind: "claim", By: executor2}, func(f *Facts) { f.HolderAlive = true })
	p.wantRefusal(alive, machine.GuardFailed, "nothing-to-claim")
	p.do(Command{Kind: "heartbeat", By: executor}) // expired, but not taken
	if !p.w.LeaseUntil.After(p.now) {
		t.Error("the holder could not renew its expired lease")
	}
	p.now = p.now.Add(time.Hour)
	if d := p.do(Command{Kind: "claim", By: executor2}); d.Event != "claim" {
		t.Errorf("another session's claim of an expired lease: %+v, want claim", d)
	}
	for _, kind := range []machine.Kind{"check", "wait_for_consult", "heartbeat", "deliver"} {
		p.wantRefusal(Command{Kind: kind, By: executor}, machine.Stale, "")
	}
	for _, kind := range []machine.Kind{"submit", "ask_human", "consult"} {
		p.wantRefusal(say(kind, executor, request), machine.Stale, "lease-required")
	}
	p.do(Command{Kind: "release", By: executor2})
	p.do(Command{Kind: "claim", By: executor})
	p.do(Command{Kind: "check", By: executor})
}

func TestClaimsByState(t *testing.T) {
	p := newLoop(t)
	p.wantRefusal(Command{Kind: "claim", By: executor}, machine.GuardFailed, "nothing-to-claim")
	p = started(t)
	p.do(say("ask_human", executor, "?"))
	p.do(Command{Kind: "release", By: program, Process: executor.Process, Ticket: 0})
	p.do(Command{Kind: "release", By: Actor{Role: machine.Ferrus, Session: executor.Session}})
	if p.w.ClaimedBy != "" {
		t.Fatal("a reaped session still has its claim")
	}
	if d := p.do(Command{Kind: "claim", By: executor2}); Advice.Next(p.w, executor2) != "wait_for_answer" ||
		d.Result.State != task.AwaitingHuman {
		t.Errorf("the executor's claim: %+v, want AwaitingHuman", d.Result)
	}
	p = reviewing(t)
	p.wantRefusal(Command{Kind: "claim", By: executor2}, machine.GuardFailed, "nothing-to-claim")
	p.do(say("ask_human", reviewer, "?"))
	if d := p.do(Command{Kind: "claim", By: reviewer}); d.Result.State != task.AwaitingHuman {
		t.Errorf("the reviewer's claim: %+v, want AwaitingHuman", d.Result)
	}
}

func TestReleaseByProcess(t *testing.T) {
	p := newLoop(t)
	p.do(say("create_task", planner, "x"))
	a := executor
	a.Process = &process.Identity{Host: "h", Boot: "b", PID: 7, Start: 9}
	p.do(Command{Kind: "claim", By: a})
	if d := p.do(Command{Kind: "release", By: program, Process: &process.Identity{Host: "h", Boot: "b", PID: 7,
		Start: 10}}); d.Event != "" {
		t.Error("another process with the same pid was taken for the holder")
	}
	if d := p.do(Command{Kind: "release", By: program, Process: &process.Identity{Host: "h", Boot: "b", PID: 7,
		Start: 9}}); d.Event != "release" {
		t.Error("the holder's process is gone, but its lease was not released")
	}
}

func TestLeaseFree(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { x := now.Add(d); return &x }
	held := func(until, beat time.Duration) World {
		return World{Lease: Lease{ClaimedBy: "e", LeaseUntil: at(until), LastHeartbeat: at(beat),
			Claim: &Claim{Session: "e1"}}}
	}
	cases := []struct {
		name  string
		w     World
		facts Facts
		free  bool
	}{
		{"unset", World{}, Facts{}, true},
		{"held", held(time.Minute, 0), Facts{}, false},
		{"lapsed", held(-1, -time.Minute), Facts{}, true},
		{"lapsed, alive", held(-time.Hour, -time.Hour), Facts{HolderAlive: true}, false},
		{"held, gone", held(time.Minute, 0), Facts{HolderGone: true}, true},
		{"clock went back", held(time.Hour, time.Hour), Facts{}, true},
		{"clock went back a little", held(time.Minute, time.Second), Facts{}, false},
		{"clock went back, alive", held(time.Hour, time.Hour), Facts{HolderAlive: true}, false},
		{"no end", World{Lease: Lease{ClaimedBy: "e"}}, Facts{}, true},
	}
	for _, c := range cases {
		c.facts.Now = now
		if c.w.LeaseFree(c.facts) != c.free {
			t.Errorf("%s: free %v, want %v", c.name, !c.free, c.free)
		}
	}
}

func TestFencedIsBounded(t *testing.T) {
	p := started(t)
	for i := range 3 * fencedLimit {
		p.now = p.now.Add(time.Hour)
		a := executor
		a.Session = string(rune('A' + i))
		p.do(Command{Kind: "claim", By: a})
	}
	if len(p.w.Fenced) != fencedLimit {
		t.Errorf("len(p.w.Fenced) is %v, want %v", len(p.w.Fenced), fencedLimit)
	}
}

// The human takes the lease from a living holder: its later calls are too late, and another session
// may claim. Without a holder nothing happens.
func TestHumanTakesTheLease(t *testing.T) {
	p := started(t)
	if d := p.do(Command{Kind: "release", By: human}); d.Event != "release" || d.Why != "executor:demo:1, taken" {
		t.Errorf("d.Event is %q, want %q; d.Why is %q, want %q", d.Event, "release", d.Why, "executor:demo:1, taken")
	}
	p.wantRefusal(Command{Kind: "check", By: executor}, machine.Stale, "lease-required")
	p.do(Command{Kind: "claim", By: executor2})
	p.do(Command{Kind: "release", By: executor2})
	if d := p.do(Command{Kind: "release", By: human}); d.Event != "" {
		t.Errorf("a free lease was taken: %s", d.Event)
	}
}
