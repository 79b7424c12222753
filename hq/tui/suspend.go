package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"ferrus/ui"
)

// suspend stops HQ until its shell continues it. Sessions have processes of their
// own and go on; what comes after them waits.
func (d *deck) suspend() tea.Cmd {
	if !shellAbove() {
		return said("there is no shell to go back to: this terminal was opened for ferrus", true)
	}
	return d.released(tea.Exec(suspension{}, func(error) tea.Msg {
		d.link.resume()
		return ui.DoneMsg{}
	}))
}

// shellAbove reports whether somebody would continue us: who started us lives in
// our session. A group that nobody watches does not stop when it is told to.
func shellAbove() bool {
	above, err := unix.Getsid(os.Getppid())
	own, ours := unix.Getsid(0)
	return err == nil && ours == nil && above == own && own != os.Getpid()
}

// suspension is a program, as Bubble Tea has them, that stops this one.
type suspension struct{}

// asleep is how long a stop may take to come: it comes at once or never.
const asleep = time.Second

func (suspension) Run() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	t := time.NewTimer(asleep)
	defer t.Stop()
	select {
	case <-continued:
	case <-t.C:
	}
	return nil
}

func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}
