package host

import (
	"fmt"

	"ferrus/ui/vt"
)

// screen is the emulator of a host. Its snapshot brings the lines above the
// screen along.
type screen struct{ *vt.Locked }

func newScreen(columns, rows, scrollback int) screen {
	return screen{vt.NewLocked(columns, rows, scrollback)}
}

func (s screen) Snapshot() (b []byte) {
	s.With(func(t *vt.Terminal) { b = append(history(t), t.Snapshot()...) })
	return b
}

// history are bytes that have a fresh terminal of this size keep the lines that
// were scrolled away, with nothing on its screen: they are printed, and what of
// them is still to be seen is pushed out at the bottom.
func history(t *vt.Terminal) []byte {
	n := t.Scrollback()
	if n == 0 {
		return nil
	}
	_, rows := t.Size()
	b := []byte("\x1b[?7l")
	for i := range n {
		b = append(b, t.Line(i)...)
		b = append(b, "\r\n"...)
	}
	b = fmt.Appendf(b, "\x1b[%d;1H", rows)
	for range min(n, rows-1) {
		b = append(b, '\n')
	}
	return append(b, "\x1b[?7h\x1b[0m\x1b[H"...)
}
