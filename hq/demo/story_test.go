package demo_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store/longtest"
)

const whole = "create_task:Executing check:Checking checked:Addressing consult:Consultation " +
	"wait_for_consult:Addressing check:Checking submit:Reviewing reject:Addressing ask_human:AwaitingHuman " +
	"answer:Addressing check:Checking submit:Reviewing approve:Complete"

// play starts an agent in this process; its server is a process of its own.
func (s *fixture) play(ctx context.Context, role, mode string, out *screen) error {
	return demo.Agent(ctx, demo.Options{Role: role, Mode: mode, Project: s.Dir, Plain: true, Out: out})
}

func TestStory(t *testing.T) {
	cases := []struct{ name, answer, code string }{
		{"yes", "Yes, POST too.", "return true"},
		{"no", demo.Answer, `return r.Method == "GET" || r.Method == "HEAD"`},
	}
	if !longtest.On() {
		cases = cases[:1] // the scripts of hq/cli play the other answer
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			screens := s.conduct(c.answer, s.play)
			if got := s.stateHistory(); got != whole {
				t.Errorf("story %s\n want %s", got, whole)
			}
			code, err := os.ReadFile(filepath.Join(s.Dir, "repeat.go"))
			if err != nil || !strings.Contains(string(code), c.code) || !strings.Contains(string(code), c.answer[:10]) {
				t.Errorf("the answer is not in the code: %s %v", code, err)
			}
			shows(t, screens["executor work"], "~ retry.go", "+ package orders", "the service saw 4 requests, want 3",
				"> consult", "> submit", "you answered: "+c.answer, "done")
			shows(t, screens["supervisor task"], "> create_task", "# Retry requests", "done")
			shows(t, screens["supervisor consult"], "Does `Attempts` count", "> respond_consult", "done")
			shows(t, screens["supervisor review"], "reads retry.go", "> reject", "> approve", "done")
		})
	}
}

func shows(t *testing.T, s *screen, all ...string) {
	t.Helper()
	for _, one := range all {
		if s == nil || !strings.Contains(s.String(), one) {
			t.Errorf("nothing shows %q in\n%v", one, s)
		}
	}
}

// TestKilledAgentsGoOn kills each agent with the call it has in flight, once per
// tool: the agent that is started in its place continues.
func TestKilledAgentsGoOn(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to kill an agent at each tool: hq/chaos kills them at random")
	}
	s := newFixture(t)
	killed := &tools{all: map[string]bool{}}
	s.conduct(demo.Answer, func(ctx context.Context, role, mode string, out *screen) error {
		command := exec.CommandContext(ctx, os.Args[0], "demo-agent", "--role", role, "--mode", mode)
		command.Env = append(os.Environ(), "FERRUS_PROJECT="+s.Dir)
		command.Stdout = &killer{out: out, command: command, killed: killed}
		command.Stderr = out
		return command.Run()
	})
	if got := s.stateHistory(); got != whole {
		t.Errorf("story %s\n want %s", got, whole)
	}
	if len(killed.all) < 8 {
		t.Errorf("killed in %v", killed.all)
	}
}

// killer kills a program when it says for the first time that it uses a tool.
type killer struct {
	out     *screen
	command *exec.Cmd
	killed  *tools
}

// tools are the tools in whose call an agent was killed.
type tools struct {
	mu  sync.Mutex
	all map[string]bool
}

// first notes a tool and reports whether it was not there yet.
func (t *tools) first(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.all[name]
	t.all[name] = true
	return !known
}

func (k *killer) Write(data []byte) (int, error) {
	for line := range strings.Lines(string(data)) {
		tool, ok := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if ok && k.killed.first(tool) {
			_ = k.command.Process.Kill()
		}
	}
	return k.out.Write(data)
}

func TestElsewhereItSaysSo(t *testing.T) {
	s := newFixture(t)
	if err := os.Remove(filepath.Join(s.Dir, "fetch.go")); err != nil {
		t.Fatal(err)
	}
	var out screen
	err := s.play(t.Context(), "executor", "work", &out)
	if err == nil || !strings.Contains(err.Error(), "ferrus demo") {
		t.Errorf("got %v", err)
	}
	if err := s.play(t.Context(), "gardener", "work", &out); err == nil {
		t.Error("there is a gardener")
	}
}

func TestSpecAndLook(t *testing.T) {
	s := newFixture(t)
	var out screen
	if err := s.play(t.Context(), "supervisor", "spec", &out); err != nil {
		t.Fatal(err)
	}
	if w, err := s.World(); err != nil || w.World.SelectedMilestone != "m1.0" {
		t.Errorf("selected %+v %v", w.World.Selection, err)
	}
	if err := s.play(t.Context(), "supervisor", "free", &out); err != nil {
		t.Fatal(err)
	}
	shows(t, &out, "> create_spec", "> status")
}

// A task after the story is noted. It neither replays the story nor takes its code back.
func TestALaterTaskKeepsTheCode(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	if err := demo.WriteStory(s.Dir); err != nil {
		t.Fatal(err)
	}
	code := func() string {
		var all string
		for _, name := range []string{"retry.go", "repeat.go", "retry_test.go"} {
			data, err := os.ReadFile(filepath.Join(s.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		return all
	}
	before := code()
	hqtest.Do(t, s.Task, core.Command{Kind: "create_task", By: project.HumanActor(), Text: "# Add a cache\n"})
	s.conduct(demo.Answer, s.play)
	if code() != before {
		t.Error("the story's code has changed")
	}
	noted, err := os.ReadFile(filepath.Join(s.Dir, "TASKS.md"))
	if err != nil || !strings.HasSuffix(string(noted), "\n- Add a cache\n") {
		t.Errorf("noted: %q %v", noted, err)
	}
}
