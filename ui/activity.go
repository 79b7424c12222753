package ui

import "fmt"

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
	for _, e := range m.view.Activity[max(end-inner.h, 0):end] {
		body = append(body, t.entry(e, inner.w))
	}
	var state spans
	if back > 0 {
		state = spans{{fmt.Sprintf("%d back", back), t.tones[Warn]}}
	}
	return t.box(r, border, spans{{mark, t.focused}, {"activity", t.strong}}, state, nil, body)
}

// entry is one line of the journal in w cells.
func (t *Theme) entry(e Entry, w int) string {
	left := spans{{" " + e.At + " ", t.faint}, {fit(e.Event, max(11, min(width(e.Event), 16))) + "  ", t.tones[e.Tone]}, {e.Move, ""}}
	if e.Move == "" {
		left = append(left[:2:2], span{e.Why, t.faint})
	} else if e.Why != "" {
		left = append(left, span{"  " + e.Why, t.faint})
	}
	right := spans{{"  " + e.By + " ", t.faint}}
	if left[:min(len(left), 3)].width()+right.width() > w {
		right = nil
	}
	return row(w, left, right)
}

// checkBox shows the newest gate: its commands, then its newest output.
func (m *Model) checkBox(r rect) []string {
	t, inner, c := m.theme, r.inner(), &m.view.Check
	border, mark := m.boxLook(numberCheck)
	title := spans{{mark, t.focused}, {c.Title, t.strong}}
	if c.State != "" {
		title = append(title, span{"  " + c.State, t.tones[c.Tone]})
	}
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
	return t.box(r, border, title, spans{{c.Took, ""}}, nil, body)
}

// checkFit is all commands, and as much of the newest output as there is room for.
func (m *Model) checkFit(w, h int) []string {
	all := m.checkLines(w)
	rows := min(len(m.view.Check.Rows), h)
	return append(all[:rows:rows], all[len(all)-(h-rows):]...)
}

func (m *Model) checkLines(w int) (lines []string) {
	t, c := m.theme, &m.view.Check
	for _, r := range c.Rows {
		left := spans{{" " + fit(r.Mark, 5), t.tones[r.Tone]}, {r.Command, ""}}
		if r.Detail != "" {
			left = append(left, span{"  " + r.Detail, t.faint})
		}
		lines = append(lines, row(w, left, spans{{" " + r.Took + " ", t.faint}}))
	}
	if c.Why != "" {
		lines = append(lines, row(w, spans{{" " + c.Why, t.tones[c.Tone]}}, nil))
	}
	for _, l := range c.Lines {
		lines = append(lines, row(w, spans{{" " + l, t.faint}}, nil))
	}
	return lines
}
