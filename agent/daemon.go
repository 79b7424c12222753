package agent

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ferrus/agent/process"
)

// Daemon is a process that a vendor's program keeps on purpose, for all its sessions.
// ferrus never ends one.
type Daemon struct {
	Agent   string // codex
	Command string // without the path of its program
	PID     int
}

// String describes the daemon in one line.
func (d Daemon) String() string {
	return fmt.Sprintf("%s, process %d: shared by all sessions of %s, left alone", oneLine(d.Command, maxDetailCells),
		d.PID, d.Agent)
}

// daemonDetector is an adapter whose program keeps daemons. Its method recognizes one by
// its arguments, the first of which is the program without its path.
type daemonDetector interface{ isDaemon(args []string) bool }

// daemonVendor returns the agent whose daemon a process is, or "". A daemon leads its own
// session: it has left the one it was started in, to stay.
func daemonVendor(p process.Process) string {
	if !p.LeadsSession() {
		return ""
	}
	return vendorOfDaemon(p.Args())
}

// vendorOfDaemon returns the agent whose daemon a command line is, or "".
func vendorOfDaemon(args []string) string {
	if len(args) == 0 {
		return ""
	}
	args = append([]string{path.Base(args[0])}, args[1:]...)
	for _, name := range Names() {
		if k, ok := adapters[name].(daemonDetector); ok && k.isDaemon(args) {
			return name
		}
	}
	return ""
}

// Daemons returns the running daemons of this user.
func Daemons() []Daemon {
	all, _ := process.List() // a table that cannot be read shows none
	var found []Daemon
	for _, p := range all {
		if name := daemonVendor(p); name != "" && !p.Zombie {
			if args := p.Args(); len(args) > 0 { // it may have ended since
				args[0] = path.Base(args[0])
				found = append(found, Daemon{Agent: name, Command: strings.Join(args, " "), PID: p.PID})
			}
		}
	}
	return found
}

// hasAny reports whether args contain one of the words.
func hasAny(args []string, words ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(words, arg) })
}
