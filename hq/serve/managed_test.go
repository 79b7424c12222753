package serve_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// nonce is random, because tests run beside others, and everything that carries the nonce of a session ends with it.
var nonce = rand.Text()

// register makes a session a managed one, as a conductor does.
func (p *fixture) register(role machine.Role, mode core.Mode) {
	p.t.Helper()
	entry := project.SessionRecord{Role: role, Mode: mode, AgentType: "one", Name: string(role) + ":one:1",
		Session: process.SessionID(nonce), Status: project.Running}
	if err := p.SaveRegistry(project.Registry{Agents: []project.SessionRecord{entry}}); err != nil {
		p.t.Fatal(err)
	}
}

func TestManagedSessionIsServedItsOwnRole(t *testing.T) {
	p := newFixture(t, once)
	p.register(machine.Executor, core.ModeResume)
	a := p.session(p.command(machine.Executor, "", nonce))
	p.human("create_task", "a task")
	if got := a.want("claimed", "wait_for_task", nil); got.ClaimedBy != "executor:one:1" {
		t.Errorf("claimed %s, want executor:one:1", got.JSON)
	}
	if claim := p.world().Claim; claim == nil || !claim.Managed || claim.Session != process.SessionID(nonce) {
		t.Errorf("the claim is %+v, want a managed one of this session", claim)
	}
	for _, wider := range []struct {
		role machine.Role
		mode core.Mode
	}{{machine.Supervisor, ""}, {machine.Executor, core.ModeFree}, {"", ""}} {
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
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, quick)
	p.register(machine.Executor, core.ModeWork)
	lock, err := p.Store.TryLock("conductor.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	p.human("create_task", "a task")
	a := p.session(p.command(machine.Executor, "", nonce))
	a.want("claimed", "wait_for_task", nil)
	a.want("asked", "ask_human", arguments["ask_human"])
	a.want("timeout", "wait_for_answer", nil)
	if got := a.want("parked", "wait_for_answer", nil); got.Next !=
		"end your session now; ferrus starts you again with the answer" {
		t.Errorf("parked %s, want that the session ends now", got.JSON)
	}
	p.human("answer", "so")
	if got := a.want("answered", "wait_for_answer", nil); got.Answer != "so" {
		t.Errorf("answered %s, want so", got.JSON)
	}
	a.refused(machine.GuardFailed, "answer-undelivered", "wait_for_answer", nil)
}

func TestUnmanagedSessionIsNotParked(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, quick)
	a := p.worker()
	a.want("asked", "ask_human", arguments["ask_human"])
	for range 4 {
		a.want("timeout", "wait_for_answer", nil)
	}
}

func TestHandover(t *testing.T) {
	p := newFixture(t, once)
	a := p.session(p.command(machine.Executor, core.ModeWork, nonce))
	session := process.SessionID(nonce)
	hand := func(kind, text string) {
		if err := p.PostDirective(session, project.Directive{Kind: kind, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	hand(project.DirectiveMessage, "mind the gap")
	if got := a.want("ok", "status", nil); got.Message != "mind the gap" ||
		!strings.Contains(got.Text, "mind the gap") {
		t.Errorf("the next call: %s", got.JSON)
	}
	if got := a.want("ok", "status", nil); got.Message != "" {
		t.Errorf("handed over twice: %s", got.JSON)
	}
	for kind, status := range map[string]string{project.DirectiveMessage: "message", project.DirectivePark: "parked",
		project.DirectiveEnd: "parked"} {
		got := make(chan answer, 1)
		go func() { got <- a.want(status, "wait_for_task", nil) }()
		p.inFlight("wait_for_task")
		hand(kind, "now")
		if answered := <-got; answered.Message != "now" || answered.Cursor == "" {
			t.Errorf("%s: %s, want the message now and a cursor", kind, answered.JSON)
		}
		p.inFlight("")
	}
}

func TestPresence(t *testing.T) {
	p := newFixture(t, once)
	p.register(machine.Executor, core.ModeWork)
	a := p.session(p.command(machine.Executor, "", nonce))
	session := process.SessionID(nonce)
	there := func(what string, is func(project.Presence) bool) {
		p.until(what, func(core.World) bool { s, ok, err := p.Presence(session); return err == nil && ok && is(s) })
	}
	there("connected", func(s project.Presence) bool {
		return s.PID != 0 && s.Start != 0 && s.FirstCall == nil && s.Managed
	})
	if _, err := a.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	a.want("ok", "status", nil)
	there("first call", func(s project.Presence) bool { return s.FirstCall != nil && s.Tool == "" && s.Calls == 0 })
	a.refused(machine.NoSuchTransition, "", "submit", args{"content": "done"})
	there("the refusal", func(s project.Presence) bool {
		return len(s.Refused) == 1 && s.Refused[0].Tool == "submit" &&
			s.Refused[0].Refusal.Code == machine.NoSuchTransition && !s.Refused[0].At.IsZero()
	})
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	there("left for the conductor", func(s project.Presence) bool { return s.FirstCall != nil })
}

func TestOutsiderLeavesAManagedTaskAlone(t *testing.T) {
	p := newFixture(t, once)
	p.register(machine.Executor, core.ModeWork)
	p.human("create_task", "a task")
	a := p.session(p.command(machine.Executor, "", nonce))
	a.want("claimed", "wait_for_task", nil)
	a.want("asked", "consult", arguments["consult"])
	outsider := p.agent(machine.Supervisor, core.ModeFree)
	outsider.refused(machine.GuardFailed, "no-managed-session", "respond_consult", arguments["respond_consult"])
	outsider.want("ok", "status", nil)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	outsider.want("recorded", "respond_consult", arguments["respond_consult"])
}

func TestLateConsultantAnswersNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	worker := p.worker()
	worker.want("asked", "consult", arguments["consult"])
	slow := p.agent(machine.Supervisor, core.ModeConsult)
	p.human("respond_consult", "by the human")
	worker.want("answered", "wait_for_consult", nil)
	worker.want("asked", "consult", args{"question": question + "Now something else."})
	slow.refused(machine.Stale, "ticket-current", "respond_consult", arguments["respond_consult"])
	if text := slow.resource("consult_response"); text != "" {
		t.Errorf("it answered %q", text)
	}
	slow.want("recorded", "respond_consult", arguments["respond_consult"])
}
