package tty

import (
	"bytes"
	"io"
)

// erased is how the renderer begins a whole frame, which it draws after each change of the terminal's size.
var erased = []byte("\x1b[H\x1b[2J")

// withoutMargins has the terminal forget its scrolling margins before a whole frame. The renderer sets them for one
// scroll and sets them back after it, to the size that it knows: where the terminal was given another size in between,
// they would stay, and each later line feed at the wrong one would scroll rows that the renderer does not move.
func withoutMargins(output []byte) []byte {
	if !bytes.Contains(output, erased) {
		return output
	}
	return bytes.ReplaceAll(output, erased, append([]byte("\x1b[r"), erased...))
}

// marginless is the output of a program on a terminal that another process has.
type marginless struct{ io.Writer }

func (m marginless) Write(output []byte) (int, error) {
	if _, err := m.Writer.Write(withoutMargins(output)); err != nil {
		return 0, err
	}
	return len(output), nil
}
