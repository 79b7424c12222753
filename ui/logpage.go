package ui

import (
	"ferrus/ui/style"
	"ferrus/ui/view"
	"fmt"
	"slices"
)

// logPage is the journal as a timeline: a row for each entry, with the time that
// passed since the one before. Enter tells the story of the chosen one.
type logPage struct {
	entry  view.EntryID // that is chosen; zero: the newest, whichever that is
	rows   []int        // the row of each entry, as drawn last
	placed bool         // the chosen entry was brought into sight
	pager
}

func openLogAt(at view.EntryID) *logPage {
	return &logPage{entry: at, pager: pager{tail: at == view.EntryID{}}}
}

// at is where the chosen entry is in the journal.
func (l *logPage) at(m *Model) int {
	all := m.view.Activity
	if i := slices.IndexFunc(all, func(e view.Entry) bool { return e.EntryID == l.entry }); i >= 0 {
		return i
	}
	for i := len(all) - 1; i >= 0; i-- { // it is gone: the one before it
		if l.entry.Seq != 0 && all[i].Seq <= l.entry.Seq {
			return i
		}
	}
	return len(all) - 1
}

func (l *logPage) draw(m *Model, room style.Rect) (style.Rect, []string) {
	t, w := m.theme, room.W-2
	lines := []string{}
	day := ""
	l.rows = l.rows[:0]
	chosen := l.at(m)
	for i := range m.view.Activity {
		e := &m.view.Activity[i]
		if e.Day != day {
			day = e.Day
			lines = append(lines, style.Row(w, style.Spans{{" " + day, t.Strong}}, nil))
		}
		l.rows = append(l.rows, len(lines))
		lines = append(lines, timelineRow(t, e, w, i == chosen))
	}
	if len(l.rows) == 0 {
		lines = []string{style.Row(w, style.Spans{{" the journal has no entries", t.Faint}}, nil)}
	}
	if !l.placed && len(l.rows) > 0 {
		l.count, l.height, l.placed = len(lines), room.H-2, true
		l.sight(chosen)
	}
	body := l.window(t, lines, room.H-2)
	foot := style.Edge{Left: style.Spans{{l.foot(room.W, "Enter tells all of it  Esc closes"), t.Faint}}}
	return room, t.Box(room, t.Focused, style.Edge{Left: style.Spans{{" log", t.Strong}}, Right: style.Spans{{entries(len(l.rows)), t.Faint}}}, foot, body)
}

// sight scrolls as little as brings an entry onto the screen, with the day over
// the first.
func (l *logPage) sight(i int) {
	if i < 0 || i >= len(l.rows) {
		return
	}
	line := l.rows[i]
	first := line
	if i == 0 {
		first = 0
	}
	l.top = max(min(l.top, first), line-l.height+1)
	l.tail = false
}

func (l *logPage) press(m *Model, name string) (dialog, Intent) {
	page := max(l.height-1, 1)
	by, moves := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "b": -page, "pgdown": page,
		"space": page, "home": -1 << 30, "g": -1 << 30, "end": 1 << 30, "shift+g": 1 << 30}[name]
	all := m.view.Activity
	switch {
	case l.typing:
		l.pager.press(name)
		l.follow(m)
	case moves && len(all) > 0:
		i := max(min(l.at(m)+by, len(all)-1), 0)
		l.entry = all[i].EntryID
		l.sight(i)
		if l.tail = i == len(all)-1; l.tail {
			l.entry = view.EntryID{}
		}
	case l.pager.press(name):
		l.follow(m)
	case name == "enter" && len(all) > 0:
		return l, LoadEntry{all[l.at(m)].EntryID}
	case name == "esc" || name == "q" || m.does(name, "leave") || m.opens(name):
		return nil, nil
	}
	return l, nil
}

// follow chooses the entry that a search has come to.
func (l *logPage) follow(m *Model) {
	if l.query == "" || len(l.hits) == 0 {
		return
	}
	for i, line := range l.rows {
		if line >= l.top && slices.Contains(l.hits, line) {
			l.entry = m.view.Activity[i].EntryID
			return
		}
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// moment is one entry of the timeline.
func timelineRow(t *style.Theme, e *view.Entry, w int, chosen bool) string {
	mark, dot := " ", "●"
	if chosen {
		mark = "▸"
	}
	if e.To.Text == "" {
		dot = "·"
	}
	look := t.Tones[e.Tone]
	if e.To.Text != "" {
		look = t.Tones[e.To.Tone]
	}
	left := style.Spans{{mark, t.Focused}, {e.Clock, t.Faint}}
	if w >= 76 {
		left = append(left, style.Span{fmt.Sprintf(" %7s", e.After), t.Faint})
	}
	left = append(left, style.Span{" " + dot + " ", look})
	used := left.Width()
	return left.Render() + entryBody(t, *e, w-used, chosen)
}
