// Package agent runs coding agents, each in a pseudo-terminal of its own.
//
// In a hurry: [Lookup] finds the [Adapter] of a name in ferrus.toml,
// [Installed] says whether its program is there, [Prompt] words the task,
// Adapter.Invoke turns a [Launch] into a command line, [Start] runs it behind a
// [Screen], and [End] ends it with everything it started. Call End also for a
// session that ended by itself: what it left behind is ended then. [KillTree]
// does the same for the recorded session of a conductor that died.
//
// A slow reader of [Session.Attach] slows the agent; nothing an agent writes is
// dropped. Writing to an agent never blocks. A session is over when its process
// is gone, even if something else keeps the terminal open.
//
// The package knows nothing of the loop: roles and modes are words to it, and an
// exit code is never evidence of work. What a vendor's program is called, takes
// and writes stands in that vendor's file and nowhere else.
//
// What it does not do: a process that leaves the process tree, the process group
// and the session, and clears its environment, is not found again.
package agent

import (
	"context"
	"io"
	"syscall"
	"time"
)

// Session is one run of one agent process. The owner of the pseudo-terminal is
// behind it, wherever it lives.
type Session interface {
	// Attach returns the bytes that redraw the present screen in an empty
	// terminal of its size, and then everything written to the screen after
	// that, in order. The channel is closed at the end of the session or of ctx.
	// Who stops reading without ending ctx stops the agent.
	Attach(ctx context.Context) (screen []byte, output <-chan []byte, err error)
	// Input sends bytes as if typed. It never blocks: it fails when the agent has
	// left too much unread, or is headless and reads nothing.
	Input([]byte) error
	Resize(columns, rows int) error
	// Signal sends to the process group; os.ErrProcessDone when it is over.
	Signal(syscall.Signal) error
	// Done is closed when the process is reaped and its output is on the screen.
	Done() <-chan struct{}
	// Exit says how it ended; its zero value before Done.
	Exit() Exit
	PID() int
}

// Exit is how a session ended. It says nothing about work done.
type Exit struct {
	Code   int            // of the process; -1 when a signal ended it
	Signal syscall.Signal // that ended it, or 0
	Ended  time.Time
	Err    error // what else went wrong: the log, the terminal, survivors
	Usage  Usage // what it used, if its stream said so
	Limit  Limit // of its account, if its stream ended with that

	// Final is what the agent said last, whole; nil where its stream does not mark
	// it, as that of a program that prints for people.
	Final *string
}

// Screen is the emulator that stands for the terminal. Writes come from one
// goroutine; Resize and Snapshot may come from others at the same time.
type Screen interface {
	io.Writer
	Resize(columns, rows int)
	Snapshot() []byte // bytes that redraw it
}

// Replier is a Screen that answers what a program asks of its terminal. Replies
// is drained after each write and sent as input.
type Replier interface{ Replies() []byte }

// Launch is what an adapter needs to word a command line.
type Launch struct {
	Role, Mode, Slot string // supervisor or executor; plan, task, review, work, ...; executor, reviewer, ...
	Prompt, Model    string // Model empty: the agent's own default
	Workspace        string // absolute; where it runs
	Project          string // absolute; where ferrus.toml is
	Nonce            string // tells this session from every other
	Ferrus           string // absolute path of this program
	Name             string // of the agent in ids; empty: the adapter's
	Index            int
	WaitSecs         int // longest single wait of a tool; 0: the adapter's
	Columns, Rows    int
	Interactive      bool // the program's own screen, typed into by a person
	CanEdit          bool // a supervisor that may change files, as an executor may
	Bypass           bool // no permission checks; only if the person chose it
	NoServer         bool // without the server of ferrus: it reads its prompt and prints
}

// Invocation is a command line.
type Invocation struct {
	Path     string   // looked up on PATH when it has no slash
	Args     []string // without the program itself
	Env      []string // added to this process's own, cleaned environment
	Headless bool     // stdin is /dev/null, and a Renderer may stand before the screen

	// Account is an option, up to its value, that has the program leave what the
	// session used in a file of Start's choice. Its Renderer is given the text as the
	// last line. Empty: there is none.
	Account string
	left    *usageFile // where Start has put it
}

// Adapter is what ferrus knows of one agent program.
type Adapter interface {
	Name() string   // as in ferrus.toml
	Binary() string // what must be on PATH
	WaitSecs() int  // how long one of its tool calls may safely wait
	Invoke(Launch) (Invocation, error)
	Renderer() Renderer // a new one for a headless session; nil: its output is for people already
}

// Renderer turns a structured stream into text for a terminal, line by line.
type Renderer interface {
	Render(line []byte) []byte // line has no newline; the result may be empty
	Close() []byte             // what is left to say at the end
}

// Custom is an agent of ferrus.toml, [agent.<name>].
type Custom struct {
	Command            []string // headless
	InteractiveCommand []string
}
