package ui

import (
	"fmt"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// tab is one entry of the tab line.
type tab struct {
	number int
	text   string
	tone   style.Tone
}

// tabOf is a pane's entry under one of its names, with a mark when it runs, and one
// when something is wrong: not every terminal has colours.
func tabOf(p *view.Pane, name string) tab {
	text := fmt.Sprintf("%d %s", p.Title.Number, name)
	if p.Living {
		text += " ●"
	}
	if p.Title.Tone >= style.Warn {
		text += " !"
	}
	return tab{p.Title.Number, text, p.Title.Tone}
}

// tabs names everything there is to look at, in as many words as fit.
func (m *Model) tabs(w int) (tabs []tab) {
	for level := range 3 {
		used := 0
		tabs = nil
		for i := range m.view.Panes {
			p := &m.view.Panes[i]
			t := tabOf(p, []string{p.Title.Name, p.Title.Name, p.Title.Short}[level])
			if level == 0 {
				t.text = fmt.Sprintf("%d %s %s", p.Title.Number, p.Title.Name, p.Title.Status)
			}
			tabs = append(tabs, t)
		}
		if m.size.activity.H == 0 {
			c := &m.view.Check
			state := []string{" " + c.State, "", ""}[level]
			if level > 0 && c.Tone == style.Bad {
				state = " !"
			}
			tabs = append(tabs, tab{numberActivity, fmt.Sprintf("%d %s", numberActivity, []string{"activity", "activity", "log"}[level]), style.Plain},
				tab{numberCheck, strings.TrimSpace(fmt.Sprintf("%d check%s", numberCheck, state)), c.Tone})
		}
		for _, t := range tabs {
			used += text.Width(t.text) + 2
		}
		if used <= w {
			break
		}
	}
	return tabs
}

// tabLine is the row over the only pane.
func (m *Model) tabLine(w int) string {
	line := style.Spans{}
	showing := m.parts()[0].number
	for _, t := range m.tabs(w) {
		look := m.theme.Tones[t.tone]
		if t.number == showing {
			look = m.theme.Chosen
		}
		line = append(line, style.Span{" ", ""}, style.Span{t.text, look}, style.Span{" ", ""})
	}
	if len(line) == 0 {
		line = style.Spans{{" no session yet", m.theme.Faint}}
	}
	return style.Row(w, line, nil)
}

// tabUnder is the number of the tab at column x.
func (m *Model) tabUnder(x int) int {
	at := 0
	for _, t := range m.tabs(m.size.w) {
		next := at + text.Width(t.text) + 2
		if x >= at && x < next {
			return t.number
		}
		at = next
	}
	return 0
}
