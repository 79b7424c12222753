package tty

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// ErrNoShell reports that no shell could continue a stopped program.
var ErrNoShell = errors.New("there is no shell to return to: this terminal was opened for ferrus")

// Suspend returns a command that gives the terminal back to the shell and stops the
// process until the shell continues it; the command answers with what then returns.
// Where no shell could continue it, then gets [ErrNoShell] at once.
func (t *Terminal) Suspend(ctx context.Context, then func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !hasParentShell() {
			return then(ErrNoShell)
		}
		return t.Release(ctx, tea.Exec(suspension{}, func(err error) tea.Msg {
			t.Resume()
			return then(err)
		}))()
	}
}

// hasParentShell reports whether our parent is in our session, so that a shell can
// continue us. An orphaned process group ignores SIGTSTP.
func hasParentShell() bool {
	above, err := unix.Getsid(os.Getppid())
	own, ours := unix.Getsid(0)
	return err == nil && ours == nil && above == own && own != os.Getpid()
}

// suspension stops this process where Bubble Tea would run another one.
type suspension struct{}

// stopTimeout is how long a stop may take: it comes at once or never.
const stopTimeout = time.Second

// Run stops the process group, and returns when it is continued.
func (suspension) Run() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	t := time.NewTimer(stopTimeout)
	defer t.Stop()
	select {
	case <-continued:
	case <-t.C:
	}
	return nil
}

// The process keeps the terminal it has.

func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}
