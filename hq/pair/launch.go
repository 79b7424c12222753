package pair

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/host"
	"ferrus/ui/text"
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
	Who     string // primary or secondary
	Agent   string // by name
	Prompt  string
	Nonce   string // of the session, not that of the signal
	Session string // its id
	Number  int    // of the sessions of who
	Project string
	Lines   func(string) // every line it prints, plain
	Log     string       // below .ferrus: everything it writes, without secrets

	// What draws it besides, and how large that is; nil and 0: nobody looks.
	Screen        agent.Screen
	Columns, Rows int
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

// Hosted starts agents in hosts of their own, as the sessions of the loop. A host
// ends its agent when the process of the run ends, however that comes.
type Hosted struct {
	Setup  Setup
	Ferrus string // the program; empty: this one
}

// Ready looks whether the agent is known and installed.
func (s Setup) Ready(name string) error {
	adapter, err := agent.Lookup(name, s.custom())
	if err == nil {
		err = agent.Installed(adapter)
	}
	if err == nil {
		_, err = adapter.Invoke(agent.Launch{Role: "executor", Mode: "work", Prompt: "x", Project: "/", Ferrus: "/ferrus", Workspace: "/", NoServer: true})
	}
	return err
}

// Ready is that of the setup.
func (h Hosted) Ready(name string) error { return h.Setup.Ready(name) }

func (s Setup) custom() map[string]agent.Custom {
	all := map[string]agent.Custom{}
	for name, c := range s.Agents {
		all[name] = agent.Custom{Command: c.Command, InteractiveCommand: c.InteractiveCommand}
	}
	return all
}

// Launch starts an agent headless and without the server of ferrus.
func (h Hosted) Launch(turn Launch) (Session, error) {
	adapter, err := agent.Lookup(turn.Agent, h.Setup.custom())
	if err != nil {
		return nil, err
	}
	ferrus, err := h.program()
	if err != nil {
		return nil, err
	}
	turn.Columns, turn.Rows = cmp.Or(turn.Columns, columns), cmp.Or(turn.Rows, rows)
	invocation, err := adapter.Invoke(h.Setup.launch(turn, ferrus))
	if err != nil {
		return nil, err
	}
	s := &hosted{page: &page{Screen: turn.Screen, lines: turn.Lines}}
	s.Client, err = host.Start(ferrus, host.Launch{
		Project: turn.Project, Slot: turn.Who, Session: turn.Session, Number: turn.Number,
		Invocation: invocation, Renderer: h.Setup.renderer(adapter), Columns: turn.Columns, Rows: turn.Rows,
		Scrollback: scrollback, Log: turn.Log, Tethered: true,
	}, s.page)
	return s, err
}

func (h Hosted) program() (string, error) {
	if h.Ferrus != "" {
		return h.Ferrus, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the ferrus program: %w", err)
	}
	return filepath.Clean(self), nil
}

// launch is a turn as adapters word it.
func (s Setup) launch(turn Launch, ferrus string) agent.Launch {
	l := agent.Launch{
		Role: "executor", Mode: "work", Slot: "executor", Prompt: turn.Prompt, Model: s.model(turn.Agent),
		Workspace: turn.Project, Project: turn.Project, Nonce: turn.Nonce, Ferrus: ferrus, Index: 1,
		Columns: turn.Columns, Rows: turn.Rows, Bypass: s.Executor.Bypass(), NoServer: true,
	}
	if turn.Who == Secondary { // it is not to edit
		l.Role, l.Mode, l.Slot, l.Bypass = "supervisor", "review", "reviewer", s.Supervisor.Bypass()
	}
	return l
}

// renderer is the agent whose renderer stands before the screen; empty: none.
func (s Setup) renderer(a agent.Adapter) string {
	if _, own := s.Agents[a.Name()]; own {
		return ""
	}
	return a.Name()
}

// The terminal that agents see, while nobody looks. Lines are not broken by it.
const (
	columns    = 120
	rows       = 40
	scrollback = 1000 // lines that who attaches to it finds
)

// model is the one that ferrus.toml gives to an agent that plays a role.
func (s Setup) model(name string) string {
	for _, player := range []config.RoleConfig{s.Executor, s.Supervisor} {
		if player.Agent == name {
			return player.Model
		}
	}
	return ""
}

// hosted is a session in a host.
type hosted struct {
	*host.Client
	page *page
	exit agent.Exit // once it was ended
}

func (s *hosted) End(ctx context.Context, grace time.Duration) agent.Exit {
	s.exit = agent.End(ctx, s.Client, grace)
	s.page.finish()
	return s.exit
}

func (s *hosted) Text() string {
	if s.exit.Final != nil {
		return text.Plain(*s.exit.Final)
	}
	return s.page.text()
}

// pageLimit is how much of what an agent printed is kept: the end.
const pageLimit = 256 << 10

// page is a screen that collects lines, before another that shows them.
type page struct {
	agent.Screen // nil: nobody looks
	lines        func(string)

	mu   sync.Mutex // guards what follows
	open []byte     // the line that has no end yet
	all  []string
	size int
}

func (p *page) Resize(columns, rows int) {
	if p.Screen != nil {
		p.Screen.Resize(columns, rows)
	}
}

func (p *page) Snapshot() []byte {
	if p.Screen == nil {
		return nil
	}
	return p.Screen.Snapshot()
}

func (p *page) Write(data []byte) (int, error) {
	if p.Screen != nil {
		_, _ = p.Screen.Write(data) // an emulator takes everything
		if r, ok := p.Screen.(agent.Replier); ok {
			r.Replies() // the host's own has answered
		}
	}
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
	line = text.Output(line)
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
