package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
)

// defaultGrace is how long a command has between the request to end and the kill.
const defaultGrace = 2 * time.Second

// KillMarked ends what a dead runner left: every process that carries the
// marker, their descendants, and the process group if any of it is among them.
// A group without a marked process is left alone: its number may be in use again.
func KillMarked(marker string, pgid int) error {
	return end(family(marker, pgid, false, process.Time{}), defaultGrace)
}

// end ends every process of a run, and returns when none is left, or an error that
// says which are.
func end(all process.Set, grace time.Duration) error {
	if err := all.End(context.Background(), grace); err != nil {
		return fmt.Errorf("end processes: %w", err)
	}
	return nil
}

// family returns the processes of a run that started at a time or later: those with the marker, those of the group or
// session, and the descendants of both. The number of a group that is not held may have been given to a stranger.
func family(marker string, pgid int, held bool, since process.Time) process.Set {
	return process.Set{Living: func() (process.Table, error) {
		all, err := process.ListSince(since, markerName)
		if err != nil {
			return nil, err
		}
		return all.Family(process.Family{Root: pgid, Held: held, Mine: func(p process.Process) bool {
			return marker != "" && slices.Contains(strings.Split(p.Env[markerName], markers), marker)
		}}), nil
	}}
}

// signalName is SIGKILL for 9.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
