package ui

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/text"
)

// statusBar is the first row. What matters least goes first when it is narrow.
func (m *Model) statusBar(w int) string {
	s, t := m.view.Status, m.theme
	tone := t.tones[s.Tone]
	for drop := -1; ; drop++ {
		project := s.Project
		if drop > 1 {
			project = text.Cut(project, 16)
		}
		left := spans{{" ", ""}, {"ferrus  ", t.brand}, {project, t.strong}}
		if drop > 2 {
			left = append(left[:1:1], left[2])
		}
		right := spans{{"● " + s.State, tone}}
		if drop < 1 && s.Branch != "" {
			left = append(left, span{"  " + s.Branch, t.faint})
		}
		if s.Alert != "" {
			right = append(spans{{" " + s.Alert + " ", t.alarm}, {" ", ""}}, right...)
		}
		tail := spans{}
		if s.Counter != "" && drop == 4 {
			tail = append(tail, span{"   " + s.Counter, t.faint})
		}
		if s.Checks != "" && drop < 4 {
			tail = append(tail, span{"   checks " + s.Checks + "  reviews " + s.Reviews, t.faint})
		}
		if s.Rounds != "" && drop < 4 {
			tail = append(tail, span{"   " + s.Rounds, t.faint})
		}
		if s.Used != "" && drop < 0 {
			tail = append(tail, span{"   " + s.Used, t.faint})
		}
		if s.Elapsed != "" && drop < 2 {
			tail = append(tail, span{"   " + s.Elapsed, ""})
		}
		tail = append(tail, span{" ", ""})
		room := w - left.width() - right.width() - tail.width() - 4
		title := min(text.Width(s.Title), 16)
		if drop < 0 { // what was used is only there beside a whole title
			title = text.Width(s.Title)
		}
		if room < title && drop < 5 {
			continue
		}
		if s.Title != "" && room > 4 {
			right = append(right, span{"  " + text.Cut(s.Title, room), ""})
		}
		return row(w, left, append(right, tail...))
	}
}

// lineRows is the line over the prompt: what needs the person, in one row while
// a pane has the keys, in up to most rows otherwise.
func (m *Model) lineRows(most int) []string {
	w, t := m.size.w, m.theme
	waiting := m.waiting()
	if len(waiting) == 0 {
		return []string{row(w, spans{{"   " + text.DropClauses(m.view.Advice, w-3), t.faint}}, nil)}
	}
	n := waiting[0]
	s, hint, mark, look := n.Text, n.Hint, " ! ", t.tones[n.Tone]
	if n.Ask {
		s, mark, look = m.askText(), " ? ", t.strong
	}
	switch {
	case n.Ask && m.dialog != nil:
		hint = "Esc and answer"
	case n.Ask && m.screen.focus != 0:
		hint = m.first("leave") + " and answer"
	}
	if m.screen.focus != 0 || m.dialog != nil { // there is no more room than its own row
		most = 1
	}
	body := text.Wrap(text.Reflow(s), w-5)
	told := n.Ask || hint == "" || 5+text.Width(s)+text.Width(hint) <= w // the prompt shows that it waits for an answer
	if most == 1 || len(body) == 1 && told {
		return []string{m.shortLine(mark, strings.ReplaceAll(s, "\n", " "), hint, look, t.tones[n.Tone])}
	}
	return m.longLine(body, mark, hint, look, t.tones[n.Tone], most)
}

// shortLine is one row. At the prompt the words matter more than the hint; in a
// pane the hint is how to get out of it.
func (m *Model) shortLine(mark, s, hint string, look, tone Paint) string {
	right := spans{{"  " + hint + " ", m.theme.faint}}
	if text.Width(s)+3+right.width() > m.size.w && m.screen.focus == 0 {
		right = nil
	}
	return row(m.size.w, spans{{mark, tone}, {s, look}}, right)
}

// longLine is several rows, with the hint at the end of the last or below.
func (m *Model) longLine(lines []string, mark, hint string, look, tone Paint, most int) []string {
	if len(lines) > most {
		lines = lines[:most]
		hint = m.first("leader") + " " + m.first("next") + " shows all of it"
	}
	rows := make([]string, 0, len(lines)+1)
	for _, line := range lines {
		rows = append(rows, row(m.size.w, spans{{mark, tone}, {line, look}}, nil))
		mark = "   "
	}
	if hint == "" {
		return rows
	}
	right, last := spans{{"  " + hint + " ", m.theme.faint}}, len(rows)-1
	if 3+text.Width(lines[last])+right.width() <= m.size.w {
		rows[last] = row(m.size.w, spans{{"   ", ""}, {lines[last], look}}, right)
		return rows
	}
	return append(rows, row(m.size.w, nil, right))
}

// askText is the question with who asks it.
func (m *Model) askText() string {
	a := m.view.Ask
	if a == nil {
		return "nothing is asked any more"
	}
	verb := " asks: "
	if a.Kind == Consultation {
		verb = " consults: "
	}
	return a.Who + verb + strings.TrimSpace(a.Text)
}

// promptIndent is what stands in front of each row of the prompt.
const promptIndent = 3

// promptRows is the prompt: at least one row.
func (m *Model) promptRows() (lines []string) {
	w, t := m.size.w, m.theme
	if (m.screen.focus != 0 || m.reading.keys) && m.prompt.text == "" {
		return []string{row(w, spans{{" > ", t.faint}, {m.elsewhere(), t.faint}}, nil)}
	}
	mark, look := " > ", t.brand
	if m.prompt.answers(m.ask()) != nil && !strings.HasPrefix(m.prompt.text, "/") {
		mark, look = " ? ", t.tones[Warn]
	}
	for i, text := range m.prompt.rows {
		if i > 0 {
			mark = "   "
		}
		lines = append(lines, row(w, spans{{mark, look}, {text, ""}}, nil))
	}
	return lines
}

// elsewhere says where the keys go.
func (m *Model) elsewhere() string {
	if p := m.pane(m.reading.number); m.reading.keys && p != nil {
		return fmt.Sprintf("reading %d %s; %s comes back", p.Title.Number, p.Title.Name, m.first("unread"))
	}
	name := m.target(m.screen.focus)
	if name == nil {
		return ""
	}
	if p := m.pane(m.screen.focus); p != nil && p.Interactive && p.Living {
		return fmt.Sprintf("keys go to %d %s; %s comes back", m.screen.focus, *name, m.key("leave").Label)
	}
	switch m.screen.focus {
	case numberActivity:
		return "5 activity: Up and Down choose, Enter tells all of it"
	case numberCheck:
		return "6 check: Up and Down scroll, Enter shows it whole"
	}
	why := "only shows"
	if p := m.pane(m.screen.focus); p != nil && !p.Living {
		why = "has ended"
	}
	return fmt.Sprintf("%d %s %s: Up, Down, PgUp and PgDn scroll", m.screen.focus, *name, why)
}

// keyLine is the last row: the keys that count now, or the newest notice.
func (m *Model) keyLine(w int) string {
	s, t, inbox := m.view.Status, m.theme, m.badge()
	left := m.keyHints(w - inbox.width())
	if rows, short := m.noticeRows(); short {
		left = spans{{" " + rows[0], m.noticeLook()}}
	}
	var lease spans
	if s.Lease != "" {
		lease = spans{{"   lease " + s.Lease, t.faint}, {" "[:1-min(len(inbox), 1)], ""}}
	}
	right := append(lease, inbox...)
	for _, less := range []spans{inbox, nil} {
		if left.width()+right.width() > w {
			right = less
		}
	}
	return row(w, left, right)
}

// badge is how much waits for the person, at the end of the key line.
func (m *Model) badge() spans {
	if n := m.waitFor(); n > 0 {
		return spans{{fmt.Sprintf("   inbox %d ", n), m.theme.tones[Warn]}}
	}
	return nil
}

// noticeRows is the newest notice. A short one has its place on the key line, a
// longer one is drawn over the panes.
func (m *Model) noticeRows() (rows []string, short bool) {
	if m.notice.Text == "" {
		return nil, false
	}
	rows = text.Wrap(m.notice.Text, m.size.w-2)
	rows = rows[:min(len(rows), m.size.most)]
	return rows, len(rows) == 1 && 1+text.Width(rows[0])+m.badge().width() <= m.size.w
}

func (m *Model) noticeLook() Paint {
	if m.notice.Error {
		return m.theme.tones[Bad]
	}
	return m.theme.tones[Plain]
}

// keyHints are the keys that count now, in at most w cells.
func (m *Model) keyHints(w int) spans {
	place := AtPrompt
	switch {
	case m.dialog != nil:
		place = InDialog
	case m.screen.leader || m.screen.moving:
		place = AfterLeader
	case m.reading.keys:
		place = InCopyMode
	case m.screen.focus != 0:
		place = InPane
	}
	if place == AtPrompt && m.prompt.search != nil {
		return m.searchHints(w)
	}
	var shown []Key
	for _, k := range m.keys {
		if k.Place == place && k.Hint != "" && (!m.screen.moving || k.border()) {
			shown = append(shown, k)
		}
	}
	if m.reading.mark.on { // first what ends it
		slices.SortStableFunc(shown, func(a, b Key) int { return bit(b.ends()) - bit(a.ends()) })
	}
	before := m.readingHints(w)
	if m.reading.seek.typing {
		return before
	}
	return append(before, m.hintsOf(shown, w-before.width())...)
}

// ends reports whether an action ends a selection.
func (k Key) ends() bool { return k.Name == "copy" || k.Name == "unread" }

// fitHints are keys with their words behind a beginning; where there is no room
// for all the last one stays, which leads out.
func (t *Theme) fitHints(w int, before spans, keys ...[2]string) spans {
	for {
		hints := before[:len(before):len(before)]
		for _, k := range keys {
			hints = append(hints, span{"   " + k[0], t.key}, span{" " + k[1], t.faint})
		}
		if hints.width() <= w || len(keys) < 2 {
			return hints
		}
		keys = keys[1:]
	}
}

// hintsOf are keys with their words, as many as fit into w cells; help is the
// last to go.
func (m *Model) hintsOf(shown []Key, w int) spans {
	for {
		var hints spans
		gap := " "
		for _, k := range shown {
			hints = append(hints, span{gap, ""}, span{k.Label, m.theme.key}, span{" " + k.Hint, m.theme.faint})
			gap = "   "
		}
		if hints.width() < w || len(shown) < 2 {
			return hints
		}
		last := len(shown) - 1
		if shown[last].Name == "help" {
			last--
		}
		shown = slices.Delete(slices.Clone(shown), last, last+1)
	}
}
