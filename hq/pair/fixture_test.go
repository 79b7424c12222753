package pair

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/host"
	"ferrus/hq/host/hosttest"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine/pair"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == host.Command { // the test binary plays ferrus
		if err := session.Host(); err != nil {
			panic(err)
		}
		return
	}
	state, err := os.MkdirTemp("", "ferrus-pair-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", state)
	os.Setenv("XDG_CONFIG_HOME", state)
	code := hosttest.M{Tests: m}.Run()
	os.RemoveAll(state)
	os.Exit(code)
}

// toml has a gate that fails while there is a bug.
const toml = `[checks]
commands = ["! grep -q bug work.txt"]
[session]
max_consecutive_errors = 2
min_uptime_secs = 1
grace_secs = 1
`

// newProject returns a project in a new git repository.
func newProject(t *testing.T) *project.Task {
	t.Helper()
	return hqtest.NewProject(t, hqtest.Files{"ferrus.toml": toml}, "one", "other")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// reply is a scripted agent's turn: it may edit, and prints a text in which {DONE}, {PASS},
// {REWORK} and {FAIL} become signals with the nonce.
type reply struct {
	edit string // the new content of work.txt; empty leaves it
	says string
	exit int
	used agent.Limit // a usage limit that it hits
	wait bool        // runs until it is stopped
}

// scriptedAgents plays agents from a script: each launch takes its agent's next reply.
type scriptedAgents struct {
	dir     string
	replies map[string][]reply // by agent

	mu      sync.Mutex
	prompts map[string][]string
	begun   chan string // signals that a waiting agent has started
	missing string      // an agent that is not installed
}

func (c *scriptedAgents) Ready(name string) error {
	if name == c.missing {
		return errors.New(name + ": not found on PATH")
	}
	return nil
}

var nonceIn = regexp.MustCompile("`(?:DONE|PASS) ([0-9a-f]{6})`")

func (c *scriptedAgents) Launch(l session.Launch, _ agent.Screen) (session.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prompts == nil {
		c.prompts = map[string][]string{}
	}
	name := l.Agent.Agent
	c.prompts[name] = append(c.prompts[name], l.Text)
	if len(c.replies[name]) == 0 {
		return nil, errors.New(name + " has nothing left to do")
	}
	a := c.replies[name][0]
	c.replies[name] = c.replies[name][1:]
	if a.edit != "" {
		if err := os.WriteFile(filepath.Join(c.dir, "work.txt"), []byte(a.edit+"\n"), 0o644); err != nil {
			return nil, err
		}
	}
	nonce := nonceIn.FindStringSubmatch(l.Text)[1]
	for _, word := range []string{"DONE", "PASS", "REWORK", "FAIL"} {
		a.says = strings.ReplaceAll(a.says, "{"+word+"}", word+" "+nonce)
	}
	s := &actor{done: make(chan struct{}), reply: a}
	if a.wait {
		c.begun <- name
		return s, nil
	}
	close(s.done)
	return s, nil
}

type actor struct {
	reply
	once sync.Once
	done chan struct{}
}

func (a *actor) Done() <-chan struct{} { return a.done }
func (a *actor) PID() int              { return 0 }
func (a *actor) Input([]byte) error    { return nil }
func (a *actor) Resize(int, int) error { return nil }
func (a *actor) Detach()               {}

func (a *actor) End(context.Context, time.Duration) agent.Exit {
	if a.wait {
		a.once.Do(func() { close(a.done) })
	}
	return agent.Exit{Code: a.exit, Limit: a.used, Final: &a.says}
}

// newRun creates a run of two scripted agents.
func newRun(t *testing.T, p *project.Task, mode pair.Mode, one, other []reply) (*Run, *scriptedAgents) {
	t.Helper()
	r, err := Create(t.Context(), p, Options{
		Task: "Write it.", Primary: "one", Secondary: "other", Mode: mode, MaxIterations: 5, Words: pair.DefaultWords,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &scriptedAgents{dir: p.Dir, replies: map[string][]reply{"one": one, "other": other},
		begun: make(chan string, 1)}
	r.Launcher = c
	return r, c
}

// journey returns the states and events in a run's transcript.
func journey(t *testing.T, r *Run) (states, events string) {
	t.Helper()
	all, err := r.Transcript()
	if err != nil {
		t.Fatal(err)
	}
	var s, e []string
	seq := 0
	for _, entry := range all {
		if entry.Type != "state" {
			continue
		}
		if seq++; entry.Seq != seq {
			t.Errorf("the transcript has step %d, want %d", entry.Seq, seq)
		}
		e = append(e, string(entry.Event))
		if entry.From != entry.To {
			s = append(s, string(entry.To))
		}
	}
	return strings.Join(s, " "), strings.Join(e, " ")
}
