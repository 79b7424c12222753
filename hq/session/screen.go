package session

import (
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ferrus/ui/vt"
)

// screen is a slot's emulator for one session. It is written to by whoever reads the
// session's terminal.
type screen struct {
	*vt.Locked
	changed func()
	output  *activity
	copy    io.Writer // nil: there is none
}

func (s *screen) Write(p []byte) (int, error) {
	n, err := s.Locked.Write(p)
	s.output.note()
	if s.copy != nil {
		_, _ = s.copy.Write(p) // what it cannot keep is on the screen
	}
	s.changed()
	return n, err
}

// Resize comes when the session's terminal has its new size.
func (s *screen) Resize(columns, rows int) {
	s.Locked.Resize(columns, rows)
	s.changed()
}

// activity remembers when something was last written. It may be used from anywhere.
type activity struct{ at atomic.Int64 }

func (a *activity) note()           { a.at.Store(time.Now().UnixNano()) }
func (a *activity) last() time.Time { return time.Unix(0, a.at.Load()) }

// lastRows is how many of the last rows of a pane are told with the end of its
// program; a sentence of a client takes several.
const lastRows = 6

// LastOutput returns the last lines of the session on the screen, as one line; empty:
// there was no session, or it wrote nothing.
func (r *Runner) LastOutput() string {
	lines := slices.DeleteFunc(r.rows(), func(line string) bool { return line == "" })
	return strings.Join(lines[max(0, len(lines)-lastRows):], " ")
}

// rows are the lines of the screen that are of the newest session.
func (r *Runner) rows() []string {
	if r.terminal == nil {
		return nil
	}
	var rows []string
	r.terminal.With(func(t *vt.Terminal) {
		columns, height := t.Size()
		for y := range height {
			line := rowText(t, columns, y)
			if strings.HasPrefix(line, sessionRule) {
				rows = nil
				continue
			}
			rows = append(rows, line)
		}
	})
	return rows
}

func rowText(t *vt.Terminal, columns, y int) string {
	var b strings.Builder
	for x := range columns {
		text, _ := t.Cell(x, y)
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}
