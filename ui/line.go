package ui

import (
	"fmt"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// lineRows returns the line over the prompt: what needs the human, in one row while a
// pane has the keys, in up to most rows otherwise.
func (f frame) lineRows(most int) []string {
	waiting := f.inbox.waiting(&f.view)
	if len(waiting) == 0 {
		return []string{style.Row(f.w, style.Spans{{"   " + text.DropClauses(f.idleHint(), f.w-3), f.t.Faint}}, nil)}
	}
	n, open := waiting[0], f.layer.Open() != nil
	l := promptLine{words: n.Text, hint: n.Hint, mark: " ! ", look: f.t.Tones[n.Tone], tone: f.t.Tones[n.Tone]}
	if n.Ask {
		l.words, l.mark, l.look = f.view.Ask.String(), " ? ", f.t.Strong
	}
	switch {
	case n.Ask && open:
		l.hint = "Esc, then answer"
	case n.Ask && f.screen.focus != 0:
		l.hint = f.keys.First("leave") + ", then answer"
	}
	if f.screen.focus != 0 || open { // there is room only for its own row
		most = 1
	}
	body := text.Wrap(text.Reflow(l.words), f.w-5)
	whole := n.Ask || l.hint == "" || 5+text.Width(l.words)+text.Width(l.hint) <= f.w // the prompt shows that it waits
	if most == 1 || len(body) == 1 && whole {
		return []string{f.shortLine(l)}
	}
	return f.longLine(l, body, most)
}

// idleHint says what can be done while nothing needs the human: what the View says, else
// who is listening.
func (f frame) idleHint() string {
	names, to := f.prompt.Recipients()
	switch {
	case f.view.Hint != "" || to == "":
		return f.view.Hint
	case len(names) > 1:
		return "Plain text goes to the " + to + "; Tab chooses another agent"
	}
	for _, p := range f.view.Panes {
		if p.Title.Name == to && p.Interactive && p.Living {
			const words = "Plain text goes to the %s; %s %d types in its pane"
			return fmt.Sprintf(words, to, f.keys.First(leader), p.Title.Number)
		}
	}
	return "Plain text goes to the " + to
}

// promptLine is what needs the human most.
type promptLine struct {
	words, hint, mark string
	look, tone        style.Paint
}

// shortLine returns one row. At the prompt the words matter more than the hint; in a
// pane the hint is how to get out of it.
func (f frame) shortLine(l promptLine) string {
	words := strings.ReplaceAll(l.words, "\n", " ")
	right := style.Spans{{"  " + l.hint + " ", f.t.Faint}}
	if text.Width(words)+3+right.Width() > f.w && f.screen.focus == 0 {
		right = nil
	}
	return style.Row(f.w, style.Spans{{l.mark, l.tone}, {words, l.look}}, right)
}

// longLine is several rows, with the hint at the end of the last or below.
func (f frame) longLine(l promptLine, body []string, most int) []string {
	if len(body) > most {
		body = body[:most]
		l.hint = f.keys.First(leader) + " " + f.keys.First(next) + " shows all of it"
	}
	rows := make([]string, 0, len(body)+1)
	for _, words := range body {
		rows = append(rows, style.Row(f.w, style.Spans{{l.mark, l.tone}, {words, l.look}}, nil))
		l.mark = "   "
	}
	if l.hint == "" {
		return rows
	}
	right, last := style.Spans{{"  " + l.hint + " ", f.t.Faint}}, len(rows)-1
	if 3+text.Width(body[last])+right.Width() <= f.w {
		rows[last] = style.Row(f.w, style.Spans{{"   ", ""}, {body[last], l.look}}, right)
		return rows
	}
	return append(rows, style.Row(f.w, nil, right))
}

// promptRows returns the prompt, or where the keys go while it is empty.
func (f frame) promptRows() []string {
	if (f.screen.focus != 0 || f.screen.copying.Active()) && f.prompt.Value() == "" {
		return []string{style.Row(f.w, style.Spans{{" > ", f.t.Faint}, {f.elsewhere(), f.t.Faint}}, nil)}
	}
	return f.prompt.Rows(f.t, f.w)
}

// elsewhere says where the keys go.
func (f frame) elsewhere() string {
	s := &f.screen
	if c := &s.copying; c.Active() {
		return fmt.Sprintf("Copy mode in %d %s; %s exits", c.Number, s.nameOf(c.Number), f.keys.First("unread"))
	}
	name := s.nameOf(s.focus)
	p := s.pane(s.focus)
	switch {
	case p != nil && p.Interactive && p.Living:
		return fmt.Sprintf("Keys go to %d %s; %s returns to the prompt", s.focus, name, f.keys.Of("leave").Label)
	case s.focus == numberActivity:
		return "5 activity: Up and Down choose, Enter opens"
	case s.focus == numberTasks && s.tasks.typing:
		return "Tasks: type to filter; Enter keeps the filter, Esc lists all"
	case s.focus == numberTasks && s.tasks.filter != "":
		return "Tasks: Up and Down select, Enter returns to the prompt, Esc lists all, / changes the filter"
	case s.focus == numberTasks:
		return "Tasks: Up and Down select, Enter returns to the prompt, n next that needs you, / filter"
	case s.focus == numberCheck:
		return "6 check: Up and Down scroll, Enter opens"
	case s.focus == numberSide:
		return "9 " + name + ": Up and Down scroll, Enter opens"
	case p == nil:
		return ""
	case !p.Living:
		return fmt.Sprintf("%d %s has ended: Up, Down, PgUp and PgDn scroll", s.focus, name)
	}
	return fmt.Sprintf("%d %s is read-only: Up, Down, PgUp and PgDn scroll", s.focus, name)
}
