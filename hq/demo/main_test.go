package demo_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/store/memtemp"
)

// TestMain lets the test binary be ferrus for the servers that agents start, for
// the gates that those start, and for agents that are to be killed.
func TestMain(m *testing.M) {
	commands := map[string]func(context.Context, []string) error{
		"serve": server, "gate": runner, "demo-agent": demoAgent,
	}
	if len(os.Args) > 1 && commands[os.Args[1]] != nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "ferrus:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(memtemp.M{Tests: m}.Run())
}

func server(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	role, name := flags.String("role", "", ""), flags.String("agent-name", "", "")
	index := flags.Int("agent-index", 1, "")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	p, err := project.Open(os.Getenv("FERRUS_PROJECT"), "demo")
	if err != nil {
		return err
	}
	return serve.Run(ctx, serve.Options{
		Project: p, Role: machine.Role(*role), AgentName: *name, Index: *index, Nonce: os.Getenv("FERRUS_NONCE"),
		In: os.Stdin, Out: os.Stdout, Log: os.Stderr,
	})
}

func runner(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	ticket := flags.Uint64("ticket", 0, "")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	dir := os.Getenv("FERRUS_PROJECT")
	if dir == "" {
		dir, _ = os.Getwd()
	}
	p, err := project.Open(dir, "demo")
	if err != nil {
		return err
	}
	return gate.Run(ctx, p, *ticket, gate.Options{})
}

func demoAgent(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	role, mode := flags.String("role", "", ""), flags.String("mode", "", "")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	return demo.Agent(ctx, demo.Options{
		Role: *role, Mode: *mode, Project: os.Getenv("FERRUS_PROJECT"), Nonce: os.Getenv("FERRUS_NONCE"),
		Plain: true, Out: os.Stdout,
	})
}

// fixture is a project with the demo's repository.
type fixture struct {
	*project.Task
	t *testing.T
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	if testing.Short() {
		t.Skip("short: it plays the demo")
	}
	dir := t.TempDir()
	if err := demo.Scaffold(dir); err != nil {
		t.Fatal(err)
	}
	p := hqtest.Open(t, dir, "demo")
	t.Cleanup(func() { alone(t, dir) })
	return &fixture{Task: p, t: t}
}

// alone waits until no process knows the project: the server of a killed agent
// ends a moment after it.
func alone(t *testing.T, dir string) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); ; {
		left := ""
		paths, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range paths {
			environ, err := os.ReadFile(path)
			if err == nil && bytes.Contains(environ, []byte("FERRUS_PROJECT="+dir+"\x00")) {
				left = path
			}
		}
		if left == "" {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Errorf("a process is left: %s", left)
			return
		}
	}
}

// screen is what an agent printed; agents end after the test has looked.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(data)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// plays returns the session that should run in a state, as a conductor has it.
func plays(w core.World) (role, mode string) {
	switch {
	case w.State == "Consultation" && !w.Consult.Answered:
		return "supervisor", "consult"
	case w.State == "Reviewing":
		return "supervisor", "review"
	case w.State == "Idle":
		return "supervisor", "task"
	}
	return "executor", "work"
}

// conduct plays the story to its end: agents are started as the state asks for
// them, and a human answers. It returns what each role printed.
func (s *fixture) conduct(
	answer string, start func(ctx context.Context, role, mode string, out *screen) error,
) map[string]*screen {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	changed, err := s.Store.Watch(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &conductor{
		fixture: s, start: start, screens: map[string]*screen{}, living: map[string]bool{},
		ended: make(chan string, 8),
	}
	defer c.group.Wait()
	defer cancel()
	for {
		state, err := s.World()
		if err != nil {
			s.t.Fatal(err)
		}
		switch state.World.State {
		case "Complete":
			return c.screens
		case "Failed":
			s.t.Fatalf("the task failed: %s\n%v", state.World.FailureReason, c.screens)
		case "AwaitingHuman":
			_, err := s.Do(ctx, store.Call{ID: "person"}, core.Command{
				Kind: "answer", Text: answer, By: project.HumanActor(),
			})
			if err != nil {
				s.t.Fatal(err)
			}
		default:
			c.have(ctx, state.World)
		}
		select {
		case <-changed:
		case who := <-c.ended:
			c.living[who] = false
		case <-ctx.Done():
			s.t.Fatalf("the story did not end: %s\n%v", state.World.State, c.screens)
		}
	}
}

type conductor struct {
	*fixture
	start   func(ctx context.Context, role, mode string, out *screen) error
	screens map[string]*screen
	living  map[string]bool
	ended   chan string
	group   sync.WaitGroup
}

// have starts who should live and does not.
func (c *conductor) have(ctx context.Context, w core.World) {
	role, mode := plays(w)
	who := role + " " + mode
	if c.living[who] {
		return
	}
	out := c.screens[who]
	if out == nil {
		out = &screen{}
		c.screens[who] = out
	}
	c.living[who] = true
	c.group.Go(func() {
		if err := c.start(ctx, role, mode, out); err != nil && ctx.Err() == nil {
			fmt.Fprintf(out, "ended with: %v\n", err)
		}
		c.ended <- who
	})
}

// stateHistory returns the states that the journal reached.
func (s *fixture) stateHistory() string {
	s.t.Helper()
	lines, err := s.Store.Journal(0)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, line := range lines {
		if line.From != line.To {
			all = append(all, line.Event+":"+line.To)
		}
	}
	return strings.Join(all, " ")
}
