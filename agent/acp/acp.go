// Package acp is the client side of the Agent Client Protocol, version 1: JSON-RPC over an
// agent's standard streams, one message per line.
//
// [Run] starts an agent, gives it one prompt and returns when the agent has reported the end
// of its turn. Meanwhile it writes one [Event] per line, for a renderer.
//
// An agent is not trusted. The size of a message is limited, and a line that is not a message
// is shown and skipped. Waiting for an answer has a time limit, except for the end of the
// turn, which the caller's context limits. The package decides nothing: a function in
// [Options] answers requests for permission.
//
// The agent gets neither a file system nor terminals from its client: it uses its own tools,
// in the sandbox that the caller is in.
package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Version is the only version of the protocol that the package speaks.
const Version = 1

// Options is a session with an agent.
type Options struct {
	Command []string // of the agent, with its arguments
	Dir     string   // absolute; where it works
	Prompt  string
	Model   string   // empty: the agent's own default
	Servers []Server // MCP servers, beside what the agent's own settings name
	Client  string   // version of this program
	// Cumulative says that the agent reports with each turn what all turns used.
	Cumulative bool
	// Resume is a file that remembers a conversation whose turn has not ended; a later session
	// in the same directory continues it, if the agent can. Empty: none does.
	Resume string
	Out    io.Writer // gets the events
	// Permit answers a request for permission. It may wait until ctx ends, which is when the
	// session ends. An error refuses, with its text as the reason.
	Permit func(ctx context.Context, r Request) (Answer, error)
	Patience
	Dialog
}

// Dialog is for a session of more than one turn. Without Next it has one.
type Dialog struct {
	// Next returns the prompt of the next turn; false ends the session. It is called when no
	// turn runs, also at first if Prompt is empty. It may wait until ctx ends.
	Next func(ctx context.Context) (prompt string, ok bool)
	// Interrupt cancels the turn that runs.
	Interrupt <-chan struct{}
}

// Patience is how long an agent may leave a request unanswered; 0 means the default.
type Patience struct {
	Start time.Duration // of the beginning: 2 minutes, because MCP servers start then
	Stop  time.Duration // of a turn that is cancelled, and of an agent that is to exit: 3 s
}

// Run executes a session. It returns nil if the agent has reported that it ended its turn by
// itself, and else why it did not; a dialog has such an end only if its agent is gone. It
// leaves no process of the agent's own process group behind. When ctx ends, it cancels the
// turn.
func Run(ctx context.Context, o Options) error {
	o.Start, o.Stop = cmp.Or(o.Start, 2*time.Minute), cmp.Or(o.Stop, 3*time.Second)
	s := &session{Options: o, events: &events{out: o.Out}}
	return s.run(ctx)
}

// finish reports the end of a turn, or of a session that had none.
func (s *session) finish(err error) error {
	end := Event{Kind: KindEnd, Status: s.reason}
	if err != nil {
		end.Text = err.Error()
	}
	s.emit(end)
	s.reason = ""
	return err
}

// session is one run.
type session struct {
	Options
	*events
	agent   *program
	conn    *conn
	id      string
	loads   atomic.Bool // what comes now is the past of a conversation
	reason  string      // why the turn ended, as the protocol names it
	refused refusal
	spent   spending
}

func (s *session) run(ctx context.Context) (err error) {
	// The connection outlives ctx: a turn is cancelled on it.
	within, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if s.agent, err = start(s.Command, s.Dir, s.events); err != nil {
		return s.finish(err)
	}
	end := sync.OnceFunc(func() { s.agent.end(s.Stop) })
	defer end()
	s.conn = newConn(s.agent.in, s.handle(within), s.events)
	go s.conn.read(s.agent.out)
	err = s.open(ctx)
	switch {
	case err == nil && s.Next != nil:
		return s.dialog(ctx)
	case err == nil:
		err = s.insist(ctx, s.turn(ctx, s.Prompt))
	}
	err = s.explain(err)
	if ctx.Err() == nil {
		end() // what it printed of the error comes before the end
	}
	return s.finish(err)
}

// mostRefusals is how often an agent that ends its turn at a refusal is asked to continue.
const mostRefusals = 20

// insist makes an agent continue that ended its turn because a request was refused. The protocol has
// no place for the reason, so the agent gets it as its next prompt. It takes and returns how a turn
// ended.
func (s *session) insist(ctx context.Context, err error) error {
	for range mostRefusals {
		early := err != nil && s.reason != "cancelled" && s.reason != "refusal"
		why := s.refused.claim()
		if why == "" || early || ctx.Err() != nil {
			return err
		}
		s.emit(Event{Kind: KindNote, Text: "the agent ended its turn after the refusal, and is asked to continue"})
		err = s.turn(ctx, why)
	}
	return err
}

// dialog runs turns until there is no other prompt, ctx ends, or the agent is gone.
func (s *session) dialog(ctx context.Context) error {
	for prompt := s.Prompt; ; prompt = "" {
		if prompt == "" {
			var more bool
			prompt, more = s.Next(ctx)
			if !more && ctx.Err() != nil { // it is ended: what was cancelled may continue
				return nil
			}
			if !more {
				return remove(s.Resume)
			}
		}
		err := s.turn(ctx, prompt)
		if failed := s.finish(s.explain(err)); errors.Is(err, errClosed) || ctx.Err() != nil {
			return failed
		}
	}
}

// explain adds how the agent ended to an error that comes from that.
func (s *session) explain(err error) error {
	if !errors.Is(err, errClosed) {
		return err
	}
	why := s.agent.exit(s.Stop)
	if last := s.agent.lastWords(); last != "" {
		why += ": " + last
	}
	return fmt.Errorf("%s %w: %s", s.program(), err, why)
}

// program returns what errors call the agent's program.
func (s *session) program() string { return filepath.Base(s.Command[0]) }

// open negotiates the version, and makes or loads a conversation.
func (s *session) open(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, s.Start, errors.New("it has not answered in "+s.Start.String()))
	defer stop()
	var hello InitializeResponse
	err := s.conn.call(ctx, "initialize", InitializeRequest{
		ProtocolVersion: Version, ClientInfo: Implementation{Name: "ferrus", Title: "ferrus", Version: s.Client},
	}, &hello)
	if err != nil {
		return fmt.Errorf("start %s: %w", s.program(), err)
	}
	if hello.ProtocolVersion != Version {
		return fmt.Errorf("start %s: it speaks version %d of the Agent Client Protocol, not %d", s.program(),
			hello.ProtocolVersion, Version)
	}
	opened, err := s.conversation(ctx, hello)
	if err != nil {
		return s.signIn(err, hello)
	}
	s.emit(Event{Kind: KindSession, ID: s.id, Title: hello.AgentInfo.name(), Text: s.Model})
	return s.chooseModel(ctx, opened)
}

// conversation loads the conversation that the file remembers, or makes a new one.
func (s *session) conversation(ctx context.Context, hello InitializeResponse) (opened NewSessionResponse, err error) {
	servers := s.Servers
	if servers == nil {
		servers = []Server{} // null is no list
	}
	if id := remembered(s.Resume, s.Dir); id != "" && hello.AgentCapabilities.LoadSession {
		s.loads.Store(true)
		load := LoadSessionRequest{Cwd: s.Dir, MCPServers: servers, SessionID: id}
		err = s.conn.call(ctx, "session/load", load, &opened)
		s.loads.Store(false)
		if err == nil {
			s.id = id
			s.emit(Event{Kind: KindNote, Text: "continues the conversation that was interrupted"})
			return opened, nil
		}
		refused, ok := errors.AsType[*Error](err)
		if !ok {
			return opened, err
		}
		s.newInstead(refused.Message)
	} else if id != "" {
		s.newInstead("it loads none")
	}
	if err = s.conn.call(ctx, "session/new", NewSessionRequest{Cwd: s.Dir, MCPServers: servers}, &opened); err != nil {
		return opened, err
	}
	if opened.SessionID == "" {
		return opened, errors.New("the answer to session/new names no session")
	}
	s.id = opened.SessionID
	return opened, remember(s.Resume, s.Dir, s.id)
}

// newInstead notes that the agent does not remember what it did.
func (s *session) newInstead(why string) {
	s.emit(Event{Kind: KindNote, Text: s.program() + " cannot continue the conversation that was interrupted, and " +
		"starts a new one: " + why})
}

// codeAuth is the error of an agent that wants a login first.
const codeAuth = -32000

// signIn explains an error that asks for a login.
func (s *session) signIn(err error, hello InitializeResponse) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != codeAuth {
		return fmt.Errorf("start a session of %s: %w", s.program(), err)
	}
	var ways []string
	for _, method := range hello.AuthMethods {
		ways = append(ways, method.Name)
	}
	return fmt.Errorf("start a session of %s: not logged in (%s): %w", s.program(), strings.Join(ways, ", "), err)
}

// chooseModel sets the model in whichever way the agent offers.
func (s *session) chooseModel(ctx context.Context, opened NewSessionResponse) error {
	if s.Model == "" {
		return nil
	}
	for _, option := range opened.ConfigOptions {
		if option.Category == "model" {
			return s.conn.call(ctx, "session/set_config_option",
				SetConfigOptionRequest{SessionID: s.id, ConfigID: option.ID, Value: s.Model}, nil)
		}
	}
	if len(opened.Models.AvailableModels) > 0 {
		return s.conn.call(ctx, "session/set_model", SetModelRequest{SessionID: s.id, ModelID: s.Model}, nil)
	}
	return fmt.Errorf("choose the model %s: %s offers no choice; remove model from ferrus.toml, or name it in the "+
		"command of the agent", s.Model, s.program())
}

// turn sends the prompt and waits for the end of the turn. Once ctx ends, it asks the agent to
// stop.
func (s *session) turn(ctx context.Context, text string) error {
	done := make(chan error, 1)
	var response PromptResponse
	waiting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	const method = "session/prompt"
	prompt := []ContentBlock{{Type: "text", Text: text}}
	s.refused.clear()
	defer s.spent.endTurn()
	answer := s.conn.request(method, PromptRequest{SessionID: s.id, Prompt: prompt})
	go func() { done <- s.conn.await(waiting, answer, method, &response) }()
	select {
	case err := <-done:
		s.flush()
		if err != nil {
			return err
		}
		return s.ended(response)
	case <-ctx.Done():
	case <-s.Interrupt:
	}
	s.conn.notify("session/cancel", CancelNotification{SessionID: s.id})
	select {
	case <-done:
		s.reason = response.StopReason
	case <-time.After(s.Stop):
	}
	s.flush()
	return errors.New("the turn was cancelled")
}

// ended reports the usage of a turn, and why it ended.
func (s *session) ended(response PromptResponse) error {
	s.reason = response.StopReason
	s.turnUsed(response.Usage.orMeta(response.Meta))
	switch response.StopReason {
	case "end_turn":
		return remove(s.Resume)
	case "":
		return errors.New("the agent ended its turn without a reason")
	}
	return errors.New("the agent ended its turn early: " + strings.ReplaceAll(response.StopReason, "_", " "))
}
