package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ferrus/agent/loader"
)

// Start runs inv in dir, in a terminal of the given size. The output goes to log as it is, and
// to screen through renderer. Log may be nil; renderer is used for headless sessions only.
func Start(inv Invocation, dir string, columns, rows int, screen Screen, log io.Writer,
	renderer Renderer) (*Session, error) {
	inv, err := addUsageFile(inv)
	if err == nil {
		var s *Session
		if s, err = startIn(dir, inv, columns, rows, screen, log, renderer); err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("start %s: %w", inv.Path, err), inv.usageFile.remove())
}

func startIn(dir string, inv Invocation, columns, rows int, screen Screen, log io.Writer,
	renderer Renderer) (*Session, error) {
	cmd := exec.Command(inv.Path, inv.Args...)
	cmd.Dir, cmd.Env = dir, childEnviron(os.Environ(), dir, inv.Env)
	if inv.Confined {
		cmd.Env = loader.Hide(cmd.Env)
	}
	if err := startError(cmd, inv.Path); err != nil {
		return nil, err
	}
	size := winsize(columns, rows)
	screen.Resize(int(size.Col), int(size.Row))
	master, err := startLeader(cmd, size, inv.Headless)
	if err != nil {
		return nil, err
	}
	if !inv.Headless {
		renderer = nil
	}
	if log == nil {
		log = io.Discard
	}
	return runSession(cmd, master, newBroadcaster(screen), newLineSplitter(renderer), log, inv), nil
}

// startError explains the two usual reasons why a program cannot be started.
func startError(cmd *exec.Cmd, path string) error {
	if errors.Is(cmd.Err, exec.ErrNotFound) {
		return errors.New("not found on PATH")
	}
	if info, err := os.Stat(cmd.Dir); cmd.Dir != "" && err != nil {
		return fmt.Errorf("workspace: %w", err)
	} else if err == nil && !info.IsDir() {
		return fmt.Errorf("workspace: %s is not a directory", cmd.Dir)
	}
	return cmd.Err
}

// startLeader starts cmd as the leader of its own session. A headless program has the
// terminal on stdout and stderr only, because one that can read stdin waits for more.
func startLeader(cmd *exec.Cmd, size *unix.Winsize, headless bool) (*os.File, error) {
	attrs := &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if headless {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return nil, err
		}
		defer null.Close()
		cmd.Stdin, attrs.Ctty = null, 1
	}
	master, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: size.Row, Cols: size.Col}, attrs)
	if err != nil {
		return nil, err
	}
	defer master.Close()
	polled, err := reopen(master)
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return polled, nil
}

// reopen returns the terminal to the runtime's poller, which the pty package took it from;
// otherwise closing it would not wake readers and writers.
func reopen(master *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), master.Name()), nil
}

// winsize limits a size to what a terminal can have.
func winsize(columns, rows int) *unix.Winsize {
	bound := func(n, usual int) uint16 {
		if n <= 0 {
			n = usual
		}
		return uint16(min(n, 4096))
	}
	return &unix.Winsize{Col: bound(columns, 80), Row: bound(rows, 24)}
}

// setSize sets the size of the terminal; the program gets SIGWINCH.
func setSize(master *os.File, size *unix.Winsize) error {
	conn, err := master.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size) })
	return errors.Join(err, failed)
}
