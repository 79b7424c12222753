// Package serve implements the MCP server that agents use to drive the loop.
//
// [Run] serves one session over one pair of streams until the input ends, answers the
// calls that are still open without waiting for anything, and then releases the
// session's lease. Role and mode decide which tools it offers; core.Decide alone
// decides whether a call is accepted. A refusal is a result that says what would be
// accepted, and so is a wait that timed out; both have a sentence for clients that
// show only text.
//
// The server keeps no state: every call loads it, so the server can be killed at
// any moment, and clients that speak the MCP revision without sessions are served
// like all others. Only protocol messages are written to the output. It works with
// and without HQ.
//
// A conn says whose connection it is; a toolCall is one call over it; a handler
// executes it; tools.go lists the handler of each tool; server connects them to the
// protocol.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/serve/stdio"
	"ferrus/machine"
)

// Options say for whom a server speaks and over what. It has more than 12 fields because it takes all that a
// command line and its surroundings say.
type Options struct {
	Project   *project.Task
	Role      machine.Role
	Mode      core.Mode // empty: the registered session's mode, or free
	AgentName string    // middle of the agent id: codex
	Index     int
	Nonce     string // FERRUS_NONCE; empty: a session of its own
	// Owner returns the session that this process belongs to, as the host knows that started
	// it; nil: agents.json is believed, as tests do.
	Owner    func() (project.SessionRecord, bool)
	WaitSecs int // FERRUS_WAIT_SECS, the client's cap; 0: none
	Asks     Asks
	Version  string
	In       io.Reader
	Out      io.Writer
	Log      io.Writer // never Out; nil: nothing is logged
}

// Run serves until In ends or ctx does.
func Run(ctx context.Context, o Options) error {
	w := stdio.New(o.In, o.Out)
	s, err := newServer(o, w.InputEnded())
	if err != nil {
		return err
	}
	defer ignoreSIGPIPE()()
	session, err := s.mcp().Connect(context.WithoutCancel(ctx), w, nil)
	if err != nil {
		return errors.Join(fmt.Errorf("serve: %w", err), s.end())
	}
	// The end of the input is what cancels calls in flight; a signal is the same.
	stop := context.AfterFunc(ctx, func() { _ = w.Close() })
	defer stop()
	err = session.Wait()
	if err != nil {
		err = fmt.Errorf("serve: %w", err)
	}
	return errors.Join(err, s.end())
}

func newServer(o Options, inputEnded <-chan struct{}) (*server, error) {
	who, err := identify(o.Project, identity{role: o.Role, mode: o.Mode, nonce: o.Nonce, owner: o.Owner,
		id: agentID(o.Role, o.AgentName, o.Index)})
	if err != nil {
		return nil, err
	}
	c := &conn{
		project: o.Project, who: who, started: fmt.Sprintf("%x%s", time.Now().Unix(), randomHex(4)),
		waitLimit: time.Duration(o.WaitSecs) * time.Second, inputEnded: inputEnded, idle: map[string]int{},
		log: slog.New(slog.DiscardHandler),
	}
	if o.Log != nil {
		c.log = slog.New(slog.NewTextHandler(o.Log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if who.mode == core.ModeConsult {
		c.refreshTickets() // It was started for the question that is open.
	}
	s := &server{conn: c, presence: newPresence(c), version: o.Version, asks: o.Asks}
	if s.asks == AsksNothing {
		s.presence.announce()
	}
	return s, nil
}

// ignoreSIGPIPE keeps the program alive when the client stops reading, so that it
// can release what it held. It does not ignore the signal, because what ferrus
// starts would inherit that.
func ignoreSIGPIPE() (undo func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	return func() { signal.Stop(ignored) }
}
