package pager

import (
	"fmt"
	"slices"

	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// Log is a pager over the journal as a timeline, in which one entry is chosen. The
// entries are handed in at each call, and may have grown since the last.
type Log struct {
	Pager
	entry  view.EntryID // the chosen one; zero: the newest, whichever that is
	rows   []int        // the row of each entry, as drawn last
	placed bool         // the chosen entry was brought into sight once
}

// NewLog returns a log at an entry; the zero EntryID is the newest.
func NewLog(at view.EntryID) *Log {
	return &Log{Pager: Pager{tail: at == view.EntryID{}}, entry: at}
}

// Chosen returns the index of the chosen entry, or -1 when there is none.
func (l *Log) Chosen(all []view.Entry) int {
	if i := slices.IndexFunc(all, func(e view.Entry) bool { return e.EntryID == l.entry }); i >= 0 {
		return i
	}
	for i := len(all) - 1; i >= 0; i-- { // it is gone: the previous one
		if l.entry.Seq != 0 && all[i].Seq <= l.entry.Seq {
			return i
		}
	}
	return len(all) - 1
}

// Draw returns the rows that are shown in w x h cells.
func (l *Log) Draw(t *style.Theme, all []view.Entry, w, h int) []string {
	rows, day, chosen := []string{}, "", l.Chosen(all)
	l.rows = l.rows[:0]
	for i := range all {
		if e := &all[i]; e.Day != day {
			day = e.Day
			rows = append(rows, style.Row(w, style.Spans{{" " + day, t.Strong}}, nil))
		}
		l.rows = append(l.rows, len(rows))
		rows = append(rows, timelineRow(t, &all[i], w, i == chosen))
	}
	if len(all) == 0 {
		rows = []string{style.Row(w, style.Spans{{" The journal has no entries", t.Faint}}, nil)}
	}
	if (!l.placed || h != l.height) && len(all) > 0 { // a smaller screen may have hidden it
		l.count, l.height, l.placed = len(rows), h, true
		l.bringIntoSight(chosen)
	}
	return l.Window(t, rows, h)
}

// Count says how many entries there are.
func (l *Log) Count() string {
	if len(l.rows) == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", len(l.rows))
}

// bringIntoSight scrolls as little as shows an entry, with the day over the first.
func (l *Log) bringIntoSight(i int) {
	if i < 0 || i >= len(l.rows) {
		return
	}
	row := l.rows[i]
	first := row
	if i == 0 {
		first = 0
	}
	l.top = max(min(l.top, first), row-l.height+1)
	l.tail = false
}

// Press handles a key that chooses or searches, and reports whether it was one.
func (l *Log) Press(m keys.Map, all []view.Entry, key string) bool {
	if by := m.Scroll(keys.InLog, key, l.page()); by != 0 && !l.typing && len(all) > 0 {
		l.choose(all, max(min(l.Chosen(all)+by, len(all)-1), 0))
		return true
	}
	if !l.Pager.Press(m, keys.InLog, key) {
		return false
	}
	l.followSearch(all)
	return true
}

// choose chooses an entry. The newest stays chosen when newer ones come.
func (l *Log) choose(all []view.Entry, i int) {
	l.entry = all[i].EntryID
	l.bringIntoSight(i)
	if l.tail = i == len(all)-1; l.tail {
		l.entry = view.EntryID{}
	}
}

// followSearch chooses the entry that a search has come to.
func (l *Log) followSearch(all []view.Entry) {
	if l.query == "" {
		return
	}
	for i, row := range l.rows {
		if row >= l.top && slices.Contains(l.hits, row) {
			l.entry = all[i].EntryID
			return
		}
	}
}
