package ui

import (
	"fmt"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// popup is the list of what the prompt can be completed to.
func (m *Model) popup(most int) []string {
	all := m.prompt.cycle
	if all == nil && m.screen.focus == 0 && m.dialog == nil && m.prompt.search == nil {
		all = choices(&m.view, m.prompt.text)
	}
	if len(all) == 0 || len(all) == 1 && strings.TrimSpace(all[0].text) == strings.TrimSpace(m.prompt.text) && all[0].off == "" {
		return nil
	}
	more := len(all) > most && most > 1
	if more {
		most--
	}
	first := max(m.prompt.picked-most+1, 0)
	if m.prompt.cycle == nil {
		first = 0
	}
	names := 0
	for _, c := range all {
		names = max(names, min(text.Width(c.name), m.size.w/4+4))
	}
	var lines []string
	for i := first; i < len(all) && len(lines) < most; i++ {
		lines = append(lines, m.choiceRow(all[i], names, m.prompt.cycle != nil && i == m.prompt.picked))
	}
	if more {
		lines = append(lines, style.Row(m.size.w, style.Spans{{" │ ", m.theme.Focused}, {fmt.Sprintf("%d-%d of %d", first+1, first+len(lines), len(all)), m.theme.Faint}}, nil))
	}
	return lines
}

func (m *Model) choiceRow(c choice, names int, picked bool) string {
	t := m.theme
	look, words := t.Strong, style.Spans{{c.words, t.Faint}}
	if c.off != "" {
		look, words = t.Faint, style.Spans{{"off: " + c.off, t.Tones[style.Warn]}}
	}
	if picked {
		look = t.Chosen
	}
	return style.Row(m.size.w, append(style.Spans{{" │ ", t.Focused}, {text.Fit(c.name, names), look}, {"  ", ""}}, words...), nil)
}
