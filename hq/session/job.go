package session

import (
	"context"
	"io"
	"time"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// Job describes a session that a slot should run, with all that it needs. A runner
// keeps the job of its newest session; nothing of a job is written to disk. It is a
// value that the owner makes anew on every turn. While a session runs, only Want is
// compared; a changed model or workspace takes effect with the next session.
type Job struct {
	core.Job // slot, mode, and the request it answers

	// Origin identifies what the session is for: a task, one visit of a phase, a run. A
	// job of another origin resets the slot's error counters. Empty: the session
	// belongs to nothing, and keeps the counters of the previous one. It is stored with
	// the session as its task.
	Origin string
	// Changing the agent or its model ends a wait for a usage limit: another account
	// may have none.
	Agent config.RoleConfig // the agent, its model and its permissions
	// The agent starts there; what it can reach beyond is its own matter.
	Workspace string // absolute directory that the agent works in
	// It reaches the agent as its own permission mode.
	CanEdit bool // a supervisor may change files, as an executor may
	// Setup commands are the owner's to run.
	Prepared bool // the workspace is ready; while false no session starts

	// Interactive says that the session shows its program's own screen and takes keys.
	// Attended says that a human sits at it: troubles and limits on its screen are not
	// reported, and quitting it is not an error.
	Interactive, Attended bool

	// Once says that a session that exits with 0 has done all there was to do, even if
	// no call of it was accepted. Otherwise a success without an accepted call counts
	// as fruitless.
	Once bool

	// Prompt returns the prompt for the session with an id. The loop calls it right
	// before each session, also before one that follows an error, so it may have side
	// effects such as marking messages as given. An error stops the slot.
	Prompt func(session string) (string, error)

	// Output also gets what the agent writes to its screen, from the goroutine that
	// reads its terminal; errors are ignored. nil: nothing does. It must not block: the
	// agent's terminal is read no further meanwhile.
	Output io.Writer

	// Log returns the name below .ferrus of the log of the session with a number; nil:
	// logs/<slot>_<number>_<start>.log.
	Log func(number uint32) string
}

// Launch is one session to start. It is recorded before [Launcher.Launch] is called.
// Everything in it is decided; a launcher chooses nothing but where and how.
type Launch struct {
	Job
	ID    string // derived from Nonce; it identifies the session in public
	Nonce string // secret: for the environment of the session's processes, and nowhere else
	// It continues over restarts of ferrus, and is part of the default log's name.
	Number uint32 // counts the sessions of its slot, from 1
	// Continues is the session of the slot whose conversation this one continues, if its program can; the zero value: a
	// new one begins.
	Continues project.SessionRecord
	Text      string // the prompt
	Log       string // name below .ferrus

	// The terminal has this size from the first byte on.
	Columns, Rows, Scrollback int // of its screen: cells, cells, lines
}

// Launcher starts sessions. It alone knows where processes run, and how an agent's
// command line is built there. A runner calls it on its loop.
type Launcher interface {
	// Ready returns why no session of an agent can be started, neither this one nor the
	// next: its error stops the slot. It is asked before every session, so it should be
	// quick and must not remember an old answer.
	Ready(agent string) error
	// Launch starts a session. Everything it prints goes to the screen, from the first
	// byte on, in order, and before Done is closed. An error counts as an exit with an
	// error, and leaves no process. It is called at most once for a Launch. The process
	// may write before Launch returns.
	Launch(l Launch, screen agent.Screen) (Process, error)
}

// Process is a session that was started, wherever it runs. Its methods may be called
// from any goroutine, at any time. There is no way to make it run again: a session is
// one process from its start to its end.
type Process interface {
	// Children of it may still run; End sees to them.
	Done() <-chan struct{} // closed when it has exited, however that came about
	PID() int              // 0: unknown
	// Input types bytes. It does not wait for an agent that reads nothing: it fails.
	Input([]byte) error
	// Resize asks for a size, and does not wait until the terminal has it.
	Resize(columns, rows int) error
	// End stops it with everything it started, and waits: interrupt, grace, terminate,
	// grace, kill. What one that has exited left behind is cleaned up. The end of ctx
	// cuts the grace short. It may be called more than once, also at the same time.
	End(ctx context.Context, grace time.Duration) agent.Exit
	// Detach lets it run on without us; Done is never closed after that. One that cannot
	// run on has ended when Detach returns.
	Detach()
}
