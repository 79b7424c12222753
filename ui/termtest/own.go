package termtest

import (
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// own keeps the terminal of this process open until it ends.
var own []*os.File

// OwnTerminal gives this process a terminal of its own, as the shell of a human has one,
// unless it has one, or leads a group and cannot have another. Its standard streams stay.
func OwnTerminal() {
	if file, err := os.Open("/dev/tty"); err == nil {
		_ = file.Close()
		return
	}
	if _, err := syscall.Setsid(); err != nil {
		return
	}
	master, terminal, err := pty.Open()
	if err != nil {
		return
	}
	own = append(own, master, terminal)
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TIOCSCTTY, 0) // without it the process has none
}
