package adversary

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/exectest"
)

const tested = "package main\n\nfunc TestA(t *testing.T) {\n\tt.Error(\"no\")\n}\n"

// nonce is random, because tests run beside others, and everything that carries the nonce of a session ends with it.
var nonce = rand.Text()

// fixture is a test and a project whose task is claimed by an executor.
type fixture struct {
	*testing.T
	*project.Task
	out, toml string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s := &fixture{T: t, out: t.TempDir()}
	t.Setenv(process.NonceEnv, "")
	t.Setenv(project.ProjectEnv, "")
	s.Task = hqtest.NewProject(t, hqtest.Files{".gitignore": ".ferrus/\n/bin/\n", "main.go": "package main\n",
		"a_test.go": tested, "verify.sh": "exit 1\n"})
	t.Setenv("PATH", filepath.Join(s.Dir, "bin")+":"+os.Getenv("PATH"))
	s.write("bin/prove", "#!/bin/sh\nexit 1\n")
	s.setCommands("test -f ok || sh verify.sh")
	return s
}

// setCommands starts a new task with other check commands.
func (s *fixture) setCommands(lines ...string) {
	s.Helper()
	s.toml = "[checks]\ncommands = ["
	for _, l := range lines {
		s.toml += fmt.Sprintf("%q, ", l)
	}
	s.toml += "]\n" + noWalls
	bin, _ := os.ReadFile(filepath.Join(s.Dir, "bin/prove"))
	if strings.Contains(string(bin), "exit 0") { // the attack comes after the task was created
		s.write("bin/prove", "#!/bin/sh\nexit 1\n")
		defer s.write("bin/prove", string(bin))
	}
	s.write("ferrus.toml", s.toml)
	s.newTask()
}

// newTask starts a task on the current tree.
func (s *fixture) newTask() {
	s.Helper()
	if s.world().Task != nil {
		s.must(project.HumanActor(), "reset", "")
	}
	s.must(project.HumanActor(), "create_task", "do it")
	s.must(executor(), "claim", "")
}

func executor() core.Actor {
	return core.Actor{Role: machine.Executor, ID: "executor:x:1", Session: process.SessionID(nonce),
		Mode: core.ModeWork}
}

func reviewer() core.Actor {
	return core.Actor{Role: machine.Supervisor, ID: "supervisor:x:1", Session: "r", Mode: core.ModeReview}
}

func (s *fixture) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *fixture) write(name, text string) {
	s.Helper()
	file := filepath.Join(s.Dir, name)
	s.ok(os.MkdirAll(filepath.Dir(file), 0o755))
	s.ok(exectest.WriteFile(file, []byte(text), 0o755))
}

func (s *fixture) do(by core.Actor, kind machine.Kind, text string) (core.Result, error) {
	return s.Do(s.Context(), store.Call{}, core.Command{Kind: kind, By: by, Text: text})
}

func (s *fixture) must(by core.Actor, kind machine.Kind, text string) core.Result {
	s.Helper()
	r, err := s.do(by, kind, text)
	if err != nil {
		s.Fatalf("%s: %v", kind, err)
	}
	return r
}

func (s *fixture) submit(text string) core.Result {
	s.Helper()
	return s.must(executor(), "submit", text)
}

func (s *fixture) want(r core.Result, status core.Status, state machine.State) {
	s.Helper()
	if r.Status != status || r.State != state {
		s.Fatalf("%s in %s, want %s in %s", r.Status, r.State, status, state)
	}
}

func (s *fixture) world() core.World {
	s.Helper()
	state, err := s.World()
	s.ok(err)
	return state.World
}

func (s *fixture) waitForState(state machine.State) {
	s.Helper()
	if w := s.world(); w.State != state {
		s.Fatalf("the task is %s, want %s", w.State, state)
	}
}

// ask requests a gate and returns its ticket.
func (s *fixture) ask() uint64 { s.Helper(); return s.must(executor(), "check", "").Ticket }

// gate runs the requested gate.
func (s *fixture) gate(want checks.Verdict) gate.Record {
	s.Helper()
	ticket := s.world().Gate.Ticket
	s.ok(gate.Run(s.Context(), s.Task, ticket, gate.Options{}))
	return s.verdict(ticket, want, "")
}

func (s *fixture) check(want checks.Verdict) gate.Record { s.Helper(); s.ask(); return s.gate(want) }

func (s *fixture) verdict(ticket uint64, want checks.Verdict, why string) gate.Record {
	s.Helper()
	r, err := gate.Read(s.Task, ticket)
	if s.ok(err); r.Verdict != want || !strings.Contains(r.Why, why) {
		s.Fatalf("%s, want %s %s", r.Why, want, why)
	}
	return r
}

// submitPassing makes a change that passes the checks, and submits it.
func (s *fixture) submitPassing(name, text string) {
	s.Helper()
	s.write(name, text)
	s.check(checks.Pass)
	s.want(s.submit("done"), "submitted", "Reviewing")
}

// mustAlarm requires that the change, once it passes, raises an alarm that no reviewer may clear.
func (s *fixture) mustAlarm(rule, path, line string) {
	s.Helper()
	if s.world().State != "Checking" {
		s.write("ok", "")
		s.check(checks.Pass)
	}
	s.want(s.submit("done"), "submitted", "Reviewing")
	s.mustRaise(rule, path, line)
	s.mustNeedHuman()
}

func (s *fixture) mustRaise(rule, path, line string) {
	s.Helper()
	for _, a := range s.world().HumanAlarms() {
		if a.Rule == rule && a.Path == path && strings.Contains(strings.Join(a.Lines, "\n"), line) {
			return
		}
	}
	s.Fatalf("no alarm %s %s %s in %+v", rule, path, line, s.world().Submission.Alarms)
}

// mustNeedHuman requires that the approval is left to the human.
func (s *fixture) mustNeedHuman() {
	s.Helper()
	s.must(reviewer(), "claim", "")
	_, err := s.do(reviewer(), "approve", "")
	s.refused(err, "person-approves-alarms", "person-approves-flaky")
	if !s.world().AwaitsApproval() {
		s.Errorf("the submission does not wait for the human: %+v", s.world().Submission)
	}
	s.must(project.HumanActor(), "approve", "")
	s.waitForState("Complete")
}

func (s *fixture) refused(err error, guards ...string) {
	s.Helper()
	var r *machine.Refusal
	if !errors.As(err, &r) || len(r.Failed) == 0 || !slices.Contains(guards, r.Failed[0].Guard) {
		s.Fatalf("got %v, want a refusal by one of %v", err, guards)
	}
}

// register records this process as the executor's session.
func (s *fixture) register() {
	s.Helper()
	self, err := process.Identify(os.Getpid())
	s.ok(err)
	s.ok(s.SaveRegistry(project.Registry{Agents: []project.SessionRecord{{
		Role: machine.Executor, Name: "executor:x:1", Slot: core.SlotExecutor, Mode: core.ModeWork,
		Status: project.Running, Session: process.SessionID(nonce), Process: self, PID: self.PID,
	}}}))
}

// serve starts a server for a role from inside the executor's session.
func (s *fixture) serve(role machine.Role) error {
	s.Helper()
	s.register()
	in, _ := io.Pipe()
	return serve.Run(s.Context(),
		serve.Options{Project: s.Task, Role: role, In: in, Out: io.Discard, Log: io.Discard})
}
