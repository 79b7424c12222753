package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// diffPage is what the task changed: its files, and under each the lines. A file
// that was looked through is folded.
type diffPage struct {
	change  view.Diff
	error   string
	loading bool
	files   []int    // the row each file begins at, as drawn last
	ids     []string // of the patches, by [FilePatch.Mark]
	at      struct {
		w      int
		theme  *style.Theme
		viewed int // marks when it was drawn
		rows   []string
	}
	marks int // counts changes of the marks
	list  int // how wide the list of files is, as drawn last; 0: there is none
	now   int // the file that is read
	pager
}

// openDiff shows the page at once; what it is about comes when it is read.
func (m *Model) openDiff() tea.Cmd {
	m.dialog = &diffPage{loading: true}
	return m.carry(LoadDiff{})
}

// compare takes what was read, if somebody still looks at it.
func (m *Model) compare(msg DiffMsg) {
	if p, ok := m.dialog.(*diffPage); ok {
		p.change, p.error, p.loading = msg.Change, text.Sanitize(msg.Error), false
		p.marks, p.now, p.top = p.marks+1, 0, 0
		p.files = make([]int, len(p.change.Files)) // until it is drawn
		p.ids = p.ids[:0]
		for i := range p.change.Files {
			p.ids = append(p.ids, p.change.Files[i].Mark())
		}
	}
}

// filesWide is how wide the list of files is, where there is room for one.
const filesWide = 34

func (p *diffPage) draw(m *Model, room style.Rect) (style.Rect, []string) {
	t := m.theme
	title := style.Edge{Left: style.Spans{{" diff", t.Strong}, {p.since(room.W), t.Faint}}, Right: p.sum(m)}
	inner := room.Inner()
	if why := p.note(); why != "" {
		foot := style.Edge{Left: style.Spans{{" Esc closes", t.Faint}}}
		return room, t.Box(room, t.Focused, title, foot, style.Note(inner.W, inner.H, why, t.Faint))
	}
	p.list = 0
	if inner.W >= 110 {
		p.list = filesWide
	}
	rows := p.window(t, p.drawn(m, inner.W-p.list), inner.H)
	foot := style.Edge{Left: style.Spans{{p.foot(room.W, "[ ] files  v viewed  r again  Esc closes"), t.Faint}}}
	if p.list > 0 {
		rows = style.Beside(p.names(m, p.list, inner.H), style.PadRows(rows, inner.W-p.list, inner.H))
	}
	return room, t.Box(room, t.Focused, title, foot, rows)
}

func (p *diffPage) since(w int) string {
	switch {
	case p.change.Base == "":
		return ""
	case w < 72:
		return "  since " + p.change.Base
	}
	return "  since " + p.change.Base + ", as of " + p.change.At
}

// note is why there is nothing to see.
func (p *diffPage) note() string {
	switch {
	case p.loading:
		return "reading what the task changed"
	case p.error != "":
		return p.error
	case len(p.change.Files) == 0:
		return "nothing is changed since the task began"
	}
	return ""
}

// sum counts the files and lines, and the files that were looked through.
func (p *diffPage) sum(m *Model) style.Spans {
	if p.note() != "" {
		return nil
	}
	added, removed, seen := 0, 0, 0
	for i := range p.change.Files {
		f := &p.change.Files[i]
		added, removed = added+f.Added, removed+f.Removed
		if m.viewed.marked[p.ids[i]] {
			seen++
		}
	}
	return style.Spans{
		{text.Count(len(p.change.Files), "file") + " ", ""}, {fmt.Sprintf("+%d", added), m.theme.Tones[style.Good]}, {" ", ""},
		{fmt.Sprintf("-%d", removed), m.theme.Removed}, {fmt.Sprintf("  viewed %d", seen), m.theme.Faint},
	}
}

// drawn is all rows, kept until the width, the theme or a mark changes.
func (p *diffPage) drawn(m *Model, w int) []string {
	if d := &p.at; d.rows != nil && d.w == w && d.theme == m.theme && d.viewed == p.marks {
		return d.rows
	}
	var rows []string
	p.files = p.files[:0]
	for i := range p.change.Files {
		f := &p.change.Files[i]
		if i > 0 {
			rows = append(rows, text.Blanks(w))
		}
		p.files = append(p.files, len(rows))
		rows = append(rows, m.fileRow(f, w, m.viewed.marked[p.ids[i]]))
		if !m.viewed.marked[p.ids[i]] {
			rows = append(rows, patchLines(m.theme, f, w)...)
		}
	}
	p.at.w, p.at.theme, p.at.viewed, p.at.rows = w, m.theme, p.marks, rows
	return rows
}

// fileRow is the head of a file.
func (m *Model) fileRow(f *view.FilePatch, w int, viewed bool) string {
	t := m.theme
	mark, look := " ▾ ", t.Strong
	if viewed {
		mark, look = " ✓ ", t.Faint
	}
	right := style.Spans{{fmt.Sprintf(" +%d", f.Added), t.Tones[style.Good]}, {fmt.Sprintf(" -%d ", f.Removed), t.Removed}}
	return style.Row(w, style.Spans{{mark, t.Focused}, {tailOf(f.Path, w-4-right.Width()), look}}, right)
}

// file is the one at the top.
func (p *diffPage) file() int {
	for i := len(p.files) - 1; i > 0; i-- {
		if p.files[i] <= p.top {
			return i
		}
	}
	return 0
}

// columnAt is the list of files or the text, whichever is at a column.
func (p *diffPage) columnAt(inner style.Rect, x int) style.Rect {
	if x < inner.X+p.list {
		inner.W = p.list - 2 // without the border between them
		return inner
	}
	inner.X, inner.W = inner.X+p.list, inner.W-p.list
	return inner
}

// names is the files in a column of their own.
func (p *diffPage) names(m *Model, w, h int) (rows []string) {
	t, now := m.theme, min(p.now, len(p.change.Files)-1)
	first := max(now-h+2, 0)
	for i := first; i < len(p.change.Files) && len(rows) < h; i++ {
		f := &p.change.Files[i]
		mark, look := [2]string{" ", " "}, style.Paint("")
		if m.viewed.marked[p.ids[i]] {
			mark[0], look = "✓", t.Faint
		}
		if i == now {
			mark[1], look = "▸", t.Strong
		}
		right := style.Spans{{fmt.Sprintf(" +%d", f.Added), t.Tones[style.Good]}, {fmt.Sprintf(" -%d", f.Removed), t.Removed}}
		name := tailOf(f.Path, w-5-right.Width())
		rows = append(rows, style.Row(w-2, style.Spans{{mark[0] + mark[1] + " ", t.Focused}, {name, look}}, right)+t.Border.Render(" │"))
	}
	for len(rows) < h {
		rows = append(rows, text.Blanks(w-2)+t.Border.Render(" │"))
	}
	return rows
}

// tailOf is the end of a path, which says most of it.
func tailOf(path string, w int) string {
	if text.Width(path) <= w || w < 2 {
		return text.Cut(path, w)
	}
	runes := []rune(path)
	for text.Width(string(runes)) > w-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

func (p *diffPage) press(m *Model, name string) (dialog, Intent) {
	switch {
	case p.pager.press(name):
		p.now = p.file()
	case name == "esc" || name == "q" || m.does(name, "leave") || m.opens(name):
		return nil, nil
	case p.note() != "" && name != "r":
	case name == "]" || name == "tab":
		p.turn(+1)
	case name == "[" || name == "shift+tab":
		p.turn(-1)
	case name == "v":
		return p, p.view(m)
	case name == "r":
		p.loading = true
		return p, LoadDiff{}
	}
	return p, nil
}

// move scrolls, and with that goes to another file.
func (p *diffPage) move(by int) {
	p.pager.move(by)
	p.now = p.file()
}

// turn shows another file from its beginning.
func (p *diffPage) turn(by int) {
	if by < 0 && p.now < len(p.files) && p.top > p.files[p.now] {
		by = 0 // first to the head of this one
	}
	p.now = max(min(p.now+by, len(p.files)-1), 0)
	p.top = p.files[p.now]
}

// view marks the file that is read as looked through, which folds it, or takes
// the mark away.
func (p *diffPage) view(m *Model) Intent {
	m.viewed.turn(p.ids[p.now])
	p.marks++
	p.top = p.files[p.now]
	return m.kept()
}
