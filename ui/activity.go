package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
)

// boxLook is the border and the mark of a box with a number.
func (m *Model) boxLook(n int) (Paint, string) {
	border, mark := m.theme.border, " "
	if m.screen.focus == n {
		border = m.theme.focused
	}
	if m.screen.focus == n || m.screen.chosen == n {
		mark = "▸"
	}
	return border, mark
}

// activityBox shows the end of the journal.
func (m *Model) activityBox(r rect) []string {
	t, inner := m.theme, r.inner()
	border, mark := m.boxLook(numberActivity)
	back := m.screen.scroll[numberActivity]
	end := max(len(m.view.Activity)-back, 0)
	var body []string
	begin := max(end-inner.h, 0)
	for i, e := range m.view.Activity[begin:end] {
		chosen := m.screen.focus == numberActivity && begin+i == len(m.view.Activity)-1-m.screen.entry
		body = append(body, t.entry(e, inner.w, chosen))
	}
	if len(body) == 0 {
		body = note(inner.w, inner.h, "the journal has no entries", t.faint)
	}
	var state spans
	if back > 0 {
		state = spans{{fmt.Sprintf("%d back", back), t.tones[Warn]}}
	}
	return t.box(r, border, words{spans{{mark, t.focused}, {"activity", t.strong}}, state}, words{}, body)
}

// choose goes to another entry of the activity, and reports whether that was
// what a key meant.
func (m *Model) choose(name string) bool {
	h := max(m.place(numberActivity).inner().h, 1)
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

// columns are the same for all commands: bars where one has a last time and there
// is room for it.
func (c *Check) columns(w int) (p paceColumns) {
	for _, r := range c.Rows {
		p.took, p.bars = max(p.took, text.Width(r.Took)), p.bars || r.Share > 0 && w >= 50
	}
	return p
}

// pace is how long a command took, beside a bar of how long it took the last time.
func (t *Theme) pace(r CheckRow, in paceColumns) spans {
	var bar spans
	if in.bars {
		full := min((r.Share*barCells+50)/100, barCells)
		look := t.tones[Dim]
		if r.Share > 120 {
			look = t.tones[Warn]
		}
		bar = spans{{strings.Repeat("■", full), look}, {strings.Repeat("·", barCells-full), t.faint}, {" ", ""}}
		if r.Share > 120 {
			bar = spans{{strings.Repeat("■", barCells-1) + "+", look}, {" ", ""}}
		}
		if r.Share == 0 {
			bar = spans{{text.Blanks(barCells + 1), ""}}
		}
	}
	return append(bar, span{text.Blanks(in.took-text.Width(r.Took)) + r.Took + " ", t.faint})
}

// checkPage is the newest gate on the whole screen, as it goes on.
func checkPage() *page {
	edges := func(m *Model) [2]words {
		log := words{}
		if m.view.Check.Log != "" {
			log.right = spans{{m.view.Check.Log, m.theme.faint}}
		}
		return [2]words{m.checkTitle(" "), log}
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
func (t *Theme) entry(e Entry, w int, chosen bool) string {
	at := " " + e.At + " "
	return t.rowOf(spans{{at, t.faint}}, t.entryOf(e, w-text.Width(at), chosen))
}

// entryOf is an entry without its time.
func (t *Theme) entryOf(e Entry, w int, chosen bool) string {
	room, event := eventLeast, t.tones[e.Tone]
	if chosen {
		event = t.chosen
	}
	if w >= 49 {
		room = eventRoom
	}
	left := spans{{text.Fit(e.Event, room), event}, {"  ", ""}}
	right := spans{{"  " + e.By + " ", t.faint}}
	move := t.move(e)
	if left.width()+move.width()+right.width() > w && e.From.Text != "" && e.To.Text != "" {
		move = move[1:]
	}
	column := move.width()
	if w >= 83 {
		column = moveRoom
	}
	rest := w - left.width() - column - right.width()
	left = append(left, move...)
	if rest < 0 {
		return row(w, left, nil)
	}
	left = append(left, span{text.Blanks(column - move.width()), ""})
	if column > 0 && rest > 2 {
		left, rest = append(left, span{"  ", ""}), rest-2
	}
	if text.Width(e.Why) <= rest || rest >= whyLeast {
		left = append(left, span{e.Why, t.faint})
	}
	return row(w, left, right)
}

// move is the change of state that an entry made, if it made one, or that it was
// refused.
func (t *Theme) move(e Entry) spans {
	if e.Refused != 0 {
		return spans{{"refused", t.tones[Bad]}}
	}
	if e.To.Text == "" {
		return nil
	}
	to := spans{{"-> ", t.faint}, {e.To.Text, t.tones[e.To.Tone]}}
	if e.From.Text == "" {
		return to
	}
	return append(spans{{e.From.Text + " ", t.tones[e.From.Tone]}}, to...)
}

// checkBox shows the newest gate: its commands, then its newest output.
func (m *Model) checkBox(r rect) []string {
	t, inner := m.theme, r.inner()
	border, mark := m.boxLook(numberCheck)
	body := m.checkLines(inner.w)
	if m.screen.scroll[numberCheck] == 0 && len(body) > inner.h {
		body = m.checkFit(inner.w, inner.h)
	} else if over := len(body) - inner.h; over > 0 {
		top := max(over-m.screen.scroll[numberCheck], 0)
		body = body[top : top+inner.h]
	}
	if len(body) == 0 {
		body = note(inner.w, inner.h, "no check yet: /check runs the gate", t.faint)
	}
	return t.box(r, border, m.checkTitle(mark), words{}, body)
}

// checkTitle is which gate it is, and how it went.
func (m *Model) checkTitle(mark string) words {
	t, c := m.theme, &m.view.Check
	title := spans{{mark, t.focused}, {c.Title, t.strong}}
	if c.State != "" {
		title = append(title, span{"  " + c.State, t.tones[c.Tone]})
	}
	if c.Took == "" {
		return words{left: title}
	}
	return words{title, spans{{c.Took, ""}}}
}

// checkFit is all commands, and as much of the newest output as there is room for.
func (m *Model) checkFit(w, h int) []string {
	all := m.checkLines(w)
	rows := min(len(m.view.Check.Rows), h)
	return append(all[:rows:rows], all[len(all)-(h-rows):]...)
}

func (m *Model) checkLines(w int) (lines []string) {
	t, c := m.theme, &m.view.Check
	columns := c.columns(w)
	for _, r := range c.Rows {
		left := spans{{" " + text.Fit(r.Mark, 5), t.tones[r.Tone]}, {r.Command, ""}}
		if r.Detail != "" {
			left = append(left, span{"  " + r.Detail, t.faint})
		}
		lines = append(lines, row(w, left, append(spans{{" ", ""}}, t.pace(r, columns)...)))
	}
	if c.Why != "" {
		lines = append(lines, row(w, spans{{" " + c.Why, t.tones[c.Tone]}}, nil))
	}
	for _, l := range c.Lines {
		lines = append(lines, row(w, spans{{" " + l, t.faint}}, nil))
	}
	return lines
}
