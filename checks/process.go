package checks

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// defaultGrace is how long a command has between the request to end and the kill.
const defaultGrace = 2 * time.Second

// killTime is how long processes may take to be gone after the kill. A process
// in an uninterruptible system call takes as long as that call.
const killTime = 5 * time.Second

// pollEvery is how often the processes of a run are looked for while they end.
const pollEvery = 10 * time.Millisecond

// process is a line of the process table.
type process struct {
	pid, parent, group, session int
	dead                        bool // a zombie
	marked                      bool
}

// KillMarked ends what a dead runner left: every process that carries the
// marker, their descendants, and the process group if any of it is among them.
// A group without a marked process is left alone: its number may be in use again.
func KillMarked(marker string, pgid int) error {
	left, err := living(marker, pgid, true)
	if err != nil || len(left) == 0 {
		return err
	}
	return end(marker, pgid, true, defaultGrace)
}

// end asks everything of a run to end and then kills it. It returns when
// nothing is left, or an error that says what is.
func end(marker string, pgid int, doubtful bool, grace time.Duration) error {
	asked := time.Now()
	for signal := syscall.SIGTERM; ; {
		left, err := living(marker, pgid, doubtful)
		if err != nil || len(left) == 0 {
			return err
		}
		switch since := time.Since(asked); {
		case since > grace+killTime:
			return fmt.Errorf("end processes: %d are left, the first is %d", len(left), left[0])
		case since >= grace:
			signal = syscall.SIGKILL
		}
		if signal != 0 {
			send(left, signal)
		}
		if signal == syscall.SIGTERM {
			signal = 0 // Once is enough; a handler may be at work.
		}
		time.Sleep(pollEvery)
	}
}

func send(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		// It may be gone by now, which is what is wanted.
		if err := syscall.Kill(pid, signal); err == nil && signal == syscall.SIGTERM {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
}

// living are the processes of a run: those with the marker, those of the group
// or session, and the descendants of both. In a doubtful group, whose number may
// have been given to a stranger, one process must carry the marker.
func living(marker string, pgid int, doubtful bool) ([]int, error) {
	table, err := processes(marker)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	ours, grouped := map[int]bool{}, !doubtful
	for _, p := range table {
		ours[p.pid] = p.marked
		grouped = grouped || p.marked && (p.group == pgid || p.session == pgid)
	}
	for _, p := range table {
		if pgid > 1 && grouped && (p.group == pgid || p.session == pgid) {
			ours[p.pid] = true
		}
	}
	adopt(table, ours)
	var left []int
	for _, p := range table {
		if ours[p.pid] && !p.dead && p.pid != syscall.Getpid() {
			left = append(left, p.pid)
		}
	}
	return left, nil
}

// adopt adds the descendants of processes that are ours.
func adopt(table []process, ours map[int]bool) {
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if !ours[p.pid] && ours[p.parent] && p.parent > 1 {
				ours[p.pid], grown = true, true
			}
		}
	}
}

// signalName is SIGKILL for 9.
func signalName(s syscall.Signal) string {
	if name := signalText(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

var errNoTable = errors.New("the process table cannot be read")
