package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/agent/sandbox"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/hq/wire"
)

// running is a session that was started. It stays until home forgets it.
type running struct {
	wire.Task
	home    *home
	id      string // that home gave it
	local   string // its processes are found by it
	slot    string
	process session.Process
	tools   *tools
	ended   chan struct{} // closed when ending is set

	mu     sync.Mutex // guards the rest
	why    string     // why the worker ends it; empty: it does not
	ending *wire.Ending
}

func (s *running) isOver() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

func (s *running) pid() int { return s.process.PID() }

func (s *running) describe() wire.Session {
	d := wire.Session{ID: s.id, Task: s.Task, Slot: s.slot}
	if s.isOver() {
		d.Ending = s.ending
	}
	return d
}

// of returns the sessions of a task that live.
func (h *home) of(task string) (all []*running) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.Task.Task == task && !s.isOver() {
			all = append(all, s)
		}
	}
	return all
}

// session returns a session of an attempt that is not over.
func (h *home) session(t wire.Task, id string) (*running, error) {
	if _, err := h.claim(t, nil); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil || s.Task.Task != t.Task {
		return nil, &wire.Refused{Why: errNoSession}
	}
	return s, nil
}

// errNoSession is the answer to a request for a session that this run of the worker never
// started.
const errNoSession = "this worker has no such session"

// maxScrollback bounds the lines above a screen.
const maxScrollback = 100_000

// start starts a session. A slot has one at a time: one that home lost track of is ended first.
func (h *home) start(ctx context.Context, q wire.Start) error {
	dir, err := h.workspace(q.Task)
	if err == nil && !slotNames.MatchString(q.Slot) {
		err = fmt.Errorf("%q is not the name of a slot", wire.Words(q.Slot, 80))
	}
	if err != nil {
		return err
	}
	h.mu.Lock()
	known := h.sessions[q.Session]
	h.mu.Unlock()
	if known != nil {
		return nil
	}
	for _, s := range h.of(q.Task.Task) {
		if s.slot == q.Slot {
			s.end(stopGrace, "another session replaced it")
		}
	}
	nonce := make([]byte, 16)
	rand.Read(nonce) //nolint:errcheck // it never fails
	secret := hex.EncodeToString(nonce)
	s := &running{Task: q.Task, home: h, id: q.Session, local: process.SessionID(secret), slot: q.Slot,
		ended: make(chan struct{})}
	s.tools = newTools(s)
	started := time.Now()
	launcher, err := h.launcher(ctx, q, s)
	if err == nil {
		err = launcher.Ready(q.Agent)
	}
	if err != nil {
		s.tools.close()
		return err
	}
	s.process, err = launcher.Launch(session.Launch{
		Job: session.Job{
			Job: core.Job{Slot: core.Slot(q.Slot), Mode: core.Mode(q.Mode)}, Origin: q.Task.Task,
			Agent:     config.RoleConfig{Agent: q.Agent, Model: q.Model, Permissions: q.Permissions},
			Workspace: dir, CanEdit: q.CanEdit, Prepared: true, Interactive: q.Interactive,
		},
		ID: s.local, Nonce: secret, Number: uint32(q.Number), Text: q.Prompt,
		Log:     path.Join("logs", fmt.Sprintf("%s_%d_%d.log", q.Slot, q.Number, time.Now().Unix())),
		Columns: min(max(q.Columns, 1), 1000), Rows: min(max(q.Rows, 1), 1000),
		Scrollback: min(max(q.Scrollback, 0), maxScrollback),
	}, blind{})
	if err != nil {
		s.tools.close()
		return err
	}
	if of := s.tools.hosts.Load(); of != nil {
		go s.tools.reportHosts(of)
	}
	record := project.SessionRecord{
		Slot: core.Slot(q.Slot), Mode: core.Mode(q.Mode), Task: q.Task.Task, Session: s.local, AgentType: q.Agent,
		StartedAt: started, Sandbox: launcher.Enclosure(q.Agent),
	}
	if q.Interactive {
		go s.tools.reportTurns(func() time.Time { return launcher.TurnEnded(record, dir) })
	}
	h.mu.Lock()
	h.sessions[q.Session] = s
	err = h.record()
	h.mu.Unlock()
	go s.follow(launcher, record, dir)
	if err != nil {
		s.end(0, "the worker cannot record it")
	}
	return err
}

// launcher returns what starts a session in the sandbox that home demands.
func (h *home) launcher(ctx context.Context, q wire.Start, s *running) (*session.Local, error) {
	t, err := h.project.MakeTask(ctx, q.Task.Task)
	if err != nil {
		return nil, err
	}
	if q.Sandbox.Sessions == string(sandbox.Proxied) {
		s.tools.hosts.Store(t)
	}
	return &session.Local{
		Project: t, Ferrus: h.worker.Ferrus,
		Agents: func() map[string]config.Custom {
			if q.Custom == nil {
				return nil
			}
			return map[string]config.Custom{q.Agent: config.Custom(*q.Custom)}
		},
		Only:     func(string) bool { return q.OnlyFerrus },
		Sandbox:  func() core.Sandbox { return q.Sandbox },
		WaitSecs: func() int { return q.WaitSecs },
		Server: func(asks bool) (argv, env []string) {
			s.tools.asks.Store(asks)
			return []string{h.worker.Ferrus, "worker", "tools"},
				[]string{SocketEnv + "=" + h.worker.socket, sessionEnv + "=" + s.tools.secret}
		},
	}, nil
}

// follow waits for the end of a session, and cleans up. What it used is also read from its program's own record in a
// directory.
func (s *running) follow(launcher *session.Local, record project.SessionRecord, dir string) {
	<-s.process.Done()
	exit := s.process.End(context.Background(), 0)
	exit.Usage = exit.Usage.Larger(launcher.WrittenUsage(record, dir))
	s.tools.close()
	err := launcher.Forget(core.Slot(s.slot))
	s.mu.Lock()
	e := endingOf(exit)
	e.Why = s.why
	if err != nil && e.Error == "" {
		e.Error = err.Error()
	}
	s.ending = &e
	s.mu.Unlock()
	close(s.ended)
	s.home.mu.Lock()
	defer s.home.mu.Unlock()
	_ = s.home.record() // the next worker finds none of it
}

func endingOf(x agent.Exit) wire.Ending {
	e := wire.Ending{Code: x.Code, Signal: int(x.Signal), Usage: x.Usage, Limit: x.Limit, Final: x.Final}
	if x.Err != nil {
		e.Error = x.Err.Error()
	}
	return e
}

// end ends a session and waits. An empty reason is home's.
func (s *running) end(grace time.Duration, why string) {
	s.mu.Lock()
	s.why = cmp.Or(s.why, why)
	s.mu.Unlock()
	s.process.End(context.Background(), grace)
	<-s.ended
}

// endSession ends a session as home asks, or waits for its end.
func (h *home) endSession(ctx context.Context, q wire.End) (e wire.Ending, err error) {
	s, err := h.session(q.Task, q.Session)
	if err != nil {
		return e, err
	}
	if !q.Wait && !s.isOver() {
		go s.end(min(time.Duration(q.GraceMS)*time.Millisecond, 10*time.Minute), "")
	}
	select {
	case <-s.ended:
		return *s.ending, nil
	case <-ctx.Done():
		return e, errors.New("the session has not ended")
	}
}

// blind is the screen of the worker itself, which nothing is shown on: a pane asks the host.
type blind struct{}

func (blind) Write(p []byte) (int, error) { return len(p), nil }
func (blind) Resize(int, int)             {}
func (blind) Snapshot() []byte            { return nil }

// view attaches to the screen of a session.
func (s *running) view(size wire.PaneSizes) (*host.View, error) {
	hosted, ok := s.process.(interface{ Record() host.Record })
	if !ok {
		return nil, errors.New("the session has no screen")
	}
	return host.Dial(hosted.Record(), host.Writer, size.Columns, size.Rows)
}
