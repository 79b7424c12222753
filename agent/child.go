package agent

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ferrus/agent/process"
)

// child is the process of a session, leader of its process group and session.
type child struct {
	cmd  *exec.Cmd
	mine func(nonce string) bool // a process with this nonce belongs to us

	mu   sync.Mutex    // guards the rest
	gone bool          // about to be reaped, after which its number may be another's
	kin  process.Table // who belonged to us when we last looked
}

func newLeader(cmd *exec.Cmd, env []string) *child {
	l := &child{cmd: cmd, mine: func(string) bool { return false }}
	for _, entry := range env {
		if strings.HasPrefix(entry, marker) {
			l.mine = carries(entry)
		}
	}
	return l
}

func (l *child) PID() int { return l.cmd.Process.Pid }

func (l *child) Signal(sig syscall.Signal) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return os.ErrProcessDone
	}
	return unix.Kill(-l.PID(), sig)
}

// reap waits for the process, by its number alone. Who is left is noted while
// the number is still held, because some can be found by it only then.
func (l *child) reap() *os.ProcessState {
	process.AwaitExit(l.PID())
	_, _ = l.living() // what cannot be listed now is looked for again when it is ended
	l.mu.Lock()
	l.gone = true
	l.mu.Unlock()
	_ = l.cmd.Wait() // how it ended is in ProcessState
	return l.cmd.ProcessState
}

// living returns the processes that belong to the session now. Who was found
// once is known from then on, also when its parent dies and nothing else ties it
// to us.
func (l *child) living() (process.Table, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := processes()
	if err != nil {
		return nil, err
	}
	if p, ok := all.Find(l.PID()); ok && !l.gone {
		l.kin = append(l.kin, p)
	}
	l.kin = family(all, l.PID(), l.kin, l.mine)
	return slices.Clone(l.kin), nil
}
