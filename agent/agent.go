// Package agent runs coding agents, each in its own pseudo-terminal.
//
// [Lookup] returns the [Adapter] of a name in ferrus.toml, [Installed] checks that its
// program is there, [Prompt] writes the prompt, Adapter.Invoke turns a [Launch] into a
// command line, [Start] runs it behind a [Screen], and [End] ends it with everything it
// started. Call End for a session that ended by itself, too: it kills what the session
// left behind. [KillTree] does the same for the recorded session of a conductor that
// died.
//
// A slow reader of [Session.Attach] slows the agent down; nothing that an agent writes
// is dropped. Writing to an agent never blocks. A session has ended when its process is
// gone, even if something else keeps the terminal open.
//
// The package knows nothing about the loop: roles and modes are words to it, and an exit
// code is never evidence of work. The name, the flags and the output of a vendor's
// program are in that vendor's file and nowhere else.
//
// A process that leaves the process tree, the process group and the session, and clears
// its environment, is not found again.
package agent

import (
	"cmp"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Exit is how a session ended. It says nothing about work done.
type Exit struct {
	Code   int            // of the process; -1 when a signal ended it
	Signal syscall.Signal // that ended it, or 0
	Ended  time.Time
	Err    error // what else went wrong: the log, the terminal, survivors
	Usage  Usage // what it used, if its stream said so
	Limit  Limit // of its account, if its stream ended with that

	// Final is the agent's last message; nil if its output does not mark messages.
	Final *string
}

// SignalName returns the name of the signal that ended the process, such as SIGKILL; empty: none did.
func (e Exit) SignalName() string {
	if e.Signal == 0 {
		return ""
	}
	return cmp.Or(unix.SignalName(e.Signal), e.Signal.String())
}

// Screen is the terminal emulator. Writes come from one goroutine; Resize and Snapshot may
// come from others at the same time.
type Screen interface {
	io.Writer
	Resize(columns, rows int)
	Snapshot() []byte // bytes that redraw it
}

// Replier is a Screen that answers queries of the program. Replies is drained after each
// write and sent as input.
type Replier interface{ Replies() []byte }

// Launch is what an adapter needs for a command line. It has more than 12 fields because
// each adapter uses a different part of them.
type Launch struct {
	Role, Mode, Slot string   // supervisor or executor; plan, task, review, work, ...; executor, reviewer, ...
	Prompt, Model    string   // Model empty: the agent's own default
	Workspace        string   // absolute; where it runs
	Project          string   // absolute; where ferrus.toml is
	Task             string   // name of the task; empty: the one whose record is .ferrus
	OwnServers       []string // names of the MCP servers that the human has configured
	Env              []string // more variables, as NAME=value
	Nonce            string   // tells this session from every other
	Ferrus           string   // absolute path of this program
	Name             string   // of the agent in ids; empty: the adapter's
	Index            int
	WaitSecs         int    // longest single wait of a tool; 0: the adapter's
	Resume           string // file that remembers a conversation that was interrupted; empty: none
	Conversation     string // id of the client's own conversation that continues; empty: a new one begins
	Reports          string // directory in which the program may write what it did; empty: none
	Door             string // socket of its server; empty: the agent starts it
	Columns, Rows    int
	Interactive      bool // the program's own screen, into which the human types
	CanEdit          bool // a supervisor that may change files, as an executor may
	Bypass           bool // no permission checks; only if the human chose it
	Ask              bool // what needs permission is asked by the server; headless only
	OnlyFerrus       bool // without the MCP servers that the human has configured
	NoServer         bool // without the server of ferrus: it reads its prompt and prints
	Confined         bool // the session runs in the sandbox of ferrus
	SettingsLeft     bool // the session judges, and sees settings of agents that are not of the commit
}

// Invocation is a command line.
type Invocation struct {
	Path     string   // looked up on PATH when it has no slash
	Args     []string // without the program itself
	Env      []string // added to this process's own, cleaned environment
	Confined bool     // Path builds a sandbox, and is started without variables that an agent could use against it
	Headless bool     // stdin is /dev/null, and a Renderer may stand before the screen
	Stream   string   // name of its Renderer for [RendererOf]; empty: its adapter's

	// UsageFlag is a flag that makes the program write the session's usage into a file, up to
	// and including the "="; Start adds the file. The Renderer gets the file's text as the last
	// line. Empty if the program has none.
	UsageFlag string
	UsageDir  string     // an absolute directory in which the program can write it; empty: os.TempDir
	usageFile *usageFile // where Start has put it
}

// Adapter is what ferrus knows about one agent program.
type Adapter interface {
	Name() string   // as in ferrus.toml
	Binary() string // what must be on PATH
	WaitSecs() int  // how long one of its tool calls may safely wait
	Invoke(Launch) (Invocation, error)
	Renderer() Renderer // a new one for a headless session; nil: its output is readable as it is
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
	ACP                []string // speaks the Agent Client Protocol; headless, in the place of Command
}
