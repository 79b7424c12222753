package ui

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// numberTasks is the number of the list of tasks.
const numberTasks = 7

// taskList is what the human did to the list of tasks.
type taskList struct {
	hidden bool
	cursor int    // the row that the keys are on, among the matching ones
	on     string // its number
	top    int    // the first row that is drawn
	// scrolled is the chosen row, from 1, while the wheel may have moved the list away from it; 0: it is drawn.
	scrolled int
	filter   string // only rows that contain it are listed
	typing   bool   // keys go to the filter
	// pending is the line that waits for its task to be selected; zero: none does.
	pending intent.InTask
}

// listColumns returns how wide the list is on a screen of w columns; 0: it is not drawn.
func (s *screen) listColumns(w, h int) int {
	if s.tasks.hidden || s.zoomed || len(s.view.Tasks.Rows) == 0 || w < 100 || h < 26 {
		return 0
	}
	return max(min(w/4, 44), 30)
}

// hasList reports whether the list is drawn.
func (s *screen) hasList() bool { return s.list.W > 0 }

// follow keeps the keys on their task when the rows have changed.
func (l *taskList) follow(all view.Tasks) {
	is := func(r view.TaskRow) bool { return r.Number == l.on }
	if at := slices.IndexFunc(all.Matching(l.filter), is); at >= 0 {
		l.cursor = at
	}
}

// toggleTasks hides the list of tasks or shows it; where there is no room for it, it is a page.
func toggleTasks(m *Model, _ string) tea.Cmd {
	s := &m.screen
	switch {
	case len(m.view.Tasks.Rows) == 0:
		m.say("There is no other task: ferrus task add queues one", false)
		return nil
	case s.listColumns(s.w, s.h) == 0 && !s.tasks.hidden:
		return m.do(dialog.Open{Dialog: dialog.Tasks()})
	}
	s.tasks.hidden = !s.tasks.hidden
	if s.focus == numberTasks {
		s.focus, s.chosen = 0, 0
	}
	s.arrange()
	return m.fitPanes()
}

// focusTasks gives the keys to the list of tasks, or opens the page.
func focusTasks(m *Model, key string) tea.Cmd {
	s := &m.screen
	s.tasks.hidden = false
	if s.arrange(); !s.hasList() {
		return toggleTasks(m, key)
	}
	before := m.reportFocus(false)
	s.focus, s.tasks.typing = numberTasks, false
	rows := m.view.Tasks.Matching(s.tasks.filter)
	s.tasks.cursor = max(slices.IndexFunc(rows, func(r view.TaskRow) bool { return r.ID == m.view.Tasks.Selected }), 0)
	if len(rows) > 0 {
		s.tasks.on = rows[s.tasks.cursor].Number
	}
	return tea.Batch(before, m.fitPanes())
}

// pressInTasks does a key in the list.
func (m *Model) pressInTasks(msg tea.KeyPressMsg) tea.Cmd {
	s, key := &m.screen, msg.Keystroke()
	l := &s.tasks
	if l.typing {
		return m.typeFilter(msg)
	}
	switch {
	case key == "enter":
		if words := m.notBegun(); words != "" {
			m.say(words, false)
			return nil
		}
		return tea.Batch(m.selectTask(), m.leave())
	case key == "n":
		return m.nextNeeding()
	case key == "/":
		l.typing, l.filter, l.cursor = true, "", 0
		return nil
	case key == "esc" && l.filter != "":
		l.filter = ""
		return nil
	}
	if done, cmd := m.act(keys.InView, key); done {
		return cmd
	}
	if m.keys.Action(keys.InView, key) == dialog.Close {
		return m.leave()
	}
	if by := m.keys.Scroll(keys.InView, key, max(s.list.H-2, 1)); by != 0 {
		l.cursor += by
		return m.selectTask()
	}
	return nil
}

// notBegun returns why the task under the cursor has nothing to show yet; empty: it has.
func (m *Model) notBegun() string {
	l := &m.screen.tasks
	rows := m.view.Tasks.Matching(l.filter)
	if l.cursor < 0 || l.cursor >= len(rows) || rows[l.cursor].ID != "" {
		return ""
	}
	return rows[l.cursor].NotStarted()
}

// typeFilter gives a key to the filter.
func (m *Model) typeFilter(msg tea.KeyPressMsg) tea.Cmd {
	l := &m.screen.tasks
	switch key := msg.Keystroke(); {
	case key == "enter": // the panes show what the cursor is on
		l.typing = false
		return m.selectTask()
	case key == "esc":
		l.typing, l.filter = false, ""
	case key == "backspace" && l.filter != "":
		_, size := utf8.DecodeLastRuneInString(l.filter)
		l.filter = l.filter[:len(l.filter)-size]
	case msg.Text != "":
		l.filter += text.Sanitize(msg.Text)
	default:
		_, cmd := m.act(keys.InView, key)
		return cmd
	}
	l.cursor = 0
	return nil
}

// selectTask selects the task under the cursor, if it has begun.
func (m *Model) selectTask() tea.Cmd {
	rows := m.view.Tasks.Matching(m.screen.tasks.filter)
	if len(rows) == 0 {
		return nil
	}
	l := &m.screen.tasks
	l.cursor = max(min(l.cursor, len(rows)-1), 0)
	r := rows[l.cursor]
	l.on = r.Number
	if r.ID == "" || r.ID == m.view.Tasks.Selected {
		return nil
	}
	return m.do(intent.SelectTask{ID: r.ID})
}

// nextNeeding selects the next task below the cursor that needs the human.
func (m *Model) nextNeeding() tea.Cmd {
	l := &m.screen.tasks
	if next := view.NextNeeding(m.view.Tasks.Matching(l.filter), l.cursor); next >= 0 {
		l.cursor = next
		return m.selectTask()
	}
	m.say(view.NoTaskNeedsYou, false)
	return nil
}

// clickTask selects the task that is drawn at a row of the screen.
func (m *Model) clickTask(y int) tea.Cmd {
	s := &m.screen
	rows := m.view.Tasks.Matching(s.tasks.filter)
	cmd := focusTasks(m, "")
	at := s.tasks.top + (y-s.list.Y-1)/rowHeight(len(rows), s.list.H-2)
	if y <= s.list.Y || at >= len(rows) {
		return cmd
	}
	s.tasks.cursor = at
	return tea.Batch(cmd, m.selectTask())
}

// chosenTask returns the row that has the mark.
func (s *screen) chosenTask(rows []view.TaskRow) int {
	if s.focus == numberTasks {
		return max(min(s.tasks.cursor, len(rows)-1), 0)
	}
	return max(slices.IndexFunc(rows, func(r view.TaskRow) bool { return r.ID == s.view.Tasks.Selected }), 0)
}

// scrollTasks scrolls the list of tasks. It stays there until another row is chosen.
func (s *screen) scrollTasks(rows int) {
	matching := s.view.Tasks.Matching(s.tasks.filter)
	s.tasks.top += rows // the next frame keeps it in bounds
	s.tasks.scrolled = s.chosenTask(matching) + 1
}

// rowHeight returns how many lines a row has: two where all rows have room for that.
func rowHeight(rows, h int) int {
	if 2*rows <= h {
		return 2
	}
	return 1
}

// taskBox draws the list of tasks.
func (f frame) taskBox(r style.Rect) []string {
	t, inner, l := f.t, r.Inner(), &f.screen.tasks
	rows := f.view.Tasks.Matching(l.filter)
	height := rowHeight(len(rows), inner.H)
	room := inner.H / height
	at := f.screen.chosenTask(rows)
	if l.scrolled != at+1 {
		l.scrolled, l.top = 0, max(min(l.top, at), at-room+1)
	}
	l.top = max(min(l.top, len(rows)-room), 0)
	shown := rows[l.top:min(l.top+room, len(rows))]
	columns := 0
	if height == 1 {
		columns = nameColumns(shown, inner.W)
	}
	var body []string
	for i := l.top; i < min(l.top+room, len(rows)); i++ {
		body = append(body, f.taskRow(rows[i], inner.W, f.screen.focus == numberTasks && i == at, columns))
		if height == 2 {
			words := style.Span{"     " + cutDetail(rows[i], inner.W-6), t.Faint}
			body = append(body, style.Row(inner.W, style.Spans{words}, nil))
		}
	}
	if len(rows) == 0 {
		body = style.Note(inner.W, inner.H, "No task matches "+l.filter, t.Faint)
	}
	border, mark := f.border(numberTasks)
	// Without its number: "7 tasks" reads as a count.
	title := text.Count(len(f.view.Tasks.Rows), "task")
	top := style.Edge{Left: style.Spans{{mark, t.Focused}, {title, f.titleLook(numberTasks)}}}
	if l.typing || l.filter != "" {
		top.Left = append(top.Left, style.Span{" /" + text.Cut(l.filter, inner.W/2), t.Tones[style.Busy]})
	}
	switch all := len(f.view.Tasks.Rows); {
	case room < len(rows):
		top.Right = style.Spans{{style.Position(l.top, room, len(rows)), t.Faint}}
	case len(rows) < all:
		top.Right = style.Spans{{fmt.Sprintf("%d of %d", len(rows), all), t.Faint}}
	}
	return t.Box(r, border, top, style.Edge{}, body)
}

// detail returns the second line of a row.
func detail(r view.TaskRow) string {
	words := cmp.Or(r.Why, r.State.Text)
	if r.Counts != "" {
		words += "  " + r.Counts
	}
	return words
}

// cutDetail returns as much of the detail as there is room for. Of the counts alone no dots are left.
func cutDetail(r view.TaskRow, w int) string {
	words, least := cmp.Or(r.Why, r.State.Text), min(text.Width(r.Counts), 6)
	if used := text.Width(words); used <= w && used+2+least > w {
		return words
	}
	return text.Cut(detail(r), w)
}

// beforeName is what a row has before its name: a mark, a dot and a blank.
const beforeName = 3

// nameColumns returns how wide the names are in rows of one line, which are w wide: what the details leave,
// and at least two thirds: many tasks wait for the same, and differ in their titles.
func nameColumns(rows []view.TaskRow, w int) int {
	name, after, age := 0, 0, 0
	for _, r := range rows {
		name = max(name, text.Width(r.Number+" "+r.Title))
		after = max(after, text.Width(detail(r)))
		age = max(age, text.Width(ageOf(r)))
	}
	room := w - beforeName - age - 2
	return max(min(name, max(2*room/3, room-after)), 1)
}

// ageOf returns the end of a row.
func ageOf(r view.TaskRow) string {
	if r.Age == "" {
		return ""
	}
	return " " + r.Age + " "
}

// taskRow draws the first line of a row, or, with columns for its name, the only one, which has the detail, too.
func (f frame) taskRow(r view.TaskRow, w int, chosen bool, columns int) string {
	t, look := f.t, style.Paint("")
	mark := " "
	switch {
	case chosen:
		mark, look = ">", t.Strong
	case r.ID == f.view.Tasks.Selected && r.ID != "" && f.screen.focus != numberTasks:
		mark, look = ">", t.Strong
	case r.ID == "":
		look = t.Faint
	}
	dot := "●"
	if r.ID == "" {
		dot = "○"
	}
	left := style.Spans{{mark, t.Focused}, {dot + " ", t.Tones[r.State.Tone]}}
	name, age := r.Number+" "+r.Title, ageOf(r)
	if columns == 0 {
		left = append(left, style.Span{text.Cut(name, w-left.Width()-text.Width(age)), look})
	} else {
		left = append(left, style.Span{text.Fit(name, columns) + "  ", look})
		left = append(left, style.Span{cutDetail(r, w-left.Width()-text.Width(age)), t.Faint})
	}
	return style.Row(w, left, style.Spans{{age, t.Faint}})
}
