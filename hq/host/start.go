package host

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"ferrus/agent"
)

// Start starts a host, the program ferrus in its own process session, which runs l. The
// screen must have the size of the launch; the output goes below what it shows, from the
// first byte on. An error leaves no process.
func Start(ferrus string, l Launch, screen agent.Screen) (*Client, error) {
	mine, theirs, err := pair()
	if err != nil {
		return nil, fmt.Errorf("start a host: %w", err)
	}
	command := exec.Command(ferrus, Command)
	command.Dir = l.Project
	command.Env = append(os.Environ(), MarkEnv+"="+l.Session)
	command.ExtraFiles = []*os.File{theirs}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = command.Start()
	err = errors.Join(err, theirs.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a host: %w", err), mine.Close())
	}
	w, err := launch(mine, l)
	if err != nil {
		err = errors.Join(err, mine.Close(), agent.KillTree(command.Process.Pid, l.Session))
		_ = command.Wait() // err says why it failed
		return nil, err
	}
	return newClient(mine, screen, w, command), nil
}

// launch sends the launch and waits until the agent runs.
func launch(conn *net.UnixConn, l Launch) (welcome, error) {
	if _, err := conn.Write(encode(frameLaunch, l)); err != nil {
		return welcome{}, fmt.Errorf("start a host: %w", err)
	}
	w, err := readWelcome(conn)
	switch {
	case err != nil:
		return w, err
	case w.Failed != "":
		return w, errors.New(w.Failed)
	}
	return w, conn.SetDeadline(time.Time{})
}

// pair makes the two ends of a connection: one for us, one to inherit.
func pair() (mine *net.UnixConn, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	own := os.NewFile(uintptr(ends[0]), "host")
	theirs = os.NewFile(uintptr(ends[1]), "conductor")
	mine, err = connection(own)
	if err != nil {
		return nil, nil, errors.Join(err, own.Close(), theirs.Close())
	}
	return mine, theirs, nil
}

// Inherited returns the descriptor at which a host finds its first client.
func Inherited() *os.File { return os.NewFile(3, "conductor") }
