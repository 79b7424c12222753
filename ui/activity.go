package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// boxLook is the border and the mark of a box with a number.
func (m *Model) boxLook(n int) (style.Paint, string) {
	border, mark := m.theme.Border, " "
	if m.screen.focus == n {
		border = m.theme.Focused
	}
	if m.screen.focus == n || m.screen.chosen == n {
		mark = "▸"
	}
	return border, mark
}

// activityBox shows the end of the journal.
func (m *Model) activityBox(r style.Rect) []string {
	t, inner := m.theme, r.Inner()
	border, mark := m.boxLook(numberActivity)
	back := m.screen.scroll[numberActivity]
	end := max(len(m.view.Activity)-back, 0)
	var body []string
	begin := max(end-inner.H, 0)
	for i, e := range m.view.Activity[begin:end] {
		chosen := m.screen.focus == numberActivity && begin+i == len(m.view.Activity)-1-m.screen.entry
		body = append(body, entryRow(t, e, inner.W, chosen))
	}
	if len(body) == 0 {
		body = style.Note(inner.W, inner.H, "the journal has no entries", t.Faint)
	}
	var state style.Spans
	if back > 0 {
		state = style.Spans{{fmt.Sprintf("%d back", back), t.Tones[style.Warn]}}
	}
	return t.Box(r, border, style.Edge{Left: style.Spans{{mark, t.Focused}, {"activity", t.Strong}}, Right: state}, style.Edge{}, body)
}

// choose goes to another entry of the activity, and reports whether that was
// what a key meant.
func (m *Model) choose(name string) bool {
	h := max(m.place(numberActivity).Inner().H, 1)
	by, ok := map[string]int{"up": 1, "k": 1, "down": -1, "j": -1, "pgup": h, "pgdown": -h, "home": 1 << 20, "end": -1 << 20}[name]
	if ok {
		m.screen.entry = max(min(m.screen.entry+by, len(m.view.Activity)-1), 0)
		back := m.screen.scroll[numberActivity]
		m.scrollTo(numberActivity, max(min(back, m.screen.entry), m.screen.entry-h+1))
	}
	return ok
}

// opened is the log at the chosen entry, with its story asked for.
func (m *Model) opened() tea.Cmd {
	at := max(len(m.view.Activity)-1-m.screen.entry, 0)
	m.dialog = openLogAt(m.view.Activity[at].EntryID)
	return m.carry(LoadEntry{m.view.Activity[at].EntryID})
}

// barCells is how long the bar of a command is that took as long as the last time.
const barCells = 8

// paceColumns are what stands at the right of the commands.
type paceColumns struct {
	took int
	bars bool
}

// paceColumnsOf are the same for all commands: bars where one has a last time and there
// is room for it.
func paceColumnsOf(c *view.Check, w int) (p paceColumns) {
	for _, r := range c.Rows {
		p.took, p.bars = max(p.took, text.Width(r.Took)), p.bars || r.Share > 0 && w >= 50
	}
	return p
}

// pace is how long a command took, beside a bar of how long it took the last time.
func pace(t *style.Theme, r view.CheckRow, in paceColumns) style.Spans {
	var bar style.Spans
	if in.bars {
		full := min((r.Share*barCells+50)/100, barCells)
		look := t.Tones[style.Dim]
		if r.Share > 120 {
			look = t.Tones[style.Warn]
		}
		bar = style.Spans{{strings.Repeat("■", full), look}, {strings.Repeat("·", barCells-full), t.Faint}, {" ", ""}}
		if r.Share > 120 {
			bar = style.Spans{{strings.Repeat("■", barCells-1) + "+", look}, {" ", ""}}
		}
		if r.Share == 0 {
			bar = style.Spans{{text.Blanks(barCells + 1), ""}}
		}
	}
	return append(bar, style.Span{text.Blanks(in.took-text.Width(r.Took)) + r.Took + " ", t.Faint})
}

// checkPage is the newest gate on the whole screen, as it goes on.
func checkPage() *page {
	edges := func(m *Model) [2]style.Edge {
		log := style.Edge{}
		if m.view.Check.Log != "" {
			log.Right = style.Spans{{m.view.Check.Log, m.theme.Faint}}
		}
		return [2]style.Edge{m.checkTitle(" "), log}
	}
	return &page{kind: DialogCheck, edges: edges, full: true, lines: func(m *Model, w int) []string { return m.checkLines(w) }, pager: pager{tail: true}}
}

// The columns of the journal: an event has the longest common name's room where
// there is some, and a move has its own column where there is much.
const (
	eventRoom, eventLeast = len("wait_for_consult"), len("check FAIL ")
	moveRoom              = len("Consultation -> AwaitingHuman")
	whyLeast              = 8 // a reason that is cut shorter says nothing
)

// entry is one line of the journal in w cells. The reason goes first when it is
// narrow, then where the move came from, then who did it.
func entryRow(t *style.Theme, e view.Entry, w int, chosen bool) string {
	at := " " + e.At + " "
	return style.Spans{{at, t.Faint}}.Render() + entryBody(t, e, w-text.Width(at), chosen)
}

// entryOf is an entry without its time.
func entryBody(t *style.Theme, e view.Entry, w int, chosen bool) string {
	room, event := eventLeast, t.Tones[e.Tone]
	if chosen {
		event = t.Chosen
	}
	if w >= 49 {
		room = eventRoom
	}
	left := style.Spans{{text.Fit(e.Event, room), event}, {"  ", ""}}
	right := style.Spans{{"  " + e.By + " ", t.Faint}}
	move := transition(t, e)
	if left.Width()+move.Width()+right.Width() > w && e.From.Text != "" && e.To.Text != "" {
		move = move[1:]
	}
	column := move.Width()
	if w >= 83 {
		column = moveRoom
	}
	rest := w - left.Width() - column - right.Width()
	left = append(left, move...)
	if rest < 0 {
		return style.Row(w, left, nil)
	}
	left = append(left, style.Span{text.Blanks(column - move.Width()), ""})
	if column > 0 && rest > 2 {
		left, rest = append(left, style.Span{"  ", ""}), rest-2
	}
	if text.Width(e.Why) <= rest || rest >= whyLeast {
		left = append(left, style.Span{e.Why, t.Faint})
	}
	return style.Row(w, left, right)
}

// move is the change of state that an entry made, if it made one, or that it was
// refused.
func transition(t *style.Theme, e view.Entry) style.Spans {
	if e.Refused != 0 {
		return style.Spans{{"refused", t.Tones[style.Bad]}}
	}
	if e.To.Text == "" {
		return nil
	}
	to := style.Spans{{"-> ", t.Faint}, {e.To.Text, t.Tones[e.To.Tone]}}
	if e.From.Text == "" {
		return to
	}
	return append(style.Spans{{e.From.Text + " ", t.Tones[e.From.Tone]}}, to...)
}

// checkBox shows the newest gate: its commands, then its newest output.
func (m *Model) checkBox(r style.Rect) []string {
	t, inner := m.theme, r.Inner()
	border, mark := m.boxLook(numberCheck)
	body := m.checkLines(inner.W)
	if m.screen.scroll[numberCheck] == 0 && len(body) > inner.H {
		body = m.checkFit(inner.W, inner.H)
	} else if over := len(body) - inner.H; over > 0 {
		top := max(over-m.screen.scroll[numberCheck], 0)
		body = body[top : top+inner.H]
	}
	if len(body) == 0 {
		body = style.Note(inner.W, inner.H, "no check yet: /check runs the gate", t.Faint)
	}
	return t.Box(r, border, m.checkTitle(mark), style.Edge{}, body)
}

// checkTitle is which gate it is, and how it went.
func (m *Model) checkTitle(mark string) style.Edge {
	t, c := m.theme, &m.view.Check
	title := style.Spans{{mark, t.Focused}, {c.Title, t.Strong}}
	if c.State != "" {
		title = append(title, style.Span{"  " + c.State, t.Tones[c.Tone]})
	}
	if c.Took == "" {
		return style.Edge{Left: title}
	}
	return style.Edge{Left: title, Right: style.Spans{{c.Took, ""}}}
}

// checkFit is all commands, and as much of the newest output as there is room for.
func (m *Model) checkFit(w, h int) []string {
	all := m.checkLines(w)
	rows := min(len(m.view.Check.Rows), h)
	return append(all[:rows:rows], all[len(all)-(h-rows):]...)
}

func (m *Model) checkLines(w int) (lines []string) {
	t, c := m.theme, &m.view.Check
	columns := paceColumnsOf(c, w)
	for _, r := range c.Rows {
		left := style.Spans{{" " + text.Fit(r.Mark, 5), t.Tones[r.Tone]}, {r.Command, ""}}
		if r.Detail != "" {
			left = append(left, style.Span{"  " + r.Detail, t.Faint})
		}
		lines = append(lines, style.Row(w, left, append(style.Spans{{" ", ""}}, pace(t, r, columns)...)))
	}
	if c.Why != "" {
		lines = append(lines, style.Row(w, style.Spans{{" " + c.Why, t.Tones[c.Tone]}}, nil))
	}
	for _, l := range c.Lines {
		lines = append(lines, style.Row(w, style.Spans{{" " + l, t.Faint}}, nil))
	}
	return lines
}
