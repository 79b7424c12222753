package serve_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

const quick = once + "[limits]\nwait_timeout_secs = 0\n"

func TestTimeoutIsAResultAndMovesTheCursor(t *testing.T) {
	p := newFixture(t, quick)
	a := p.agent(machine.Executor, core.ModeWork)
	seen, cursor := map[string]bool{}, ""
	for range 4 {
		got := a.want("timeout", "wait_for_task", args{"cursor": cursor})
		if got.Refused || got.State != "Idle" || got.Cursor == "" || seen[got.Cursor] {
			t.Errorf("answered %s after %v", got.JSON, seen)
		}
		cursor = got.Cursor
		seen[cursor] = true
		if !strings.Contains(got.Next, "call wait_for_task again") || !strings.Contains(got.Next, cursor) {
			t.Errorf("a session that was started by hand is sent to %q", got.Next)
		}
	}
	if p.events() != "" {
		t.Errorf("the events are %s, want none", p.events())
	}
}

func TestWaitIsBoundedByTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once) // wait_timeout_secs is 60
	a := p.agent(machine.Executor, core.ModeWork, "FERRUS_WAIT_SECS=1")
	began := time.Now()
	a.want("timeout", "wait_for_task", nil)
	if took := time.Since(began); took < 900*time.Millisecond || took > 10*time.Second {
		t.Errorf("the wait took %v, want 1 to 10 seconds", took)
	}
}

func TestWaitWakesUp(t *testing.T) {
	p := newFixture(t, once)
	a := p.agent(machine.Executor, core.ModeWork)
	got := make(chan answer, 1)
	go func() { got <- a.want("claimed", "wait_for_task", nil) }()
	p.inFlight("wait_for_task")
	p.human("create_task", "a task")
	select {
	case claimed := <-got:
		if claimed.Task != "a task" {
			t.Errorf("claimed %s, want a task", claimed.JSON)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the wait did not end")
	}
}

// inFlight waits until a server says that a tool is in flight.
func (p *fixture) inFlight(tool string) project.Presence {
	p.t.Helper()
	var found project.Presence
	p.until(tool+" in flight", func(core.World) bool {
		names, _ := p.Store.List("run")
		for _, name := range names {
			if session, ok := strings.CutSuffix(name, ".json"); ok {
				if s, ok, err := p.Presence(session); err == nil && ok && s.Tool == tool {
					found = s
					return true
				}
			}
		}
		return false
	})
	return found
}

func TestCancelledCallReturns(t *testing.T) {
	p := newFixture(t, once)
	a := p.agent(machine.Executor, core.ModeWork)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := a.try(ctx, "wait_for_task", nil); done <- err }()
	p.inFlight("wait_for_task")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	p.inFlight("") // the server is free again, not only the client
}

func TestIdenticalCallIsAnsweredAgain(t *testing.T) {
	p := newFixture(t, once)
	a := p.agent(machine.Supervisor, core.ModePlan)
	first := a.want("created", "create_task", args{"description": "a task"})
	again := a.want("created", "create_task", args{"description": "a task"})
	if first.TaskID != again.TaskID || first.Seq != again.Seq || p.events() != "create_task" {
		t.Errorf("first %s\nagain %s\njournal %s", first.JSON, again.JSON, p.events())
	}
	a.want("refused", "create_task", args{"description": "another task"})
	p.agent(machine.Supervisor, core.ModePlan).want("refused", "create_task", args{"description": "a task"})
}

func TestJournalNamesTheCall(t *testing.T) {
	p := newFixture(t, once)
	a := p.session(p.command(machine.Supervisor, core.ModeTask, nonce))
	a.want("created", "create_task", args{"description": "a task"})
	lines, err := p.Store.Journal(0)
	if err != nil || len(lines) != 1 {
		t.Fatalf("the journal is %v %v, want one line", lines, err)
	}
	session := process.SessionID(nonce)
	if l := lines[0]; l.Session != session || l.By != "supervisor:test:1" || !strings.HasPrefix(l.Call, session+".") ||
		strings.HasSuffix(l.Call, ".") {
		t.Errorf("the line is %+v, want a call of session %s", l, session)
	}
}

func TestWorksWithAnotherWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	a := p.worker()
	human := store.Call{ID: "human.hold"}
	if _, err := p.Do(t.Context(), human, core.Command{Kind: "hold", Text: "stop",
		By: project.HumanActor()}); err != nil {
		t.Fatal(err)
	}
	got := a.want("failed", "check", nil)
	if got.State != "Addressing" || p.world().Hold == nil {
		t.Errorf("failed %s, want Addressing on hold", got.JSON)
	}
}

func TestUnattended(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once+"[hq]\nunattended = true\n[limits]\nmax_check_retries = 1\n")
	worker := p.worker()
	worker.want("asked", "ask_human", arguments["ask_human"])
	supervisor := p.agent(machine.Supervisor, core.ModeFree)
	supervisor.want("recorded", "answer", args{"response": "so"})
	if got := worker.want("answered", "wait_for_answer", nil); got.Answer != "so" {
		t.Errorf("answered %s, want so", got.JSON)
	}
	supervisor.refused(machine.NoSuchTransition, "", "answer", args{"response": "again"})
	worker.want("asked", "consult", arguments["consult"])
	supervisor.want("asked", "ask_human", arguments["ask_human"])
	supervisor.refused(machine.GuardFailed, "not-the-asker", "answer", args{"response": "myself"})
	p.human("answer", "the human")
	supervisor.want("answered", "wait_for_answer", nil)
	supervisor.want("recorded", "respond_consult", arguments["respond_consult"])
	worker.want("answered", "wait_for_consult", nil)
	if got := worker.want("limit", "check", nil); got.State != "Failed" {
		t.Errorf("limit %s, want Failed", got.JSON)
	}
	if got := supervisor.want("reset", "reset", nil); got.State != "Idle" {
		t.Errorf("reset %s, want Idle", got.JSON)
	}
}

func TestHeartbeat(t *testing.T) {
	p := newFixture(t, once)
	a := p.worker()
	for _, arguments := range []args{nil, {"agent_id": "executor:test:1"}} {
		if got := a.want("renewed", "heartbeat", arguments); got.ClaimedBy != "executor:test:1" ||
			got.LeaseUntil == nil {
			t.Errorf("renewed %s, want executor:test:1 with a lease", got.JSON)
		}
	}
	a.refused(machine.GuardFailed, "arguments", "heartbeat", args{"agent_id": "executor:other:1"})
	p.agent(machine.Executor, core.ModeFree).refused(machine.GuardFailed, "lease-required", "heartbeat", nil)
	if got := p.events(); got != "create_task claim" {
		t.Errorf("the events are %s, want no heartbeat", got)
	}
}

func TestStatusTellsWhereItStands(t *testing.T) {
	p := newFixture(t, once)
	a := p.worker()
	a.want("failed", "check", nil)
	got := a.want("ok", "status", nil)
	for _, part := range []string{`"title":"a task"`, `"check_retries":{"limit":20,"used":1}`,
		`"claimed_by":"executor:test:1"`, `"verdict":"FAIL"`, `"failure_reason":"FAIL`} {
		if !strings.Contains(got.JSON, part) {
			t.Errorf("status does not tell %s: %s", part, got.JSON)
		}
	}
}

func TestTreeThatMovedUnderReviewGoesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	p.good().want("submitted", "submit", arguments["submit"])
	reviewer := p.agent(machine.Supervisor, core.ModeReview)
	reviewer.want("claimed", "wait_for_review", nil)
	write(t, p.Dir, "good", "changed by another")
	got := reviewer.refused(machine.GuardFailed, "tree-unchanged", "approve", nil)
	if !strings.Contains(got.Text, "good") || p.world().State != "Addressing" {
		t.Errorf("refused %s in %s", got.JSON, p.world().State)
	}
}

func TestCallsInParallel(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	a := p.worker()
	var group sync.WaitGroup
	group.Go(func() { a.want("failed", "check", nil) })
	for range 20 {
		group.Go(func() { a.want("ok", "status", nil) })
	}
	group.Wait()
	p.inFlight("")
}
