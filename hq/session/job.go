package session

import (
	"context"
	"io"
	"time"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
)

// Job is a session that a slot is to run, with all that it needs.
type Job struct {
	core.Job // slot, mode, and the request it answers

	// Origin is what the session is for: a task, the visit of a phase, a run. A session
	// of another origin has no claim to the slot, and its errors do not count. Empty:
	// the session is for nobody's sake, and keeps the counters of the one before.
	Origin    string
	Agent     config.RoleConfig // who plays it
	Workspace string            // absolute, where it works
	CanEdit   bool              // a supervisor that may change files, as an executor may
	Prepared  bool              // the workspace is ready: a session may start in it

	// Interactive says that the session has its program's own screen, and may be typed
	// into. AtHand says that a human sits before it: nobody else need be told what is on
	// its screen, and its end is theirs.
	Interactive, Attended bool

	// Once says that a session that exits with 0 has done all there was to do.
	Once bool

	// Prompt words what the session with an id is told. It is called on the loop, right
	// before each session, also before one that follows an error. An error of it stops
	// the slot.
	Prompt func(session string) (string, error)

	Output io.Writer // gets what the agent writes to its screen, as well; nil: nothing does

	// Log returns the name below .ferrus of the log of the session with a number; nil: it
	// is in logs/.
	Log func(number uint32) string
}

// Launch is one session to start.
type Launch struct {
	Job
	ID     string // the public name of Nonce
	Nonce  string // for the environment of the session's own processes, and nowhere else
	Number uint32 // in its slot
	Text   string // the prompt
	Log    string // name below .ferrus

	Columns, Rows, Scrollback int // of its screen
}

// Launcher starts sessions. It alone knows where processes run, and how an agent's
// command line is worded there.
type Launcher interface {
	// Ready returns why no session of an agent can be started, this one and the next.
	Ready(agent string) error
	// Launch starts a session. Everything it prints goes to the screen, from the first
	// byte on, in order, and before Done is closed.
	Launch(l Launch, screen agent.Screen) (Process, error)
}

// Process is a session that was started, wherever it runs. Its methods may be called
// from anywhere.
type Process interface {
	Done() <-chan struct{} // closed when it has exited, by itself or not
	PID() int              // 0: unknown
	Input([]byte) error
	Resize(columns, rows int) error
	// End ends it with everything it started: interrupt, grace, terminate, grace, kill.
	// One that has exited is cleaned up after. The end of ctx ends the patience.
	End(ctx context.Context, grace time.Duration) agent.Exit
	// Leave lets it run on without us; Done is never closed then. One that cannot run
	// on has ended when Leave returns.
	Detach()
}
