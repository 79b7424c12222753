//go:build !linux

package tty

import (
	"os"

	"golang.org/x/sys/unix"
)

// DiscardTyped discards what was typed at a terminal and not yet read.
func DiscardTyped(terminal *os.File) {
	const read = 1                                                        // FREAD: what the program would read
	_ = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, read) // at worst it is read
}
