package tty

import (
	"os"

	"golang.org/x/sys/unix"
)

// DiscardTyped discards what was typed at a terminal and not yet read.
func DiscardTyped(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) // at worst it is read
}
