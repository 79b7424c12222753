package conductor_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/host/hosttest"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/scheduler"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
)

// TestMain is also every host, and every agent: the project's file partFile names the
// part it plays.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == host.Command {
		if err := session.Host(agent.Names()...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "conduct" {
		if err := conduct(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir := os.Getenv("FERRUS_PROJECT")
	if spends() {
		os.Exit(spend(readPart(dir)))
	}
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		os.Exit(play(readPart(dir), os.Args[2]))
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") { // it would run all tests again
		fmt.Fprintln(os.Stderr, "this test is not ferrus", os.Args[1])
		os.Exit(2)
	}
	// Nearly every test waits for processes that wait themselves.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(hosttest.M{Tests: meteredTests{m}}.Run())
}

// partFile is where a scene says which part its agents play. It is in .git, where it
// is no change of the project.
const partFile = ".git/part"

func readPart(dir string) string {
	part, err := os.ReadFile(filepath.Join(dir, partFile))
	if err != nil {
		panic(err) // every scene has one
	}
	return string(part)
}

// play acts as an agent without a server: it gives its commands itself.
func play(part, role string) int {
	switch part {
	case "exit":
		fmt.Println("nothing to do here")
		return 0
	case "fail":
		fmt.Println("out of paper")
		return 7
	case "hang", "say":
		if part == "say" {
			fmt.Println(os.Args[3])
		}
		fmt.Println("waiting")
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
		<-signals
		return 130
	}
	a, err := act(role)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if err := a.work(part); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// actor is a working agent.
type actor struct {
	p  *project.Task
	by core.Actor
}

func act(role string) (*actor, error) {
	p, err := project.Open(os.Getenv("FERRUS_PROJECT"), agent.Names()...)
	if err == nil {
		p, err = p.OpenTask(os.Getenv(project.TaskEnv))
	}
	if err != nil {
		return nil, err
	}
	mode := core.ModeWork
	if role == "supervisor" {
		mode = core.ModeReview
	}
	id, err := process.Identify(os.Getpid())
	by := core.Actor{
		Role: machine.Role(role), ID: role + ":actor:1", Mode: mode, Managed: true,
		Session: process.SessionID(os.Getenv("FERRUS_NONCE")), Process: id,
	}
	return &actor{p, by}, err
}

func (a *actor) do(kind machine.Kind, text string) (core.Result, error) {
	return a.p.Do(context.Background(), store.Call{}, core.Command{Kind: kind, By: a.by, Text: text})
}

func (a *actor) registered() (project.SessionRecord, bool) {
	r, err := a.p.Registry()
	if err != nil {
		return project.SessionRecord{}, false
	}
	return r.Session(a.by.Session)
}

// until repeats a command that is refused because it is not time yet, or whose gate
// runs, when something has happened since.
func (a *actor) until(kind machine.Kind, text string) error {
	notices, err := a.p.Store.Watch(context.Background())
	if err != nil {
		return err
	}
	for {
		result, err := a.do(kind, text)
		if err == nil && result.Status != "running" {
			return nil
		}
		<-notices
		for err == nil { // the command itself gave notice
			if state, err := a.p.World(); err != nil || state.Seq != result.Seq {
				break
			}
			<-notices
		}
	}
}

func (a *actor) work(part string) error {
	if entry, ok := a.registered(); ok && entry.Slot == core.SlotPlanner {
		a.by.Mode = entry.Mode
		_, err := a.do("create_task", "# Work\n")
		return err
	}
	if err := a.until("claim", ""); err != nil {
		return err
	}
	if part == "sit" && a.by.Role == machine.Supervisor {
		return a.sit()
	}
	if a.by.Role == machine.Supervisor {
		_, err := a.do("approve", "")
		return err
	}
	switch {
	case part == "idle":
		return nil
	case part == "stubborn":
		fmt.Println("once more")
		return a.insist()
	case strings.HasPrefix(part, "flood "):
		if err := gush(os.Stdout, part); err != nil {
			return err
		}
	}
	state, err := a.p.World()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(a.p.Workspace(state.World), "work.txt"), []byte("done\n"), 0o600); err != nil {
		return err
	}
	if part == "crash once" {
		if _, err := os.Stat(filepath.Join(a.p.Dir, "crashed")); err != nil {
			os.WriteFile(filepath.Join(a.p.Dir, "crashed"), nil, 0o600)
			return fmt.Errorf("crash")
		}
	}
	return a.until("submit", "## Summary\nDone.\n")
}

// fixture is a repository in which the test binary plays every agent.
type fixture struct {
	*testing.T
	p *project.Task
}

// newFixture has its test run beside others.
func newFixture(t *testing.T, part string) *fixture {
	t.Helper()
	t.Parallel()
	return newFixtureAlone(t, part)
}

// newFixtureAlone is for a test that sets the environment.
func newFixtureAlone(t *testing.T, part string) *fixture {
	t.Helper()
	if testing.Short() && t.Name() != "TestLoop" && t.Name() != "TestKilled" {
		t.Skip("short: it starts processes, for which TestLoop and TestKilled stand")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	uptime := 1
	if part == "hang" || part == "say" { // It runs until it is ended, so it counts as started at once.
		uptime = 0
	}
	toml := fmt.Sprintf(`[checks]
commands = ["test -f work.txt"]
[hq.supervisor]
agent = "actor"
[hq.executor]
agent = "actor"
[session]
grace_secs = 1
min_uptime_secs = %d
[agent.actor]
command = [%q, "agent", "{role}"]
interactive_command = [%q, "agent", "{role}"]
`, uptime, self, self)
	s := &fixture{t, hqtest.NewProject(t, hqtest.Files{"ferrus.toml": toml}, agent.Names()...)}
	s.play(part)
	return s
}

// willChangePart makes a session that hangs count as started only after a second, when its
// agent has read the part that it plays.
func (s *fixture) willChangePart() {
	s.Helper()
	s.edit("min_uptime_secs = 0", "min_uptime_secs = 1")
}

// play has every agent that starts from now on play that part.
func (s *fixture) play(part string) { s.write(partFile, part) }

func (s *fixture) task() {
	s.Helper()
	hqtest.Do(s, s.p, core.Command{Kind: "create_task", By: project.HumanActor(), Text: "# Work\n"})
}

// engine is a conductor, with the conductors of other tasks or without.
type engine interface {
	View() conductor.View
	Updates() <-chan struct{}
	Close(hold bool) error
}

func (s *fixture) start() *conductor.Conductor {
	s.Helper()
	c, err := conductor.Start(s.Context(), s.p, conductor.Options{}, nil)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// schedule also runs the tasks of the queue.
func (s *fixture) schedule() *scheduler.Scheduler {
	s.Helper()
	c, err := scheduler.Start(s.Context(), s.p, conductor.Options{}, nil)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// wait returns when the view is as asked. It fails the test after two minutes.
func (s *fixture) wait(c engine, what string, ok func(conductor.View) bool) conductor.View {
	s.Helper()
	return s.waitFor(2*time.Minute, c, what, ok)
}

// waitFor returns when the view is as asked. It fails the test after a given time.
func (s *fixture) waitFor(limit time.Duration, c engine, what string, ok func(conductor.View) bool) conductor.View {
	s.Helper()
	timeout := time.After(limit)
	for {
		v := c.View()
		if ok(v) {
			return v
		}
		select {
		case <-c.Updates():
		case <-timeout:
			s.Fatalf("no %s: %s", what, describe(v))
		}
	}
}

func describe(v conductor.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s hold=%v problem=%q\n", v.State.World.State, v.State.World.Hold, v.StateError)
	for _, l := range v.Journal {
		fmt.Fprintf(&b, "  %d %s %s -> %s %s\n", l.Seq, l.Event, l.From, l.To, l.Why)
	}
	for _, p := range v.Panes {
		fmt.Fprintf(&b, "  %s %s session %d exit %q\n", p.Slot, p.State, p.Session, p.Exit)
	}
	for _, n := range v.Notices {
		fmt.Fprintf(&b, "  ! %s\n", n.Text)
	}
	for _, r := range v.Tasks {
		fmt.Fprintf(&b, "  %s %s %s (%s)\n", r.Name(), r.State, r.Task, r.Why)
	}
	return b.String()
}

func (s *fixture) close(c engine, hold bool) {
	s.Helper()
	if err := c.Close(hold); err != nil {
		s.Error(err)
	}
	s.checkNoAgentLeft()
}

// checkNoAgentLeft fails when an agent of this scene is left, all of which know the project,
// or a host, all of which work in it.
func (s *fixture) checkNoAgentLeft() {
	s.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(environ), "FERRUS_PROJECT="+s.p.Dir) {
			s.Errorf("a process is left: %s", path)
		}
		if cwd, err := os.Readlink(filepath.Join(filepath.Dir(path), "cwd")); err == nil && cwd == s.p.Dir {
			s.Errorf("a process is left in the project: %s", path)
		}
	}
}

// edit changes ferrus.toml.
func (s *fixture) edit(before, after string) {
	s.Helper()
	path := filepath.Join(s.p.Dir, "ferrus.toml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path+".new", []byte(strings.ReplaceAll(string(text), before, after)), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path) // half a file would trust other commands
	}
	if err != nil {
		s.Fatal(err)
	}
}

func command(t *testing.T, name string, args ...string) ([]byte, error) {
	t.Helper()
	return exec.Command(lookPath(t, name), args...).CombinedOutput()
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
