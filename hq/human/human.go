// Package human finds out whether it is you who gives a command.
//
// By default a process is not you: it gets your rights only on evidence. [Examine] looks
// at a process and its ancestors. It finds that the process belongs to a session, that it
// is on a terminal that no session created, or that neither can be proven.
//
// While a conductor is running, a command asks it ([Ask]). The conductor has a [Server],
// which examines the process at the other end of its socket: it refuses one of a session,
// accepts one on such a terminal, and asks you on the screen about any other. Without a
// conductor, the command examines itself ([ExamineSelf]).
//
// The package does not protect files: a process of your user that is not in a sandbox can
// write whatever a command would have written.
package human

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"ferrus/agent/process"
)

// Standing is what the evidence says of a process.
type Standing int

// The standings.
const (
	Unclear   Standing = iota // it cannot be told whose it is
	InSession                 // it belongs to a session: it is never you
	Own                       // it is on a terminal of its own
)

// Finding is what is known of the process that gives a command.
type Finding struct {
	Standing Standing
	Why      string // the reason, unless Standing is Own
	From     string // where it comes from: pts/3, process 4711 (ferrus, zsh, tmux)
}

// Session is a process that belongs to a session: its agent or its host.
type Session struct {
	Name    string // of the agent: executor:codex:1
	Process process.Identity
}

// Place is what the examiner compares a process with.
type Place struct {
	Sessions   []Session          // that it knows of
	Depth      uint64             // the examiner's own, see [process.Depth]
	Self       int                // what this process started are checks and setups; 0: nothing
	Namespaces process.Namespaces // of the examiner
}

// Here returns the place of this process, with the sessions that it knows of. Checks and
// setup commands that it starts are not you either.
func Here(sessions []Session) (Place, error) {
	depth, err := process.Depth(os.Getpid())
	if err != nil {
		return Place{}, fmt.Errorf("examine this process: %w", err)
	}
	spaces, err := process.NamespacesOf(os.Getpid())
	if err != nil {
		return Place{}, fmt.Errorf("examine this process: %w", err)
	}
	return Place{Sessions: sessions, Depth: depth, Self: os.Getpid(), Namespaces: spaces}, nil
}

// Examine says what the evidence is for a process.
func Examine(pid int, at Place) Finding {
	chain, err := process.Ancestry(pid)
	if pid <= 0 || err != nil {
		return Finding{Why: "the calling process cannot be seen from here"}
	}
	terminal, err := process.Terminal(pid)
	f := Finding{From: describe(terminal, chain)}
	if session := at.session(chain); session != "" {
		f.Standing, f.Why = InSession, session
		return f
	}
	switch {
	case err != nil:
		f.Why = "its terminal cannot be determined"
	case terminal == "":
		f.Why = "it has no terminal of its own"
	default:
		f.Why = at.unclear(chain)
	}
	if f.Why == "" {
		f.Standing = Own
	}
	return f
}

// session returns why a process belongs to a session; empty: nothing says so.
func (at Place) session(chain []process.Process) string {
	for i, p := range chain {
		depth, err := process.Depth(p.PID)
		if err == nil && depth > at.Depth {
			return "it was started inside an agent session"
		}
		if i > 0 && p.PID == at.Self {
			return "a check or setup command started it"
		}
		for _, s := range at.Sessions {
			if alive, known := process.Alive(&s.Process); known && alive && s.Process.PID == p.PID {
				return "it was started inside an agent session (" + s.Name + ")"
			}
		}
	}
	return ""
}

// serviceManager is the name of a program that starts, for any process of yours, commands on
// terminals: systemd-run --pty.
const serviceManager = "systemd"

// unclear returns why a process with a terminal may have been started by a session; empty:
// it was not. Its ancestors lead through the shell that the terminal belongs to, up to the
// first process of the system, all in the namespaces of the examiner.
func (at Place) unclear(chain []process.Process) string {
	shell := slices.IndexFunc(chain, func(p process.Process) bool { return p.PID == chain[0].Session })
	if shell < 0 && chain[0].Session != 0 {
		return "it was not started by the shell of its terminal"
	}
	if shell >= 0 && shell+1 < len(chain) {
		// Your terminal has a program that shows it, a login or a multiplexer above its shell.
		if name, err := process.Name(chain[shell+1].PID); err == nil && name == serviceManager {
			return "a service made its terminal, which any process can ask for"
		}
	}
	if last := chain[len(chain)-1]; last.PID != 1 && last.Parent != 0 {
		return "its ancestors cannot be followed to the login"
	}
	if chain[len(chain)-1].Parent == 0 && chain[len(chain)-1].PID != 1 {
		return "its ancestors are in another process namespace"
	}
	for i, p := range chain {
		spaces, err := process.NamespacesOf(p.PID)
		switch {
		case err != nil && i == 0:
			return "its namespaces cannot be determined"
		case err == nil && spaces != at.Namespaces && i <= max(shell, 0):
			return "it is in other namespaces than ferrus"
		}
	}
	return ""
}

// described is the number of ancestors that a finding names.
const described = 4

// describe returns where a process comes from, in words.
func describe(terminal string, chain []process.Process) string {
	terminal = cmp.Or(terminal, "no terminal")
	var names []string
	for _, p := range chain[:min(len(chain), described)] {
		name, err := process.Name(p.PID)
		if err != nil {
			name = "?"
		}
		names = append(names, printable(name))
	}
	return fmt.Sprintf("%s, process %d (%s)", terminal, chain[0].PID, strings.Join(names, ", "))
}

// printable returns a name without what a terminal would act on.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r > 0xff {
			return '?'
		}
		return r
	}, name)
}
