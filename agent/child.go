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

// child is the process of a session, the leader of its process group and session.
type child struct {
	cmd  *exec.Cmd
	mine func(nonce string) bool // a process with this nonce belongs to us

	mu    sync.Mutex    // guards the rest
	gone  bool          // about to be reaped, after which its number may be another's
	known process.Table // processes that belonged to us at the last look
}

func newChild(cmd *exec.Cmd, env []string) *child {
	c := &child{cmd: cmd, mine: func(string) bool { return false }}
	for _, entry := range env {
		if strings.HasPrefix(entry, marker) {
			c.mine = carries(entry)
		}
	}
	return c
}

func (c *child) PID() int { return c.cmd.Process.Pid }

func (c *child) Signal(sig syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return os.ErrProcessDone
	}
	return unix.Kill(-c.PID(), sig)
}

// reap waits for the process, by its number alone. It lists what is left while the number
// is still held, because some processes can be found by it only then.
func (c *child) reap() *os.ProcessState {
	process.AwaitExit(c.PID())
	_, _ = c.living() // what cannot be listed now is looked for again when it is ended
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	_ = c.cmd.Wait() // how it ended is in ProcessState
	return c.cmd.ProcessState
}

// Owns reports whether one of these processes belongs to the session.
func (c *child) Owns(some []process.Process) bool {
	all, _ := c.living() // what cannot be listed is not owned
	return slices.ContainsFunc(some, func(p process.Process) bool { return slices.ContainsFunc(all, p.Same) })
}

// living returns the running processes of the session. A process that was found once stays
// known, even if its parent dies and nothing else connects it to the session.
func (c *child) living() (process.Table, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, err := processes()
	if err != nil {
		return nil, err
	}
	if p, ok := all.Find(c.PID()); ok && !c.gone {
		c.known = append(c.known, p)
	}
	if process.AdoptsOrphans() { // what lost its parent is a child of this process, and ours
		c.known = append(c.known, all.Children(os.Getpid())...)
	}
	c.known = family(all, c.PID(), c.known, c.mine)
	return slices.Clone(c.known), nil
}
