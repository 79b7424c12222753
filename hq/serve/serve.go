// Package serve is the MCP server that agents reach ferrus through.
//
// [Run] serves one session over one pair of streams until the input ends, answers
// what was asked before, without waiting for anything, and then releases what the
// session held. Role and mode decide which tools there
// are; whether a call is accepted is decided by hq.Decide alone. A refusal is a
// result that says what would be accepted, a wait that found nothing is a result
// too, and both come with a sentence for clients that show only text.
//
// The server keeps nothing that matters: every call reads the state anew, so it
// may be killed at any moment, and clients of the revision of MCP that has no
// sessions are served like all others. Nothing but protocol messages is written
// to the output. It works with and without HQ.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// Options say for whom a server speaks and over what.
type Options struct {
	Project   *project.Project
	Role      machine.Role
	Mode      core.Mode // empty: the registered session's mode, or free
	AgentName string    // middle of the agent id: codex
	Index     int
	Nonce     string // FERRUS_NONCE; empty: a session of its own
	WaitSecs  int    // FERRUS_WAIT_SECS, the client's cap; 0: none
	Version   string
	In        io.Reader
	Out       io.Writer
	Log       io.Writer // never Out; nil: nothing is logged
}

// server is one session's end of ferrus.
type server struct {
	Options
	project *project.Project
	who     identity
	started string // tells the calls of this server from those of an earlier one
	log     *slog.Logger
	over    <-chan struct{} // closed when the client has asked all it will: nothing is waited for any more
	seen    tickets
	*presence

	mu    sync.Mutex     // guards waits and idle
	waits int            // so that no two cursors are alike
	idle  map[string]int // waits in a row that found nothing, by tool
}

// Run serves until In ends or ctx does.
func Run(ctx context.Context, o Options) error {
	s, err := newServer(o)
	if err != nil {
		return err
	}
	defer outlivePipe()()
	w := newWire(o.In, o.Out)
	s.over = w.over
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

func newServer(o Options) (*server, error) {
	who, err := identify(o)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &server{
		Options: o, project: o.Project, who: who, started: start(), idle: map[string]int{},
		log: slog.New(slog.NewTextHandler(o.Log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	s.presence = newPresence(s)
	if who.mode == core.ModeConsult {
		s.refreshTicket() // It was started for the question that is open.
	}
	return s, nil
}

// start is short and differs between two servers of one session.
func start() string {
	var random [4]byte
	_, _ = rand.Read(random[:]) // It never fails.
	return fmt.Sprintf("%x%s", time.Now().Unix(), hex.EncodeToString(random[:]))
}

// end gives back what the session held.
func (s *server) end() error {
	s.presence.end()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	state, err := s.project.World()
	if err != nil || state.World.Claim == nil || state.World.Claim.Session != s.who.session {
		return nil // Nothing to give back, or nothing that can be.
	}
	actor, err := s.actor()
	if err == nil {
		_, err = s.project.Do(ctx, s.call("release"), core.Command{Kind: core.KindRelease, By: actor,
			Process: actor.Process})
	}
	if err == nil || machine.IsRefusal(err) {
		return nil
	}
	return fmt.Errorf("release the lease: %w", err)
}

// call names a call in the journal; it is never replayed.
func (s *server) call(request string) store.Call {
	return store.Call{ID: s.who.session + "." + s.started + "." + request, Session: s.who.session}
}

// outlivePipe keeps the program alive when the client stops reading, so that it
// can release what it held. It does not ignore the signal, because what ferrus
// starts would inherit that.
func outlivePipe() (undo func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	return func() { signal.Stop(ignored) }
}

// mcp is the server with everything this session may use.
func (s *server) mcp() *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: "ferrus", Title: "ferrus", Version: cmp.Or(s.Version, "dev")},
		&mcp.ServerOptions{
			Instructions: s.instructions(),
			Logger:       s.log,
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{},
				Prompts: &mcp.PromptCapabilities{},
			},
		})
	m.AddReceivingMiddleware(s.recovering)
	for _, t := range s.offered() {
		m.AddTool(t.describe(), s.handler(t))
	}
	s.addResources(m)
	s.addPrompts(m)
	return m
}

func (s *server) instructions() string {
	if s.who.role == machine.Executor {
		return "ferrus drives this work. Call wait_for_task first; every result names the next tool in `next`. " +
			"Only the check tool proves the work; hand it in with submit, then stop."
	}
	return "ferrus drives this work. Every result says in `next` which tool to call now. " +
		"Work waiting for review is claimed with wait_for_review."
}
