package agent

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ferrus/agent/process"
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

// daemon names the vendor whose daemon a process is; empty: it is none. A daemon
// leads a session: whoever left the session it was started in meant to stay.
func daemon(p process.Process) string {
	if !p.LeadsSession() {
		return ""
	}
	return daemonOf(p.Args())
}

// daemonOf names the vendor whose daemon a command line is.
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
	all, _ := process.List() // a table that cannot be read shows none
	var found []Daemon
	for _, p := range all {
		if name := daemon(p); name != "" && !p.Zombie {
			if args := p.Args(); len(args) > 0 { // it may have ended since
				args[0] = path.Base(args[0])
				found = append(found, Daemon{Agent: name, Command: strings.Join(args, " "), PID: p.PID})
			}
		}
	}
	return found
}

// hasAny reports whether any of words is among args.
func hasAny(args []string, words ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(words, arg) })
}
