package serve_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ferrus/hq"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

const quick = once + "[limits]\nwait_timeout_secs = 0\n"

func TestTimeoutIsAResultAndMovesTheCursor(t *testing.T) {
	p := newPlace(t, quick)
	a := p.agent(machine.Executor, hq.ModeWork)
	seen, cursor := map[string]bool{}, ""
	for range 4 {
		got := a.want("timeout", "wait_for_task", args{"cursor": cursor})
		if got.Refused || got.State != "Idle" || got.Cursor == "" || seen[got.Cursor] {
			t.Errorf("answered %s after %v", got.JSON, seen)
		}
		cursor = got.Cursor
		seen[cursor] = true
	}
	if p.events() != "" {
		t.Errorf("journal %s", p.events())
	}
}

func TestWaitIsBoundedByTheClient(t *testing.T) {
	p := newPlace(t, once) // wait_timeout_secs is 60
	a := p.agent(machine.Executor, hq.ModeWork, "FERRUS_WAIT_SECS=1")
	began := time.Now()
	a.want("timeout", "wait_for_task", nil)
	if took := time.Since(began); took < 900*time.Millisecond || took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestWaitWakesUp(t *testing.T) {
	p := newPlace(t, once)
	a := p.agent(machine.Executor, hq.ModeWork)
	got := make(chan answer, 1)
	go func() { got <- a.want("claimed", "wait_for_task", nil) }()
	p.inFlight("wait_for_task")
	p.person("create_task", "a task")
	select {
	case claimed := <-got:
		if claimed.Task != "a task" {
			t.Errorf("claimed %s", claimed.JSON)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the wait did not end")
	}
}

// inFlight waits until a server says that a tool is in flight.
func (p *place) inFlight(tool string) project.Presence {
	p.t.Helper()
	var found project.Presence
	p.until(tool+" in flight", func(hq.World) bool {
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
	p := newPlace(t, once)
	a := p.agent(machine.Executor, hq.ModeWork)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := a.try(ctx, "wait_for_task", nil); done <- err }()
	p.inFlight("wait_for_task")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	p.inFlight("") // the server is free again, not only the client
}

const nonce = "0123456789abcdef0123456789abcdef"

// register makes a session a managed one, as a conductor does.
func (p *place) register(role machine.Role, mode hq.Mode) {
	p.t.Helper()
	entry := project.Entry{Role: role, Mode: mode, AgentType: "one", Name: string(role) + ":one:1", Session: project.SessionOf(nonce), Status: project.Running}
	if err := p.SaveRegistry(project.Registry{Agents: []project.Entry{entry}}); err != nil {
		p.t.Fatal(err)
	}
}

func TestManagedSessionIsServedItsOwnRole(t *testing.T) {
	p := newPlace(t, once)
	p.register(machine.Executor, hq.ModeResume)
	a := p.session(p.command(machine.Executor, "", nonce))
	p.person("create_task", "a task")
	if got := a.want("claimed", "wait_for_task", nil); got.ClaimedBy != "executor:one:1" {
		t.Errorf("claimed %s", got.JSON)
	}
	if claim := p.world().Claim; claim == nil || !claim.Managed || claim.Session != project.SessionOf(nonce) {
		t.Errorf("claim %+v", claim)
	}
	for _, wider := range []struct {
		role machine.Role
		mode hq.Mode
	}{{machine.Supervisor, ""}, {machine.Executor, hq.ModeFree}, {"", ""}} {
		command := p.command(wider.role, wider.mode, nonce)
		var words strings.Builder
		command.Stderr = &words
		err := command.Run()
		if err == nil || command.ProcessState.ExitCode() != 1 || strings.Count(words.String(), "\n") != 1 {
			t.Errorf("%v: ended with %v: %s", wider, err, words.String())
		}
	}
}

func TestParkedAfterTimeouts(t *testing.T) {
	p := newPlace(t, quick)
	p.register(machine.Executor, hq.ModeWork)
	lock, err := p.Store.TryLock("conductor.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	p.person("create_task", "a task")
	a := p.session(p.command(machine.Executor, "", nonce))
	a.want("claimed", "wait_for_task", nil)
	a.want("asked", "ask_human", arguments["ask_human"])
	a.want("timeout", "wait_for_answer", nil)
	if got := a.want("parked", "wait_for_answer", nil); got.Next != "end your session now; ferrus starts you again with the answer" {
		t.Errorf("parked %s", got.JSON)
	}
	p.person("answer", "so")
	if got := a.want("answered", "wait_for_answer", nil); got.Answer != "so" {
		t.Errorf("answered %s", got.JSON)
	}
	a.refused(machine.GuardFailed, "answer-undelivered", "wait_for_answer", nil)
}

func TestUnmanagedSessionIsNotParked(t *testing.T) {
	p := newPlace(t, quick)
	a := p.worker()
	a.want("asked", "ask_human", arguments["ask_human"])
	for range 4 {
		a.want("timeout", "wait_for_answer", nil)
	}
}

func TestHandover(t *testing.T) {
	p := newPlace(t, once)
	a := p.session(p.command(machine.Executor, hq.ModeWork, nonce))
	session := project.SessionOf(nonce)
	hand := func(kind, text string) {
		if err := p.HandOver(session, project.Handover{Kind: kind, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	hand(project.HandMessage, "mind the gap")
	if got := a.want("ok", "status", nil); got.Message != "mind the gap" || !strings.Contains(got.Said, "mind the gap") {
		t.Errorf("the next call: %s", got.JSON)
	}
	if got := a.want("ok", "status", nil); got.Message != "" {
		t.Errorf("handed over twice: %s", got.JSON)
	}
	for kind, status := range map[string]string{project.HandMessage: "message", project.HandPark: "parked", project.HandEnd: "parked"} {
		got := make(chan answer, 1)
		go func() { got <- a.want(status, "wait_for_task", nil) }()
		p.inFlight("wait_for_task")
		hand(kind, "now")
		if answered := <-got; answered.Message != "now" || answered.Cursor == "" {
			t.Errorf("%s: %s", kind, answered.JSON)
		}
		p.inFlight("")
	}
}

func TestPresence(t *testing.T) {
	p := newPlace(t, once)
	p.register(machine.Executor, hq.ModeWork)
	a := p.session(p.command(machine.Executor, "", nonce))
	session := project.SessionOf(nonce)
	there := func(what string, is func(project.Presence) bool) {
		p.until(what, func(hq.World) bool { s, ok, err := p.Presence(session); return err == nil && ok && is(s) })
	}
	there("connected", func(s project.Presence) bool { return s.PID != 0 && s.Start != 0 && s.FirstCall == nil && s.Managed })
	if _, err := a.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	a.want("ok", "status", nil)
	there("first call", func(s project.Presence) bool { return s.FirstCall != nil && s.Tool == "" && s.Calls == 0 })
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	there("left for the conductor", func(s project.Presence) bool { return s.FirstCall != nil })
}

func TestIdenticalCallIsAnsweredAgain(t *testing.T) {
	p := newPlace(t, once)
	a := p.agent(machine.Supervisor, hq.ModePlan)
	first := a.want("created", "create_task", args{"description": "a task"})
	again := a.want("created", "create_task", args{"description": "a task"})
	if first.TaskID != again.TaskID || first.Seq != again.Seq || p.events() != "create_task" {
		t.Errorf("first %s\nagain %s\njournal %s", first.JSON, again.JSON, p.events())
	}
	a.want("refused", "create_task", args{"description": "another task"})
	p.agent(machine.Supervisor, hq.ModePlan).want("refused", "create_task", args{"description": "a task"})
}

func TestJournalNamesTheCall(t *testing.T) {
	p := newPlace(t, once)
	a := p.session(p.command(machine.Supervisor, hq.ModeTask, nonce))
	a.want("created", "create_task", args{"description": "a task"})
	lines, err := p.Store.Journal(0)
	if err != nil || len(lines) != 1 {
		t.Fatalf("%v %v", lines, err)
	}
	session := project.SessionOf(nonce)
	if l := lines[0]; l.Session != session || l.By != "supervisor:test:1" || !strings.HasPrefix(l.Call, session+".") || strings.HasSuffix(l.Call, ".") {
		t.Errorf("line %+v", l)
	}
}

func TestRunningGateIsJoinedByItsCursor(t *testing.T) {
	signal := t.TempDir()
	p := newPlace(t, "[checks]\ncommands = [\"while ! test -f "+signal+"/go; do sleep 0.1; done\"]\n[limits]\nwait_timeout_secs = 0\n")
	a := p.worker()
	first := a.want("running", "check", nil)
	second := a.want("running", "check", args{"cursor": first.Cursor})
	third := a.want("running", "submit", args{"content": "done", "cursor": second.Cursor})
	if first.Ticket == 0 || second.Ticket != first.Ticket || third.Ticket != first.Ticket || first.Cursor == second.Cursor {
		t.Errorf("first %s\nsecond %s\nthird %s", first.JSON, second.JSON, third.JSON)
	}
	write(t, signal, "go", "")
	p.until("a verdict", func(w hq.World) bool { return w.State == "Checking" && !w.GateRunning() })
	if got := a.want("passed", "check", args{"cursor": third.Cursor}); got.Ticket != first.Ticket {
		t.Errorf("passed %s", got.JSON)
	}
	a.want("submitted", "submit", args{"content": "done", "cursor": third.Cursor})
	if want := "create_task claim check checked submit"; p.events() != want {
		t.Errorf("journal %s, want %s", p.events(), want)
	}
	b := p.agent(machine.Executor, hq.ModeWork)
	if got := b.want("passed", "check", args{"cursor": first.Cursor}); got.Ticket != first.Ticket {
		t.Errorf("a verdict read again: %s", got.JSON)
	}
	b.refused(machine.Stale, "ticket-current", "check", args{"cursor": "99.1"})
}

func TestSecondCheckOfAFixedTreeIsAnotherGate(t *testing.T) {
	p := newPlace(t, once)
	a := p.worker()
	failed := a.want("failed", "check", nil)
	write(t, p.Dir, "good", "")
	if got := a.want("passed", "check", args{"cursor": failed.Cursor}); got.Ticket == failed.Ticket {
		t.Errorf("passed %s", got.JSON)
	}
}

func TestWorksBesideAnotherWriter(t *testing.T) {
	p := newPlace(t, once)
	a := p.worker()
	person := store.Call{ID: "person.hold"}
	if _, err := p.Do(t.Context(), person, hq.Command{Kind: "hold", Text: "stop", By: project.Person()}); err != nil {
		t.Fatal(err)
	}
	got := a.want("failed", "check", nil)
	if got.State != "Addressing" || p.world().Hold == nil {
		t.Errorf("failed %s", got.JSON)
	}
}

func TestOutsiderLeavesAManagedTaskAlone(t *testing.T) {
	p := newPlace(t, once)
	p.register(machine.Executor, hq.ModeWork)
	p.person("create_task", "a task")
	a := p.session(p.command(machine.Executor, "", nonce))
	a.want("claimed", "wait_for_task", nil)
	a.want("asked", "consult", arguments["consult"])
	outsider := p.agent(machine.Supervisor, hq.ModeFree)
	outsider.refused(machine.GuardFailed, "no-managed-session", "respond_consult", arguments["respond_consult"])
	outsider.want("ok", "status", nil)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	outsider.want("recorded", "respond_consult", arguments["respond_consult"])
}

func TestUnattended(t *testing.T) {
	p := newPlace(t, once+"[hq]\nunattended = true\n[limits]\nmax_check_retries = 1\n")
	worker := p.worker()
	worker.want("asked", "ask_human", arguments["ask_human"])
	supervisor := p.agent(machine.Supervisor, hq.ModeFree)
	supervisor.want("recorded", "answer", args{"response": "so"})
	if got := worker.want("answered", "wait_for_answer", nil); got.Answer != "so" {
		t.Errorf("answered %s", got.JSON)
	}
	supervisor.refused(machine.NoSuchTransition, "", "answer", args{"response": "again"})
	worker.want("asked", "consult", arguments["consult"])
	supervisor.want("asked", "ask_human", arguments["ask_human"])
	supervisor.refused(machine.GuardFailed, "not-the-asker", "answer", args{"response": "myself"})
	p.person("answer", "the person")
	supervisor.want("answered", "wait_for_answer", nil)
	supervisor.want("recorded", "respond_consult", arguments["respond_consult"])
	worker.want("answered", "wait_for_consult", nil)
	if got := worker.want("limit", "check", nil); got.State != "Failed" {
		t.Errorf("limit %s", got.JSON)
	}
	if got := supervisor.want("reset", "reset", nil); got.State != "Idle" {
		t.Errorf("reset %s", got.JSON)
	}
}

func TestCancelledCheckDoesNotEndTheGate(t *testing.T) {
	signal := t.TempDir()
	p := newPlace(t, "[checks]\ncommands = [\"while ! test -f "+signal+"/go; do sleep 0.1; done\"]\n")
	a := p.worker()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := a.try(ctx, "check", nil); done <- err }()
	p.until("a running gate", func(w hq.World) bool { return w.GateRunning() })
	p.inFlight("check")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	write(t, signal, "go", "")
	a.want("passed", "check", nil)
	if got := p.events(); got != "create_task claim check checked" && got != "create_task claim check checked check checked" {
		t.Errorf("journal %s", got)
	}
}

func TestHeartbeat(t *testing.T) {
	p := newPlace(t, once)
	a := p.worker()
	for _, arguments := range []args{nil, {"agent_id": "executor:test:1"}} {
		if got := a.want("renewed", "heartbeat", arguments); got.ClaimedBy != "executor:test:1" || got.LeaseUntil == nil {
			t.Errorf("renewed %s", got.JSON)
		}
	}
	a.refused(machine.GuardFailed, "arguments", "heartbeat", args{"agent_id": "executor:other:1"})
	p.agent(machine.Executor, hq.ModeFree).refused(machine.GuardFailed, "lease-required", "heartbeat", nil)
	if got := p.events(); got != "create_task claim" {
		t.Errorf("journal %s", got)
	}
}

func TestStatusTellsWhereItStands(t *testing.T) {
	p := newPlace(t, once)
	a := p.worker()
	a.want("failed", "check", nil)
	got := a.want("ok", "status", nil)
	for _, part := range []string{`"title":"a task"`, `"check_retries":{"limit":20,"used":1}`, `"claimed_by":"executor:test:1"`, `"verdict":"FAIL"`, `"failure_reason":"FAIL`} {
		if !strings.Contains(got.JSON, part) {
			t.Errorf("status does not tell %s: %s", part, got.JSON)
		}
	}
}

func TestTreeThatMovedUnderReviewGoesBack(t *testing.T) {
	p := newPlace(t, once)
	p.good().want("submitted", "submit", arguments["submit"])
	reviewer := p.agent(machine.Supervisor, hq.ModeReview)
	reviewer.want("claimed", "wait_for_review", nil)
	write(t, p.Dir, "good", "changed by somebody")
	got := reviewer.refused(machine.GuardFailed, "tree-unchanged", "approve", nil)
	if !strings.Contains(got.Said, "good") || p.world().State != "Addressing" {
		t.Errorf("refused %s in %s", got.JSON, p.world().State)
	}
}
