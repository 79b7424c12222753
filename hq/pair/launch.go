package pair

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ferrus/agent"
	"ferrus/checks"
	"ferrus/hq/config"
)

// Launcher starts the sessions of a run. It is all that a run knows of how agents
// are run.
type Launcher interface {
	// Ready says why an agent cannot be started; nil when it can.
	Ready(name string) error
	Launch(Launch) (Session, error)
}

// Launch is one turn of one agent.
type Launch struct {
	Agent   string // by name
	Reviews bool   // it reviews, and is not to edit
	Prompt  string
	Nonce   string // of the session, not that of the signal
	Project string
	Lines   func(string) // every line it prints, plain
	Log     io.Writer    // everything, as it comes
}

// Session is an agent at work.
type Session interface {
	Done() <-chan struct{}
	PID() int
	// End ends it with everything it started, and returns how it ended.
	End(ctx context.Context, grace time.Duration) agent.Exit
	// Text is what the agent said: its last message where its stream marks one,
	// else everything it printed. Only after the end.
	Text() string
}

// Local starts agents in this process.
type Local struct{ Setup Setup }

// Ready looks whether the agent is known and installed.
func (l Local) Ready(name string) error {
	adapter, err := agent.Lookup(name, l.custom())
	if err == nil {
		err = agent.Installed(adapter)
	}
	if err == nil {
		_, err = adapter.Invoke(agent.Launch{Role: "executor", Mode: "work", Prompt: "x", Project: "/", Ferrus: "/ferrus", Workspace: "/", Alone: true})
	}
	return err
}

func (l Local) custom() map[string]agent.Custom {
	all := map[string]agent.Custom{}
	for name, c := range l.Setup.Agents {
		all[name] = agent.Custom{Command: c.Command, InteractiveCommand: c.InteractiveCommand}
	}
	return all
}

// Launch starts an agent headless and without the server of ferrus.
func (l Local) Launch(turn Launch) (Session, error) {
	adapter, err := agent.Lookup(turn.Agent, l.custom())
	if err != nil {
		return nil, err
	}
	ferrus, err := os.Executable()
	if err != nil {
		return nil, err
	}
	launch := agent.Launch{
		Role: "executor", Mode: "work", Slot: "executor", Prompt: turn.Prompt, Model: l.model(turn.Agent),
		Workspace: turn.Project, Project: turn.Project, Nonce: turn.Nonce, Ferrus: filepath.Clean(ferrus), Index: 1,
		Columns: columns, Rows: rows, Bypass: l.Setup.Executor.Bypass(), Alone: true,
	}
	if turn.Reviews {
		launch.Role, launch.Mode, launch.Slot, launch.Bypass = "supervisor", "review", "reviewer", l.Setup.Supervisor.Bypass()
	}
	invocation, err := adapter.Invoke(launch)
	if err != nil {
		return nil, err
	}
	s := &local{page: &page{lines: turn.Lines}, renderer: adapter.Renderer()}
	s.Session, err = agent.Start(invocation, turn.Project, columns, rows, s.page, turn.Log, s.renderer)
	return s, err
}

// The size of the terminal that agents see. Lines are not broken by it.
const (
	columns = 120
	rows    = 40
)

// model is the one that ferrus.toml gives to an agent that plays a role.
func (l Local) model(name string) string {
	for _, player := range []config.Player{l.Setup.Executor, l.Setup.Supervisor} {
		if player.Agent == name {
			return player.Model
		}
	}
	return ""
}

// local is a session whose terminal this process owns.
type local struct {
	agent.Session
	page     *page
	renderer agent.Renderer
}

func (s *local) End(ctx context.Context, grace time.Duration) agent.Exit {
	exit := agent.End(ctx, s.Session, grace)
	s.page.finish()
	return exit
}

func (s *local) Text() string {
	if f, ok := s.renderer.(agent.Finisher); ok {
		return plain(f.Final())
	}
	return s.page.text()
}

// plain is a text without what orders a terminal about.
func plain(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = checks.Plain(line)
	}
	return strings.Join(all, "\n")
}

// pageLimit is how much of what an agent printed is kept: the end.
const pageLimit = 256 << 10

// page is a screen that only collects lines.
type page struct {
	lines func(string)

	mu   sync.Mutex // guards what follows
	open []byte     // the line that has no end yet
	all  []string
	size int
}

func (p *page) Resize(int, int)  {}
func (p *page) Snapshot() []byte { return nil }

func (p *page) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	written := len(data)
	for {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		p.open = append(p.open, line...)
		if whole || len(p.open) > pageLimit {
			p.add(string(p.open))
			p.open = p.open[:0]
		}
		if !whole {
			return written, nil
		}
		data = rest
	}
}

// add takes a line. The caller holds mu.
func (p *page) add(line string) {
	line = checks.Plain(line)
	p.all = append(p.all, line)
	p.size += len(line) + 1
	for p.size > pageLimit && len(p.all) > 1 {
		p.size -= len(p.all[0]) + 1
		p.all = p.all[1:]
	}
	if p.lines != nil && strings.TrimSpace(line) != "" {
		p.lines(line)
	}
}

// finish takes a line that never ended.
func (p *page) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) > 0 {
		p.add(string(p.open))
		p.open = nil
	}
}

func (p *page) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.all, "\n")
}
