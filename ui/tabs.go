package ui

import "fmt"

// tab is one entry of the tab line.
type tab struct {
	number int
	text   string
	tone   Tone
}

// tabs names everything there is to look at, in as many words as fit.
func (m *Model) tabs(w int) []tab {
	for level := 0; ; level++ {
		var tabs []tab
		used := 1
		add := func(n int, name, short, state string, tone Tone) {
			text := fmt.Sprintf("%d %s", n, name)
			switch {
			case level == 0 && state != "":
				text += " " + state
			case level == 2:
				text = fmt.Sprintf("%d %s", n, short)
			case level == 3:
				text = fmt.Sprint(n)
			}
			tabs = append(tabs, tab{n, text, tone})
			used += width(text) + 2
		}
		for _, p := range m.view.Panes {
			add(p.Title.Number, p.Title.Name, p.Title.Short, p.Title.Status, p.Title.Tone)
		}
		if m.size.activity.h == 0 {
			add(numberActivity, "activity", "log", "", Plain)
			add(numberCheck, "check", "check", m.view.Check.State, m.view.Check.Tone)
		}
		if used <= w || level == 3 {
			return tabs
		}
	}
}

// tabLine is the row over the only pane.
func (m *Model) tabLine(w int) string {
	line := spans{}
	showing := m.parts()[0].number
	for _, t := range m.tabs(w) {
		look := m.theme.tones[t.tone]
		if t.number == showing {
			look = m.theme.chosen
		}
		line = append(line, span{" ", ""}, span{t.text, look}, span{" ", ""})
	}
	if len(line) == 0 {
		line = spans{{" no session yet", m.theme.faint}}
	}
	return row(w, line, nil)
}

// tabUnder is the number of the tab at column x.
func (m *Model) tabUnder(x int) int {
	at := 0
	for _, t := range m.tabs(m.size.w) {
		next := at + width(t.text) + 2
		if x >= at && x < next {
			return t.number
		}
		at = next
	}
	return 0
}
