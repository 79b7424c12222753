package session

import (
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ferrus/ui/vt"
)

// screen is a slot's emulator for one session. The goroutine that reads the session's
// terminal writes to it. It serializes nothing itself: the emulator has a lock, and
// only one goroutine writes.
type screen struct {
	*vt.Locked
	changed func()    // Callbacks.Changed
	printed func()    // Callbacks.Printed
	output  *activity // of this session only, though the emulator may have shown others before
	copy    io.Writer // Job.Output; nil: none
}

func (s *screen) Write(p []byte) (int, error) {
	n, err := s.Locked.Write(p)
	s.output.note()
	if s.copy != nil {
		_, _ = s.copy.Write(p) // what it cannot take is on the screen
	}
	s.printed()
	return n, err
}

// Resize is called when the session's terminal has its new size. Until then its output
// is drawn for the old size.
func (s *screen) Resize(columns, rows int) {
	s.Locked.Resize(columns, rows)
	s.changed()
}

// origin is when this process started. What it measures is counted from here, so that no set clock changes it.
var origin = time.Now()

// earliest returns a time of this process by the clock of then, or, if that was set back since, by the present one:
// what was written since has a later one.
func earliest(t time.Time) time.Time {
	then, now := t.Round(0), time.Now().Add(-time.Since(t)).Round(0)
	if now.Before(then) {
		return now
	}
	return then
}

// activity records when something was last written. It may be used from any goroutine.
// The zero value is that nothing was.
type activity struct {
	at      atomic.Int64 // since origin
	awaited atomic.Bool  // next is to be called
	mu      sync.Mutex
	next    []func() // guarded by mu: called once each, when something is written
}

// last returns when something was written last; zero: nothing was.
func (a *activity) last() time.Time {
	if at := a.at.Load(); at != 0 {
		return origin.Add(time.Duration(at))
	}
	return time.Time{}
}

func (a *activity) note() {
	a.at.Store(int64(time.Since(origin)))
	if a.awaited.Load() {
		a.call()
	}
}

func (a *activity) call() {
	a.mu.Lock()
	next := a.next
	a.next = nil
	a.awaited.Store(false)
	a.mu.Unlock()
	for _, f := range next {
		f()
	}
}

// await calls f, which must not wait, once something newer than seen was written: at once if it was already.
func (a *activity) await(seen time.Time, f func()) {
	if a.last().After(seen) {
		f()
		return
	}
	a.mu.Lock()
	a.next = append(a.next, f)
	a.awaited.Store(true)
	a.mu.Unlock()
	if a.last().After(seen) { // it came meanwhile; later, note sees that it is awaited
		a.call()
	}
}

// lastRows is the number of lines at the end of a screen that are quoted when a session
// ends without finishing; one sentence of a program may take several. Blank ones are left
// out, and the first ones where all of them together are longer than lastRunes: the last
// line says most, and a longer one is cut in its middle. A line before it that does not fit is cut at its
// end, or left out where that leaves no more than minRunes of it.
const (
	lastRows  = 6
	lastRunes = 200
	minRunes  = 40
)

// LastOutput returns the last lines of the newest session on the screen that are not
// blank, as one line; empty: there was no session, or it wrote nothing. It is an
// agent's word, and only ever shown.
func (r *Runner) LastOutput() string {
	return lastWords(sessionLines(r.terminal))
}

func lastWords(rows []string) string {
	rows = slices.DeleteFunc(rows, func(row string) bool { return row == "" })
	var words []rune
	for _, row := range slices.Backward(rows[max(0, len(rows)-lastRows):]) {
		line, room := []rune(row), lastRunes-len(words)
		switch {
		case len(words) == 0 && len(line) > room:
			return string(line[:room/2]) + "…" + string(line[len(line)-room/2:])
		case len(words) == 0:
			words = line
			continue
		case len(line)+1 > room && room > minRunes:
			line = append(line[:room-2], '…')
		case len(line)+1 > room:
			return string(words)
		}
		words = slices.Concat(line, []rune(" "), words)
	}
	return string(words)
}

// sessionLines is like [sessionRows] with each line that continues in the next row as one.
func sessionLines(screen *vt.Locked) (lines []string) {
	if screen == nil {
		return nil
	}
	screen.With(func(t *vt.Terminal) {
		_, height := t.Size()
		_, first := t.Lines()
		continues := false
		for y := range height {
			cells, goesOn := t.Cells(first + y)
			row := strings.Join(cells, "")
			switch {
			case continues:
				lines[len(lines)-1] += row
			case strings.HasPrefix(row, sessionRule):
				lines = nil
			default:
				lines = append(lines, row)
			}
			continues = goesOn && len(lines) > 0
		}
	})
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// sessionRows returns the rows of a slot's screen that belong to the newest session:
// those below its rule, if it has one. Only what is on the screen now, without the
// lines that have scrolled off.
func sessionRows(screen *vt.Locked) []string {
	if screen == nil {
		return nil
	}
	var rows []string
	screen.With(func(t *vt.Terminal) {
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

// rowText returns a row of a screen without blanks at its ends.
func rowText(t *vt.Terminal, columns, y int) string {
	var b strings.Builder
	for x := range columns {
		text, _ := t.Cell(x, y)
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}
