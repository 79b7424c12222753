package pair

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/config"
	"ferrus/hq/host"
	"ferrus/machine"
	loop "ferrus/machine/pair"
	"ferrus/machine/session"
)

// turn is one turn of the agent whose turn it is, carried through its session
// machine: started, ended, and started again while the errors are within limits.
func (r *Run) turn(ctx context.Context) error {
	t, err := r.newTurn(ctx)
	if err != nil {
		return err
	}
	for {
		switch t.snap.At {
		case session.Initializing:
			err = t.step(session.WorktreeReady{})
		case session.BuildingPrompt:
			err = t.begin(ctx)
		case session.Spawning, session.Running:
			err = t.follow(ctx)
		case session.CoolingDown:
			err = t.cool(ctx)
		case session.SessionComplete:
			return t.over(ctx)
		case session.Stopped:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return t.stopped()
		}
		if err != nil {
			return err
		}
	}
}

// turnRunner is a turn in flight.
type turnRunner struct {
	*Run
	who     string
	role    machine.Role
	config  config.Session
	before  checks.Tree
	snap    session.Snap
	effects []machine.Effect // of the newest step
	grammar loop.Grammar
	mail    []Message
	read    int64
	process Session
	started time.Time
	wait    time.Duration // that the machine asked for
	until   time.Time     // of that wait
	limit   string        // of its vendor, for which it waits, in the words of that
	last    string        // how the newest session ended, in words
	text    string
}

func (r *Run) newTurn(ctx context.Context) (*turnRunner, error) {
	t := &turnRunner{Run: r, who: Primary, role: loop.Primary, config: r.Manifest.Setup.Session}
	if r.machine.Current() == loop.StateReviewing {
		t.who, t.role = Secondary, loop.Secondary
	}
	t.snap = r.Manifest.newSession(t.who)
	var err error
	if t.before, err = r.project.Repo().Tree(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *turnRunner) step(e machine.Event) error {
	policy := session.Policy{MaxConsecutive: t.config.MaxConsecutiveErrors, MaxTotal: t.config.MaxTotalErrors}
	next, effects, err := session.Step(policy, t.snap, e)
	if err != nil {
		return err
	}
	t.snap, t.effects = next, effects
	for _, e := range effects {
		if b, ok := e.(session.Backoff); ok {
			t.wait = time.Duration(b.Millis) * time.Millisecond
		}
	}
	t.show()
	return nil
}

// show tells who looks how the session does.
func (t *turnRunner) show() {
	if t.Watch == nil {
		return
	}
	sits := SessionStatus{Snap: t.snap, Until: t.until, Log: t.Manifest.file(fmt.Sprintf("%s-%d.log", t.who, t.snap.Data.Session)), Exit: t.last, Limit: t.limit}
	if turn := t.Manifest.Turn; turn != nil && t.process != nil {
		sits.PID = turn.PID
	}
	t.Watch(Event{Agent: t.who, Sits: &sits})
}

// begin words the prompt, with a nonce that no other turn has, and starts the
// agent. The turn is in the manifest before its process exists.
func (t *turnRunner) begin(ctx context.Context) error {
	prompt, err := t.prompt(ctx)
	if err != nil {
		return err
	}
	if err := t.step(session.PromptReady{Prompt: prompt}); err != nil {
		return err
	}
	nonce := random(16)
	id, m := process.SessionID(nonce), &t.Manifest
	m.Turn = &Turn{Agent: t.who, Session: id}
	m.keepSession(t.who, t.snap)
	if err := t.save(); err != nil {
		return err
	}
	if err := t.note(Entry{Type: "prompt", Turn: m.Turns + 1, Agent: t.who, Name: m.Agent(t.who), Session: id, Tree: t.before.Hash, Text: prompt}); err != nil {
		return err
	}
	t.started = time.Now()
	t.process, err = t.launcher().Launch(Launch{
		Who: t.who, Agent: m.Agent(t.who), Prompt: prompt, Nonce: nonce, Session: id, Number: int(t.snap.Data.Session), Project: t.project.Dir,
		Lines: t.line, Log: m.file(fmt.Sprintf("%s-%d.log", t.who, t.snap.Data.Session)),
	})
	if err != nil {
		t.process, t.last = nil, err.Error()
		return t.ended(session.Error)
	}
	m.Turn.PID = t.process.PID()
	t.show()
	return t.save()
}

func (t *turnRunner) line(line string) {
	if t.Watch != nil {
		t.Watch(Event{Agent: t.who, Line: line})
	}
}

// follow waits for the end of the session, or ends it.
func (t *turnRunner) follow(ctx context.Context) error {
	up := time.NewTimer(t.config.MinUptime())
	defer up.Stop()
	var late <-chan time.Time
	if limit := t.config.Timeout(); limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	outcome := session.Outcome("")
	t.limit = ""
	for outcome == "" {
		select {
		case <-up.C:
			if err := t.step(session.SessionStarted{Session: t.snap.Data.Session}); err != nil {
				return err
			}
		case <-late:
			t.reap(t.config.Grace())
			t.last, outcome = "over its time", session.Timeout
		case <-ctx.Done():
			return t.cancel(ctx)
		case <-t.process.Done():
			exit := t.reap(0)
			outcome = t.outcome(exit)
			if err := t.park(exit.Limit); err != nil {
				return err
			}
		}
	}
	return t.ended(outcome)
}

// reap ends the process, with what it started, and takes what it said.
func (t *turnRunner) reap(grace time.Duration) agent.Exit {
	exit := t.process.End(context.Background(), grace)
	defer func() { t.process = nil }()
	t.text = t.process.Text()
	_ = t.project.Store.Remove(host.File(t.who)) // where it was found; the next session writes its own over it
	return exit
}

// outcome judges an end. The exit code is no evidence of work, but of an error.
func (t *turnRunner) outcome(exit agent.Exit) session.Outcome {
	switch {
	case exit.Signal != 0:
		t.last = "ended by " + exit.Signal.String()
	case exit.Code != 0:
		t.last = fmt.Sprintf("exit %d", exit.Code)
	default:
		return session.Success
	}
	return session.Error
}

// park has the machine wait for the end of a limit, which is no error.
func (t *turnRunner) park(limit agent.Limit) error {
	if !limit.Reached() {
		return nil
	}
	if err := t.step(session.Limited{Session: t.snap.Data.Session, Millis: limit.Millis(time.Now())}); err != nil {
		return err
	}
	t.limit, t.last = limit.Said, limit.Describe(t.wait)
	return nil
}

// ended puts the end of a session to its machine, and keeps its counters.
func (t *turnRunner) ended(o session.Outcome) error {
	err := t.step(session.SessionExited{Session: t.snap.Data.Session, Outcome: o, Progress: true})
	if err != nil || o == session.Success && t.limit == "" {
		return err
	}
	t.Manifest.Turn = nil
	t.Manifest.keepSession(t.who, t.snap)
	if err := t.save(); err != nil {
		return err
	}
	return t.note(Entry{Type: "session", Turn: t.Manifest.Turns + 1, Agent: t.who, Name: t.Manifest.Agent(t.who), Text: t.lastWords(), Parked: t.limit != "", DurationMS: time.Since(t.started).Milliseconds()})
}

// lastWords say how a session failed, with the last line that it printed.
func (t *turnRunner) lastWords() string {
	line := strings.TrimSpace(t.text)
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if line == "" {
		return t.last
	}
	return t.last + ": " + line
}

// cool waits as long as the machine asked for.
func (t *turnRunner) cool(ctx context.Context) error {
	t.until = time.Now().Add(t.wait)
	t.show()
	timer := time.NewTimer(t.wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return t.step(session.BackoffElapsed{Session: t.snap.Data.Session})
	case <-ctx.Done():
		return t.cancel(ctx)
	}
}

// cancel ends the session for the person.
func (t *turnRunner) cancel(ctx context.Context) error {
	if err := t.step(session.OperatorStop{}); err != nil {
		return err
	}
	for _, e := range t.effects {
		if c, ok := e.(session.CancelSession); ok {
			t.reap(t.config.Grace())
			if err := t.step(session.SessionExited{Session: c.Session, Outcome: session.Error}); err != nil {
				return err
			}
		}
	}
	t.Manifest.keepSession(t.who, t.snap)
	return ctx.Err()
}

// stopped is the end of a session machine: too many errors.
func (t *turnRunner) stopped() error {
	why := fmt.Sprintf("%s (%s): %s", t.who, t.Manifest.Agent(t.who), t.lastWords())
	return t.Run.step(machine.Ferrus, loop.Broken{}, why, func(m *Manifest) {
		m.Turn = nil
		delete(m.Sessions, t.who) // a resumed run forgives the errors of the one before
	})
}

// random is n random bytes as hex digits.
func random(n int) string {
	bytes := make([]byte, n)
	rand.Read(bytes) //nolint:errcheck // it never fails
	return hex.EncodeToString(bytes)
}
