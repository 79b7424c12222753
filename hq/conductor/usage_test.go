package conductor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
)

// metered returns a built-in agent that reports tokens and no cost; the test binary
// plays it under the name of its program.
func metered() agent.Adapter {
	a, err := agent.Lookup(agent.Default("executor"), nil)
	if err != nil {
		panic(err)
	}
	return a
}

// spends reports whether this process is to play the metered agent.
func spends() bool { return filepath.Base(os.Args[0]) == metered().Binary() }

// spend works and says what that took: 1,000 tokens for the executor, 50 for the
// reviewer.
func spend(part string) int {
	if part == "limited" {
		if exhausted(os.Stdout) {
			return 1
		}
		part = "work"
	}
	if stream, err := os.ReadFile(filepath.Join(os.Getenv("FERRUS_PROJECT"), streamFile)); err == nil {
		return repeat(string(stream), part)
	}
	p, err := project.Open(os.Getenv("FERRUS_PROJECT"))
	if err == nil {
		p, err = p.OpenTask(os.Getenv(project.TaskEnv))
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	r, err := p.Registry()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	entry, _ := r.Session(process.SessionID(os.Getenv("FERRUS_NONCE")))
	in, out := 900, 100
	if entry.Role == machine.Supervisor {
		in, out = 40, 10
	}
	code := play(part, string(entry.Role))
	if part == "hang" {
		return code
	}
	const line = `{"type":"turn.completed","usage":{"input_tokens":%d,"cached_input_tokens":30,"output_tokens":%d}}`
	fmt.Printf(line+"\n", in, out)
	return code
}

// meteredTests are tests that find the metered agent's program on PATH.
type meteredTests struct{ *testing.M }

// Run runs the tests and returns the exit code.
func (m meteredTests) Run() int {
	bin, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin) //nolint:errcheck // what stays is a link
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, metered().Binary()))
	}
	if err == nil {
		err = os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		panic(err)
	}
	return m.M.Run()
}

// newSpenders returns a scene whose agents report what they used.
func newSpenders(t *testing.T, part, limits string) *fixture {
	t.Helper()
	s := newFixture(t, part)
	// One that asks is started by ferrus itself, which the test binary is not.
	s.edit(`agent = "actor"`, fmt.Sprintf("agent = %q\npermissions = \"bypass\"", metered().Name()))
	s.edit("[session]", "[limits]\n"+limits+"\n[session]")
	s.edit("grace_secs = 1", "grace_secs = 30") // they report at their end, and have the time for it
	return s
}

// What the sessions report goes into sessions.jsonl, and is added up by role. What they keep is measured.
func TestUsed(t *testing.T) {
	s := newSpenders(t, "work", "")
	s.task()
	kept := filepath.Join(session.TaskDir(s.p, hqtest.World(t, s.p).Task.ID), "home", "x")
	hqtest.Must(t, os.MkdirAll(filepath.Dir(kept), 0o700))
	hqtest.Must(t, os.WriteFile(kept, make([]byte, 5_000_000), 0o600))
	c := s.start()
	v := s.wait(c, "the sums of two sessions", func(v conductor.View) bool {
		return complete(v) && v.Used.Total.Sessions == 2 && v.Disk >= 5_000_000
	})
	s.close(c, false)
	want := core.UsageTotal{Sessions: 2, Input: 940, Cached: 60, Output: 110, Unpriced: 2}
	if v.Used.Total != want || v.Used.Roles[machine.Executor].Tokens() != 1000 ||
		v.Used.Roles[machine.Supervisor].Tokens() != 50 {
		t.Errorf("used are %+v, want %+v", v.Used, want)
	}
	all, err := s.p.Ended(v.State.World.Task.ID)
	if err != nil || len(all) != 2 {
		t.Fatalf("the sessions are %+v, %v; want 2", all, err)
	}
	if e := all[0]; e.Slot != core.SlotExecutor || e.Agent != metered().Name() || e.Number != 1 ||
		e.Mode != core.ModeWork || !e.Accepted || e.Exit != "done" || e.Ended.Before(e.Started) ||
		*e.Usage != (core.Usage{Input: 900, Cached: 30, Output: 100}) {
		t.Errorf("executor: %+v, used %+v", e, e.Usage)
	}
	if e := all[1]; e.Slot != core.SlotReviewer || e.Role != machine.Supervisor || e.Usage.Input != 40 {
		t.Errorf("the reviewer's session is %+v, want 40 tokens as supervisor", e)
	}
}

// Agents that report nothing are unknown.
func TestUsedUnknown(t *testing.T) {
	s := newFixture(t, "work")
	s.task()
	c := s.start()
	v := s.wait(c, "two sessions", func(v conductor.View) bool { return complete(v) && v.Used.Total.Sessions == 2 })
	s.close(c, false)
	if v.Used.Total.Silent != 2 || v.Used.Total.Short() != "" || v.Sessions[0].Usage != nil {
		t.Errorf("used are %+v, want 2 silent sessions", v.Used)
	}
}

// A session that is cut short is unknown too.
func TestUsedCutShort(t *testing.T) {
	s := newSpenders(t, "hang", "")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	s.close(c, false)
	all, err := s.p.Ended("")
	if err != nil || len(all) != 1 || all[0].Usage != nil || all[0].Exit == "" {
		t.Errorf("the sessions are %+v, %v; want one without usage", all, err)
	}
}

// A task that is over its limit is held, and no session is ended for it; resume
// continues to the end without being asked at once again.
func TestLimitOfTokens(t *testing.T) {
	s := newSpenders(t, "work", "max_task_tokens = 999")
	s.task()
	c := s.start()
	defer func() { s.close(c, false) }()
	v := s.wait(c, "hold", held)
	h := v.State.World.Hold
	if h.Reason != core.HoldTokens || h.By != "ferrus" || v.State.World.State != "Reviewing" ||
		v.State.World.Task.Asked.Tokens != 1000 {
		t.Errorf("held %+v in %s, asked %+v", h, v.State.World.State, v.State.World.Task.Asked)
	}
	if all, err := s.p.Ended(""); err != nil || len(all) != 1 || all[0].Exit != "done" {
		t.Errorf("the sessions are %+v, %v; want one that is done", all, err)
	}
	if err := c.Close(false); err != nil { // the sum outlives the conductor
		t.Fatal(err)
	}
	c = s.start()
	if v := c.View(); v.Used.Total.Tokens() != 1000 || !held(v) {
		t.Errorf("the next conductor: %+v, %v", v.Used, v.State.World.Hold)
	}
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	v = s.wait(c, "Complete", complete)
	holds := 0
	for _, l := range v.Journal {
		if l.Event == "hold" {
			holds++
		}
	}
	if holds != 1 {
		t.Errorf("held %d times: %s", holds, describe(v))
	}
}

// A session that a dead conductor could not note is noted by the next one, with
// what its host knows of it.
func TestUsedOfADeadConductor(t *testing.T) {
	s := newFixture(t, "hang")
	entry := project.SessionRecord{
		Role: machine.Executor, AgentType: "actor", Slot: core.SlotExecutor, Session: "0123456789abcdef", SessionSeq: 4,
		Status: project.Running, State: session.Interrupting, Task: "t-1",
	}
	if err := s.p.SaveRegistry(project.Registry{Agents: []project.SessionRecord{entry}}); err != nil {
		t.Fatal(err)
	}
	record := `{"session":"0123456789abcdef","exit":{"code":0,"ended":"2026-11-20T10:00:00Z",` +
		`"usage":{"input":7,"output":2,"known":true}}}`
	if err := s.p.Store.WriteFile(host.File("executor"), []byte(record)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second has nothing to note
		c := s.start()
		s.close(c, false)
	}
	all, err := s.p.Ended("t-1")
	if err != nil || len(all) != 1 || all[0].Number != 4 || all[0].Exit != "ended while HQ was not running" ||
		all[0].Usage == nil || all[0].Usage.Input != 7 || all[0].Ended.Year() != 2026 {
		t.Errorf("the sessions are %+v, %v; want number 4 with 7 tokens, ended by its conductor", all, err)
	}
}

// A session that ended without a conductor is noted by the next conductor, once.
func TestUsedWithoutAConductor(t *testing.T) {
	s := newSpenders(t, "work", "")
	s.task()
	c := s.start()
	s.wait(c, "an executor", func(v conductor.View) bool { return len(v.Panes) > 0 && v.Panes[0].PID != 0 })
	if err := c.Detach(); err != nil {
		t.Fatal(err)
	}
	c = s.start()
	v := s.wait(c, "Complete", func(v conductor.View) bool { return complete(v) && v.Used.Total.Sessions == 2 })
	s.close(c, false)
	if v.Used.Total.Tokens() != 1050 {
		t.Errorf("used are %+v, want 1050 tokens", v.Used)
	}
	for _, p := range v.Panes {
		if p.State != session.SessionComplete {
			t.Errorf("%s is %s, want complete", p.Slot, p.State)
		}
	}
}
