package host

import (
	"bytes"
	"fmt"

	"ferrus/ui/vt"
)

// screen is the emulator of a host. Its snapshot includes the lines above the screen.
type screen struct{ *vt.Locked }

func newScreen(columns, rows, scrollback int) screen {
	return screen{vt.NewLocked(columns, rows, scrollback)}
}

func (s screen) Snapshot() (b []byte) {
	s.With(func(t *vt.Terminal) { b = append(history(t), t.Snapshot()...) })
	return b
}

// history returns bytes that fill the scrollback of a fresh terminal of this size with the
// lines that were scrolled away, and leave its screen blank: it prints the lines, then
// scrolls the last of them off the screen.
func history(t *vt.Terminal) []byte {
	n := t.Scrollback()
	if n == 0 {
		return nil
	}
	_, rows := t.Size()
	b := []byte(historyBegin)
	for i := range n {
		b = append(b, t.HistoryRow(i)...)
		b = append(b, "\r\n"...)
	}
	b = fmt.Appendf(b, "\x1b[%d;1H", rows)
	for range min(n, rows-1) {
		b = append(b, '\n')
	}
	return append(b, historyEnd...)
}

// What is around the lines above a screen, in its snapshot.
const historyBegin, historyEnd = "\x1b[?7l", "\x1b[?7h\x1b[0m\x1b[H"

// Recent returns a [View.Screen] with so many of the lines above it at most, which must fill a screen: a slow link has
// no time for the others.
func Recent(screen []byte, lines int) []byte {
	rest, ok := bytes.CutPrefix(screen, []byte(historyBegin))
	end := bytes.Index(rest, []byte(historyEnd))
	if !ok || end < 0 {
		return screen
	}
	for n := bytes.Count(rest[:end], []byte("\r\n")); n > lines; n-- {
		_, rest, _ = bytes.Cut(rest, []byte("\r\n"))
	}
	return append([]byte(historyBegin), rest...)
}
