package ui

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// statusBar is the first row. What matters least goes first when it is narrow.
func (m *Model) statusBar(w int) string {
	s, t := m.view.Status, m.theme
	tone := t.Tones[s.State.Tone]
	for drop := -1; ; drop++ {
		project := s.Project
		if drop > 1 {
			project = text.Cut(project, 16)
		}
		left := style.Spans{{" ", ""}, {"ferrus  ", t.Brand}, {project, t.Strong}}
		if drop > 2 {
			left = append(left[:1:1], left[2])
		}
		right := style.Spans{{"● " + s.State.Text, tone}}
		if drop < 1 && s.Branch != "" {
			left = append(left, style.Span{"  " + s.Branch, t.Faint})
		}
		if s.Alert != "" {
			right = append(style.Spans{{" " + s.Alert + " ", t.Alarm}, {" ", ""}}, right...)
		}
		tail := style.Spans{}
		if s.Counter != "" && drop == 4 {
			tail = append(tail, style.Span{"   " + s.Counter, t.Faint})
		}
		if s.Checks != "" && drop < 4 {
			tail = append(tail, style.Span{"   checks " + s.Checks + "  reviews " + s.Reviews, t.Faint})
		}
		if s.Rounds != "" && drop < 4 {
			tail = append(tail, style.Span{"   " + s.Rounds, t.Faint})
		}
		if s.Used != "" && drop < 0 {
			tail = append(tail, style.Span{"   " + s.Used, t.Faint})
		}
		if s.Elapsed != "" && drop < 2 {
			tail = append(tail, style.Span{"   " + s.Elapsed, ""})
		}
		tail = append(tail, style.Span{" ", ""})
		room := w - left.Width() - right.Width() - tail.Width() - 4
		title := min(text.Width(s.Title), 16)
		if drop < 0 { // what was used is only there beside a whole title
			title = text.Width(s.Title)
		}
		if room < title && drop < 5 {
			continue
		}
		if s.Title != "" && room > 4 {
			right = append(right, style.Span{"  " + text.Cut(s.Title, room), ""})
		}
		return style.Row(w, left, append(right, tail...))
	}
}

// lineRows is the line over the prompt: what needs the person, in one row while
// a pane has the keys, in up to most rows otherwise.
func (m *Model) lineRows(most int) []string {
	w, t := m.size.w, m.theme
	waiting := m.waiting()
	if len(waiting) == 0 {
		return []string{style.Row(w, style.Spans{{"   " + text.DropClauses(m.view.Hint, w-3), t.Faint}}, nil)}
	}
	n := waiting[0]
	s, hint, mark, look := n.Text, n.Hint, " ! ", t.Tones[n.Tone]
	if n.Ask {
		s, mark, look = m.view.Ask.String(), " ? ", t.Strong
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
		return []string{m.shortLine(mark, strings.ReplaceAll(s, "\n", " "), hint, look, t.Tones[n.Tone])}
	}
	return m.longLine(body, mark, hint, look, t.Tones[n.Tone], most)
}

// shortLine is one row. At the prompt the words matter more than the hint; in a
// pane the hint is how to get out of it.
func (m *Model) shortLine(mark, s, hint string, look, tone style.Paint) string {
	right := style.Spans{{"  " + hint + " ", m.theme.Faint}}
	if text.Width(s)+3+right.Width() > m.size.w && m.screen.focus == 0 {
		right = nil
	}
	return style.Row(m.size.w, style.Spans{{mark, tone}, {s, look}}, right)
}

// longLine is several rows, with the hint at the end of the last or below.
func (m *Model) longLine(lines []string, mark, hint string, look, tone style.Paint, most int) []string {
	if len(lines) > most {
		lines = lines[:most]
		hint = m.first("leader") + " " + m.first("next") + " shows all of it"
	}
	rows := make([]string, 0, len(lines)+1)
	for _, line := range lines {
		rows = append(rows, style.Row(m.size.w, style.Spans{{mark, tone}, {line, look}}, nil))
		mark = "   "
	}
	if hint == "" {
		return rows
	}
	right, last := style.Spans{{"  " + hint + " ", m.theme.Faint}}, len(rows)-1
	if 3+text.Width(lines[last])+right.Width() <= m.size.w {
		rows[last] = style.Row(m.size.w, style.Spans{{"   ", ""}, {lines[last], look}}, right)
		return rows
	}
	return append(rows, style.Row(m.size.w, nil, right))
}

// promptIndent is what stands in front of each row of the prompt.
const promptIndent = 3

// promptRows is the prompt: at least one row.
func (m *Model) promptRows() (lines []string) {
	w, t := m.size.w, m.theme
	if (m.screen.focus != 0 || m.reading.keys) && m.prompt.text == "" {
		return []string{style.Row(w, style.Spans{{" > ", t.Faint}, {m.elsewhere(), t.Faint}}, nil)}
	}
	mark, look := " > ", t.Brand
	if m.prompt.answers(m.ask()) != nil && !strings.HasPrefix(m.prompt.text, "/") {
		mark, look = " ? ", t.Tones[style.Warn]
	}
	for i, text := range m.prompt.rows {
		if i > 0 {
			mark = "   "
		}
		lines = append(lines, style.Row(w, style.Spans{{mark, look}, {text, ""}}, nil))
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
	left := m.keyHints(w - inbox.Width())
	if rows, short := m.noticeRows(); short {
		left = style.Spans{{" " + rows[0], m.noticeLook()}}
	}
	var lease style.Spans
	if s.Lease != "" {
		lease = style.Spans{{"   lease " + s.Lease, t.Faint}, {" "[:1-min(len(inbox), 1)], ""}}
	}
	right := append(lease, inbox...)
	for _, less := range []style.Spans{inbox, nil} {
		if left.Width()+right.Width() > w {
			right = less
		}
	}
	return style.Row(w, left, right)
}

// badge is how much waits for the person, at the end of the key line.
func (m *Model) badge() style.Spans {
	if n := m.waitFor(); n > 0 {
		return style.Spans{{fmt.Sprintf("   inbox %d ", n), m.theme.Tones[style.Warn]}}
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
	return rows, len(rows) == 1 && 1+text.Width(rows[0])+m.badge().Width() <= m.size.w
}

func (m *Model) noticeLook() style.Paint {
	if m.notice.Error {
		return m.theme.Tones[style.Bad]
	}
	return m.theme.Tones[style.Plain]
}

// keyHints are the keys that count now, in at most w cells.
func (m *Model) keyHints(w int) style.Spans {
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
	return append(before, m.hintsOf(shown, w-before.Width())...)
}

// ends reports whether an action ends a selection.
func (k Key) ends() bool { return k.Name == "copy" || k.Name == "unread" }

// hintsOf are keys with their words, as many as fit into w cells; help is the
// last to go.
func (m *Model) hintsOf(shown []Key, w int) style.Spans {
	for {
		var hints style.Spans
		gap := " "
		for _, k := range shown {
			hints = append(hints, style.Span{gap, ""}, style.Span{k.Label, m.theme.Key}, style.Span{" " + k.Hint, m.theme.Faint})
			gap = "   "
		}
		if hints.Width() < w || len(shown) < 2 {
			return hints
		}
		last := len(shown) - 1
		if shown[last].Name == "help" {
			last--
		}
		shown = slices.Delete(slices.Clone(shown), last, last+1)
	}
}
