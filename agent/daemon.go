package agent

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Daemon is a process that a vendor's program left running on purpose, for all its
// sessions. It is nobody's to end.
type Daemon struct {
	Agent   string // codex
	Command string // without the path of its program
	PID     int
}

// String is a line for people.
func (d Daemon) String() string {
	return fmt.Sprintf("%s, process %d: shared by all sessions of %s, left alone", oneLine(d.Command, longDetail), d.PID, d.Agent)
}

// daemonDetector is an adapter whose program keeps daemons; daemon recognises one by its
// arguments, the first of which is the program without its path.
type daemonDetector interface{ daemon(args []string) bool }

// daemonOf says which vendor's daemon a command line is; empty: nobody's.
func daemonOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	args = append([]string{path.Base(args[0])}, args[1:]...)
	for _, name := range Names() {
		if k, ok := vendors[name].(daemonDetector); ok && k.daemon(args) {
			return name
		}
	}
	return ""
}

// Daemons lists those of this user that run now.
func Daemons() []Daemon {
	var found []Daemon
	for _, p := range processes() {
		if p.daemon != "" && !p.dead {
			args := arguments(p.pid)
			if daemonOf(args) == p.daemon {
				found = append(found, Daemon{Agent: p.daemon, Command: strings.Join(append([]string{path.Base(args[0])}, args[1:]...), " "), PID: p.pid})
			}
		}
	}
	return found
}

// shared are the daemons among processes, and what they started themselves. A
// daemon leads a session of its own: whoever left the session it was started in
// meant to stay.
func shared(all []process) map[int]bool {
	left := map[int]bool{}
	for _, p := range all {
		if p.daemon != "" {
			left[p.pid] = true
		}
	}
	for grown := len(left) > 0; grown; {
		grown = false
		for _, p := range all {
			if !left[p.pid] && left[p.parent] {
				left[p.pid], grown = true, true
			}
		}
	}
	return left
}

// hasAny reports whether any of words is among args.
func hasAny(args []string, words ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(words, arg) })
}
