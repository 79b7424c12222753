package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// buildPrompt builds the prompt of the next session and hands it to the machine, which
// asks for the process. While the previous process is not reaped it does nothing,
// because building a prompt may have side effects; see [Job.Prompt]. The session's id
// exists from here on: the prompt may name it, and what it carries is remembered under
// it.
func (r *Runner) buildPrompt(job Job) {
	if r.snap.Data.Ending != 0 {
		return
	}
	nonce := make([]byte, 16)
	rand.Read(nonce) //nolint:errcheck // it never fails
	r.job, r.nonce = job, hex.EncodeToString(nonce)
	text, err := job.Prompt(process.SessionID(r.nonce))
	if err != nil {
		r.step(session.FatalError{Message: err.Error()})
		return
	}
	r.step(session.PromptReady{Prompt: text})
}

// spawn starts the process with a number. An agent that cannot be started at all stops
// the slot, because the next session could not start either; any other failure is an
// error of this session. It is an effect of the machine's, and steps it again only when
// nothing was started.
func (r *Runner) spawn(number uint32) {
	err := r.Launcher.Ready(r.job.Agent.Agent)
	if err != nil {
		r.step(session.FatalError{Message: err.Error()})
	} else if err = r.launch(number); err == nil {
		_ = r.Save() // the owner reports the error and retries
		return
	} else if errors.As(err, new(*agent.NoCommandError)) {
		r.step(session.FatalError{Message: err.Error()})
	}
	r.step(session.SessionExited{Session: number, Outcome: session.Error}) // there never was a process
	r.exited(End{Job: r.job, Summary: err.Error(), WillRetry: true})
}

// prepare makes the new session the current one, with the record that Save writes
// before the process exists. From here on the previous session is history; its screen
// stays, if both are headless.
func (r *Runner) prepare(number uint32) {
	job, now := r.job, time.Now().UTC().Round(0)
	log := path.Join("logs", fmt.Sprintf("%s_%d_%d.log", r.Slot, number, now.Unix()))
	if job.Log != nil {
		log = job.Log(number)
	}
	r.current = current{job: job, prompt: r.prompt, nonce: r.nonce, output: &activity{}}
	r.entry = project.SessionRecord{
		Role: r.Slot.Role(), AgentType: job.Agent.Agent, Status: project.Running, StartedAt: now,
		Name: agentID(r.Slot, job.Agent.Agent),
		Slot: r.Slot, Mode: job.Mode, Task: job.Origin, Session: process.SessionID(r.nonce), SessionSeq: int(number),
		Model: job.Agent.Model, Bypass: job.Agent.Bypass(), Interactive: job.Interactive, Log: log,
	}
	if l, ok := r.Launcher.(interface{ Enclosure(agent string) string }); ok {
		r.entry.Sandbox = l.Enclosure(job.Agent.Agent)
	}
}

// agentID returns how the agent of a slot is called: executor:codex:1.
func agentID(slot core.Slot, name string) string {
	return fmt.Sprintf("%s:%s:%d", slot.Role(), name, slot.Index())
}

// launch saves the session and then starts it, so that its server finds itself recorded. A
// kill in between leaves a running session without a process on disk, which the next owner
// counts as ended.
func (r *Runner) launch(number uint32) error {
	continues := r.continues
	r.continues = project.SessionRecord{}
	r.prepare(number)
	err := r.Save()
	var p Process
	if err == nil {
		p, err = r.Launcher.Launch(Launch{
			Job: r.job, ID: r.entry.Session, Nonce: r.nonce, Number: number, Text: r.prompt, Log: r.entry.Log,
			Columns: r.Columns, Rows: r.Rows, Scrollback: r.Scrollback, Continues: continues,
		}, r.screen(number))
	}
	if err != nil {
		r.exit, r.entry.Status = err.Error(), project.Suspended
		r.Notice(r.exit)
		return err
	}
	r.trackProcess(number, p, 0)
	return nil
}

// sessionRule begins the line between two headless sessions on one screen. The rows
// above it belong to former sessions, which are not searched for troubles.
const sessionRule = "── session "

// screen returns the screen for the session with a number. A headless session continues
// below the output of the previous one; an interactive program gets a new screen. A
// full-screen program would draw over what is there.
func (r *Runner) screen(number uint32) *screen {
	if r.terminal == nil || r.job.Interactive {
		r.terminal = vt.NewLocked(r.Columns, r.Rows, r.Scrollback)
	} else {
		rule := fmt.Sprintf("\x1b[0m\r\n\x1b[2m"+sessionRule+"%d ──\x1b[0m\r\n\r\n", number)
		io.WriteString(r.terminal, rule) //nolint:errcheck // an emulator takes everything
		r.terminal.Resize(r.Columns, r.Rows)
	}
	return &screen{Locked: r.terminal, changed: r.Changed, printed: r.Printed, output: r.output, copy: r.job.Output}
}

// trackProcess takes a started process, which has run for age already: its record gets
// the identity of the process, its uptime makes it Running unless a call does so first,
// and its exit is reaped. From here on four things race to be first: a call, the
// uptime, a watch and the exit. The machine sorts them by number and state.
func (r *Runner) trackProcess(number uint32, p Process, age time.Duration) {
	r.process, r.began = p, time.Now().Add(-age)
	r.live.Store(&p)
	r.entry.PID = p.PID()
	if id, err := process.Identify(p.PID()); err == nil {
		r.entry.Process = id
	}
	r.whileAlive(p, r.Policy().MinUptime()-age, func() { r.step(session.SessionStarted{Session: number}) })
	r.watch(p, age)
	r.Loop.Go(func() { r.follow(number, p) })
}

// correctStart makes the start of the session earlier if the clock was set back since. What the agent writes about
// itself would else seem older than the session.
func (r *Runner) correctStart() {
	if at := earliest(r.began); at.Before(r.entry.StartedAt.Add(-time.Second)) && !r.began.IsZero() {
		r.entry.StartedAt = at.UTC()
	}
}

// noteTree counts a tree that changed since the last failure as progress. It comes before the
// exit is judged.
func (r *Runner) noteTree(number uint32, tree string) {
	if tree == "" {
		return
	}
	if r.failedTree != "" && r.failedTree != tree {
		r.step(session.Progressed{Session: number})
	}
	r.failedTree = tree
}

// follow waits for the exit of the process, ends what it left behind, and has the exit
// reaped on the loop. It has its own goroutine, and returns at once when the runner
// detaches. That it ends the rest of the process tree itself is what makes the next
// session's start safe.
func (r *Runner) follow(number uint32, p Process) {
	select {
	case <-p.Done():
	case <-r.detached:
		return
	}
	exit, tree := p.End(r.Loop.Context, 0), ""
	if r.Tree != nil && outcome(exit) == session.Error {
		tree = r.Tree()
	}
	r.post(func() { r.noteTree(number, tree); r.reap(number, exit) })
}
