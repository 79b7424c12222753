package ui

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// unit is what a selection consists of.
type unit uint8

const (
	byCell unit = iota
	byWord
	byLine
)

// selection is a selection: what it began with, up to where the reader is.
type selection struct {
	on    bool
	by    unit
	first vt.Span
}

// mouseDrag is the mouse button while it selects.
type mouseDrag struct {
	held   bool
	clicks int // in one place, shortly after each other
	at     vt.Place
	when   time.Time
}

// twice is the time in which two clicks are one double click.
const twice = 400 * time.Millisecond

// selected is what is selected; ok is false when nothing is.
func (r *copyMode) selected(t *vt.Terminal) (s vt.Span, ok bool) {
	if !r.mark.on {
		return vt.Span{}, false
	}
	last := spanAt(t, r.at, r.mark.by)
	s = r.mark.first
	if last.From.Before(s.From) {
		s.From = last.From
	}
	if s.To.Before(last.To) {
		s.To = last.To
	}
	return s, true
}

// spanAt is the cell, the word or the line at a place.
func spanAt(t *vt.Terminal, at vt.Place, by unit) vt.Span {
	cells, _ := t.Cells(at.Line)
	s := vt.Span{From: at, To: at}
	switch by {
	case byLine:
		for _, goesOn := t.Cells(s.From.Line - 1); goesOn; _, goesOn = t.Cells(s.From.Line - 1) {
			s.From.Line--
		}
		for _, goesOn := t.Cells(s.To.Line); goesOn; _, goesOn = t.Cells(s.To.Line) {
			s.To.Line++
		}
		s.From.Column, s.To.Column = 0, 1<<20
	case byWord:
		if at.Column >= len(cells) || !inWord(cells[at.Column]) {
			return s
		}
		for s.From.Column > 0 && inWord(cells[s.From.Column-1]) {
			s.From.Column--
		}
		for s.To.Column < len(cells)-1 && inWord(cells[s.To.Column+1]) {
			s.To.Column++
		}
	}
	return s
}

// inWord reports whether a cell belongs to a word, a path or an address.
func inWord(cell string) bool {
	r, _ := utf8.DecodeRuneInString(cell)
	return cell == "" || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./~:@%+#?&=", r)
}

// markBy begins a selection at the cursor, or ends it.
func markBy(by unit) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		r := &m.reading
		if r.mark.on && r.mark.by == by {
			r.mark = selection{}
			return nil
		}
		r.of.With(func(t *vt.Terminal) { r.mark = selection{true, by, spanAt(t, r.at, by)} })
		return nil
	}
}

// copyMark copies what is selected and stops reading.
func (m *Model) copyMark() tea.Cmd {
	if !m.reading.mark.on {
		m.say("nothing is selected: "+m.first("mark")+" begins", false)
		return nil
	}
	cmd := m.copied()
	return tea.Batch(cmd, m.stopReading())
}

// copied hands out what is selected; Ctrl+Y at the prompt brings it, too.
func (m *Model) copied() tea.Cmd {
	r := &m.reading
	text := ""
	r.of.With(func(t *vt.Terminal) {
		if s, ok := r.selected(t); ok {
			text = t.TextBetween(s.From, s.To)
		}
	})
	return m.copyText(text)
}

// selects takes the mouse when it selects in a pane. A click also focuses it.
func (m *Model) selects(msg tea.MouseMsg, n int) (bool, tea.Cmd) {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		return false, m.beginMark(at, n)
	case tea.MouseMotionMsg:
		if m.reading.press.held && m.valid() {
			m.dragMark(at)
			return true, nil
		}
	case tea.MouseReleaseMsg:
		if r := &m.reading; r.press.held && m.valid() {
			r.press.held = false
			return true, m.copied()
		}
	}
	return false, nil
}

func (m *Model) beginMark(at tea.Mouse, n int) tea.Cmd {
	last := m.reading
	m.stopReading()
	p, inner := m.pane(n), m.place(n).Inner()
	if at.Button != tea.MouseLeft || p == nil || p.Terminal == nil || !inner.Contains(at.X, at.Y) || m.canvases[p.Slot] == nil {
		return nil
	}
	r := copyMode{number: n, of: p.Terminal, press: mouseDrag{held: true, clicks: 1, when: m.now()}}
	r.at = vt.Place{Line: m.canvases[p.Slot].top + at.Y - inner.Y, Column: at.X - inner.X}
	r.press.at = r.at
	if last.of == r.of && last.press.at == r.at && r.press.when.Sub(last.press.when) < twice {
		r.press.clicks += last.press.clicks
	}
	r.of.With(func(t *vt.Terminal) {
		r.columns, _ = t.Size()
		if by := unit((r.press.clicks - 1) % 3); by != byCell {
			r.mark = selection{true, by, spanAt(t, r.at, by)}
		}
	})
	m.reading = r
	return nil
}

// dragMark selects up to the mouse, and scrolls when it is above or below.
func (m *Model) dragMark(at tea.Mouse) {
	r := &m.reading
	n, inner := r.number, m.place(r.number).Inner()
	switch {
	case at.Y < inner.Y:
		m.scrollTo(n, m.screen.scroll[n]+1)
	case at.Y >= inner.Y+inner.H:
		m.scrollTo(n, m.screen.scroll[n]-1)
	}
	r.of.With(func(t *vt.Terminal) {
		_, newest := t.Lines()
		top := newest + hiddenRows(t, inner.H) - m.screen.scroll[n]
		r.at = vt.Place{Line: top + min(max(at.Y-inner.Y, 0), inner.H-1), Column: min(max(at.X-inner.X, 0), inner.W-1)}
		if r.at == r.press.at {
			return
		}
		r.press.clicks = 0 // the next one is no double click
		if !r.mark.on {
			r.mark = selection{true, byCell, spanAt(t, r.press.at, byCell)}
		}
	})
}

// marked draws what was found and what is selected over the rows of a pane.
func (m *Model) marked(p *view.Pane, top int, rows []string) []string {
	r := &m.reading
	if r.number != p.Title.Number || r.of != p.Terminal || r.of == nil || !m.valid() {
		return rows
	}
	rows = slices.Clone(rows)
	r.of.With(func(t *vt.Terminal) {
		for i, s := range r.seek.found {
			look := m.theme.Found
			if i == r.seek.at {
				look = m.theme.Alarm
			}
			paintSpan(t, rows, top, s, look)
		}
		if s, ok := r.selected(t); ok {
			paintSpan(t, rows, top, s, m.theme.Chosen)
		}
	})
	return rows
}

// paintSpan draws the cells of a span in another look. The first row is line top.
func paintSpan(t *vt.Terminal, rows []string, top int, s vt.Span, look style.Paint) {
	for line := max(s.From.Line, top); line <= min(s.To.Line, top+len(rows)-1); line++ {
		row := rows[line-top]
		w := text.Width(row)
		cells, _ := t.Cells(line)
		begin, end := 0, w
		if line == s.From.Line {
			begin = min(s.From.Column, w)
			for begin > 0 && begin < len(cells) && cells[begin] == "" {
				begin--
			}
		}
		if line == s.To.Line {
			end = min(s.To.Column+1, w)
			for end < len(cells) && end < w && cells[end] == "" {
				end++
			}
		}
		if begin < end {
			rows[line-top] = style.Splice(row, begin, look.Render(ansi.Strip(ansi.Cut(row, begin, end))), w)
		}
	}
}
