package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"ferrus/hq/wire"
)

// Session is what the process of a session at home is started with. It is a file that only its
// user can read: a prompt may be long, and a command line is readable by every user.
type Session struct {
	Target
	Start     wire.Start `json:"start"`
	Setup     wire.Setup `json:"setup"`
	Workspace string     `json:"workspace"` // the task's worktree at home, where the project is in it
	Synced    string     `json:"synced"`    // the file that records what both ends have
	Texts     []string   `json:"texts"`     // directories of your texts and files, which the session can read
	TurnEnd   string     `json:"turn_end"`  // the file that says that the turn has ended
	Ending    string     `json:"ending"`    // the file that the ending is written to
	Serve     []string   `json:"serve"`     // the command of a server of the session
	// The same for a client that asks for permission there.
	ServeAsking []string `json:"serve_asking"`
}

// ReadSession reads the file of a session, and removes it.
func ReadSession(name string) (s Session, err error) {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read the session: %w", err)
	}
	return s, os.Remove(name)
}

// Terminal is the terminal of the process of a session at home.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Size    func() (columns, rows int)
	Resized <-chan os.Signal
	Stop    <-chan os.Signal // the session is to end
}

// shown is a session of a worker that is shown here.
type shown struct {
	Session
	Terminal
	ferrus  string
	work    work
	channel *wire.Channel
	servers *servers
	hosts   Hosts
	asked   int // hosts that the worker asked for

	mu       sync.Mutex
	pane     wire.Stream // guarded by mu; nil: the session is not shown now
	painted  bool        // something of the session is on the terminal
	finished chan struct{}
}

// stopGrace is how long an agent on a worker has to end.
const stopGrace = 10 * time.Second

// RunSession starts a session on a worker and shows it until it has ended. It returns the exit code.
func RunSession(ctx context.Context, s Session, t Terminal, hosts Hosts, ferrus string) (int, error) {
	w, err := openWork(s.Project, s.Workspace, s.Synced, s.Start.Task)
	if err != nil {
		return 1, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := &shown{Session: s, Terminal: t, ferrus: ferrus, work: w, channel: wire.NewChannel(),
		hosts: hosts, finished: make(chan struct{})}
	v.servers = newServers(ctx, v.channel, s.Serve, s.ServeAsking)
	v.servers.texts = newTexts(s.Start.Task, s.Texts)
	defer v.servers.closeAll()
	go v.servers.receive(v)
	go v.readKeys(ctx)
	go v.sendAnswers(ctx)
	go v.endWhenAsked(ctx)
	e, err := v.run(ctx)
	close(v.finished)
	if err != nil {
		return 1, err
	}
	if e.Why != "" {
		v.say("The worker %s ended the session: %s.", s.Name, wire.Words(e.Why, 300))
	}
	data, err := json.Marshal(e)
	if err == nil {
		err = os.WriteFile(s.Ending, data, 0o600)
	}
	if e.Signal != 0 {
		return 128 + e.Signal, err
	}
	return e.Code, err
}

// say writes a line of ferrus's own on the terminal.
func (v *shown) say(format string, args ...any) {
	// A terminal that is gone shows nothing.
	_, _ = fmt.Fprintf(v.Out, "\x1b[0m\r\n\x1b[2m"+format+"\x1b[0m\r\n", args...)
}

// run connects until the session has ended.
func (v *shown) run(ctx context.Context) (*wire.Ending, error) {
	started := false
	for {
		l, err := v.connect(ctx)
		if err != nil {
			return nil, err
		}
		if !started {
			err = v.start(ctx, l)
			started = err == nil
		}
		var e *wire.Ending
		if err == nil {
			e, err = v.attach(ctx, l)
		}
		l.Close()
		if err == nil || !IsLost(err) || ctx.Err() != nil {
			v.mark(err)
			return e, err
		}
		v.say("The worker %s is not reachable. The session continues there, and here when the link is back.", v.Name)
	}
}

// mark marks the worker if the error is a violation of the protocol.
func (v *shown) mark(err error) {
	var broken *wire.Violation
	if !errors.As(err, &broken) {
		return
	}
	if err := Mark(v.Target, v.ferrus, broken.What); err != nil {
		v.say("The worker %s could not be marked: %v", v.Name, err)
	}
}

// start sends the work and starts the session.
func (v *shown) start(ctx context.Context, l wire.Link) error {
	dir, err := v.work.send(ctx, l)
	if err != nil {
		return err
	}
	if err := v.setup(ctx, l); err != nil {
		return err
	}
	v.servers.translate(v.work.repository.Top, dir)
	start := v.Start
	if start.Prompt, err = v.servers.texts.send(ctx, l, start.Prompt); err != nil {
		return err
	}
	start.Prompt = strings.ReplaceAll(start.Prompt, v.work.repository.Top, dir)
	return wire.Ask(ctx, l, wire.MethodStart, start, nil)
}

// setup makes the worker prepare the workspace, and shows what that prints.
func (v *shown) setup(ctx context.Context, l wire.Link) error {
	if len(v.Setup.Definition.Commands) == 0 {
		return nil
	}
	s, err := wire.Open(ctx, l, wire.MethodSetup, v.Setup)
	if err != nil {
		return err
	}
	defer s.Close(nil)
	for first := true; ; first = false {
		line, err := s.Receive(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if refused := (*wire.Refused)(nil); errors.As(err, &refused) && !IsLost(err) {
				return fmt.Errorf("prepare the workspace on the worker %s: %s", v.Name, wire.Words(refused.Why, 400))
			}
			return err
		}
		if first {
			v.say("Preparing the workspace on the worker %s.", v.Name)
		}
		_, _ = fmt.Fprintf(v.Out, "%s\r\n", wire.Words(string(line), 400))
	}
}

// connect waits until the worker is connected.
func (v *shown) connect(ctx context.Context) (wire.Link, error) {
	notified, began := false, time.Now() // the clock may be set between the two processes' looks at it
	for {
		l, err := Connect(ctx, v.Target, v.ferrus)
		if err != nil {
			return nil, err
		}
		for err == nil {
			var s LinkStatus
			if s, err = Status(ctx, l); err != nil {
				break
			}
			if s.Connected {
				return l, nil
			}
			if s.Marked != "" {
				l.Close()
				return nil, fmt.Errorf("the worker %s broke the protocol, and is not used any more: it %s",
					v.Name, s.Marked)
			}
			if !notified && time.Since(began) > time.Second {
				notified = true
				v.say("Waiting for the worker %s: %s", v.Name, s.Why)
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		l.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// attach shows the session over one connection. At the end of the session home has its work.
func (v *shown) attach(ctx context.Context, l wire.Link) (*wire.Ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v.servers.use(l)
	carried := make(chan error, 1)
	tools, err := wire.Open(ctx, l, wire.MethodTools,
		wire.Tools{Task: v.Start.Task, Session: v.Start.Session, Received: v.channel.Received()})
	if err != nil {
		return nil, err
	}
	go func() { carried <- v.channel.Run(ctx, tools, -1) }()
	e, err := v.showPane(ctx, l)
	cancel()
	tools.Close(nil)
	<-carried
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	var there wire.Workspace
	if err := wire.Ask(ctx, l, wire.MethodTree, v.Start.Task, &there); err != nil {
		return nil, fmt.Errorf("get the work of the session: %w", err)
	}
	if err := v.work.receive(ctx, l, there); err != nil {
		return nil, err
	}
	_ = wire.Ask(ctx, l, wire.MethodForget, wire.Forget{Task: v.Start.Task, Session: v.Start.Session}, nil)
	return e, nil
}

// showPane shows the screen until the session has ended.
func (v *shown) showPane(ctx context.Context, l wire.Link) (*wire.Ending, error) {
	columns, rows := v.Size()
	s, err := wire.Open(ctx, l, wire.MethodPane, wire.Pane{Task: v.Start.Task, Session: v.Start.Session,
		PaneSizes: wire.PaneSizes{Columns: columns, Rows: rows}})
	if err != nil {
		return nil, err
	}
	defer s.Close(nil)
	v.setPane(s)
	defer v.setPane(nil)
	go v.sendSizes(ctx, s)
	for {
		m, err := s.Receive(ctx)
		if err != nil {
			return nil, err
		}
		if len(m) == 0 {
			continue
		}
		switch m[0] {
		case wire.PaneSnapshot:
			if v.painted { // what is there is old
				_, _ = io.WriteString(v.Out, "\x1bc")
			}
			v.painted = true
			fallthrough
		case wire.PaneMore, wire.PaneOutput:
			if _, err := v.Out.Write(m[1:]); err != nil {
				return nil, err
			}
		case wire.PaneEnded:
			var e wire.Ending
			if err := json.Unmarshal(m[1:], &e); err != nil {
				return nil, &wire.Violation{What: "sent an ending that cannot be read"}
			}
			e = bounded(e, time.Now())
			return &e, nil
		}
	}
}

func (v *shown) setPane(s wire.Stream) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pane = s
}

func (v *shown) sendSizes(ctx context.Context, s wire.Stream) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.Resized:
		}
		columns, rows := v.Size()
		body, _ := json.Marshal(wire.PaneSizes{Columns: columns, Rows: rows})
		v.mu.Lock()
		_ = s.Send(ctx, append([]byte{wire.PaneResize}, body...)) // a lost link has the size of the next one
		v.mu.Unlock()
	}
}

// readKeys sends what is typed. While the session is not shown, keys are dropped: you could not
// see what they do.
func (v *shown) readKeys(ctx context.Context) {
	buf := make([]byte, 8<<10)
	for {
		n, err := v.In.Read(buf)
		v.mu.Lock()
		if v.pane != nil && n > 0 {
			_ = v.pane.Send(ctx, append([]byte{wire.PaneInput}, buf[:n]...)) // as above
		}
		v.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// endWhenAsked makes the worker end the session when this process is asked to end.
func (v *shown) endWhenAsked(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-v.Stop:
	}
	for ctx.Err() == nil {
		l, err := Connect(ctx, v.Target, v.ferrus)
		if err == nil {
			err = wire.Ask(ctx, l, wire.MethodEnd, wire.End{Task: v.Start.Task, Session: v.Start.Session,
				GraceMS: stopGrace.Milliseconds()}, nil)
			l.Close()
		}
		if err == nil {
			return
		}
		select {
		case <-v.finished:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// ReadEnding reads what the process of a session wrote at its end; false: it wrote nothing.
func ReadEnding(name string) (e wire.Ending, ok bool) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) || err != nil || json.Unmarshal(data, &e) != nil {
		return e, false
	}
	return e, true
}
