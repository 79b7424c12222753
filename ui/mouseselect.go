package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// screenSelection is what the mouse selects of a dialog: cells of the screen, because that is
// what the person sees. A key, the wheel and another dialog end it.
type screenSelection struct {
	on, held bool
	room     style.Rect // it stays in one column of the dialog
	from, to cell       // in the order in which they were touched
	clicks   int        // in one place, shortly after each other
	when     time.Time
}

// cell is a cell of the screen.
type cell struct{ x, y int }

func (s cell) before(other cell) bool { return s.y < other.y || s.y == other.y && s.x < other.x }

// mouseOver is what the mouse does while a dialog is open.
func (m *Model) mouseOver(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.lift = screenSelection{}
		m.wheelPage(at.Button)
	case tea.MouseClickMsg:
		m.beginLift(at)
	case tea.MouseMotionMsg:
		if l := &m.lift; l.held {
			l.to = cell{min(max(at.X, l.room.X), l.room.X+l.room.W-1), min(max(at.Y, l.room.Y), l.room.Y+l.room.H-1)}
			l.on, l.clicks = l.on || l.to != l.from, 0
		}
	case tea.MouseReleaseMsg:
		held := m.lift.held
		m.lift.held = false
		if held && m.lift.on {
			return m.copyText(m.lifted())
		}
	}
	return nil
}

// beginLift begins a selection: a double click takes a word, a triple one a row.
func (m *Model) beginLift(at tea.Mouse) {
	last, now := m.lift, m.now()
	m.lift = screenSelection{}
	r, _ := m.dialog.draw(m, m.size.main)
	room := r.Inner()
	if at.Button != tea.MouseLeft || !room.Contains(at.X, at.Y) {
		return
	}
	if p, ok := m.dialog.(*diffPage); ok {
		room = p.columnAt(room, at.X)
	}
	here := cell{at.X, at.Y}
	l := screenSelection{held: true, room: room, from: here, to: here, clicks: 1, when: now}
	if last.clicks > 0 && last.room == room && last.to.y == at.Y && now.Sub(last.when) < twice {
		l.clicks += last.clicks
	}
	switch (l.clicks - 1) % 3 {
	case 1:
		l.from.x, l.to.x = wordAt(m.plainRow(at.Y), at.X)
		l.on = true
	case 2:
		l.from.x, l.to.x = room.X, room.X+room.W-1
		l.on = true
	}
	m.lift = l
}

// span is what is selected in a row: cells from one on up to another.
func (l *screenSelection) span(y int) (begin, end int) {
	from, to := l.from, l.to
	if to.before(from) {
		from, to = to, from
	}
	if !l.on || y < from.y || y > to.y {
		return 0, 0
	}
	begin, end = l.room.X, l.room.X+l.room.W
	if y == from.y {
		begin = from.x
	}
	if y == to.y {
		end = to.x + 1
	}
	return begin, end
}

// paintLift draws what is selected over the rows of a frame.
func (m *Model) paintLift(lines []string) {
	for y, line := range lines {
		if begin, end := m.lift.span(y); end > begin {
			begin, end = whole(columnsIn(ansi.Strip(line)), begin, end)
			lines[y] = style.Splice(line, begin, m.theme.Chosen.Render(ansi.Strip(ansi.Cut(line, begin, end))), m.size.w)
		}
	}
}

// lifted is the text that is selected.
func (m *Model) lifted() string {
	var rows []string
	for y := range m.size.h {
		begin, end := m.lift.span(y)
		if end <= begin {
			continue
		}
		cells := columnsIn(m.plainRow(y))
		begin, end = whole(cells, begin, end)
		rows = append(rows, strings.TrimRight(strings.Join(cells[begin:min(end, len(cells))], ""), " "))
	}
	return strings.Join(rows, "\n")
}

// plainRow is a row of the screen as text.
func (m *Model) plainRow(y int) string {
	lines, _ := m.frame()
	return ansi.Strip(lines[y])
}

// columnsIn are the characters of a row by the cell they begin at; the rest of a
// wide one is empty.
func columnsIn(row string) (cells []string) {
	for row != "" {
		cluster, n := ansi.FirstGraphemeCluster(row, ansi.GraphemeWidth)
		row = row[len(cluster):]
		cells = append(cells, cluster)
		for range n - 1 {
			cells = append(cells, "")
		}
	}
	return cells
}

// whole widens a span of cells to whole characters.
func whole(cells []string, begin, end int) (int, int) {
	for begin > 0 && begin < len(cells) && cells[begin] == "" {
		begin--
	}
	for end < len(cells) && cells[end] == "" {
		end++
	}
	return begin, end
}

// wordAt is the word around a cell.
func wordAt(row string, x int) (first, last int) {
	cells := columnsIn(row)
	first, last = x, x
	if x >= len(cells) || !inWord(cells[x]) {
		return x, x
	}
	for first > 0 && inWord(cells[first-1]) {
		first--
	}
	for last < len(cells)-1 && inWord(cells[last+1]) {
		last++
	}
	return first, last
}

// copyText hands text out for the clipboard; Ctrl+Y at the prompt brings it, too.
func (m *Model) copyText(s string) tea.Cmd {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	m.prompt.killed = text.SanitizeLines(s)
	return m.carry(Copy{s})
}
