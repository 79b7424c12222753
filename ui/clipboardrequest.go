package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
	"ferrus/ui/vt"
)

// offers notices when an agent asks to put text on the clipboard. It is never
// done at once: an agent could put there what a person then runs.
func (m *Model) offers() {
	known := map[*vt.Locked]int{}
	for i := range m.view.Panes {
		p := &m.view.Panes[i]
		if p.Terminal == nil {
			continue
		}
		p.Terminal.With(func(t *vt.Terminal) { known[p.Terminal] = t.Offers() })
		if known[p.Terminal] > m.offered[p.Terminal] {
			m.offering = p.Title.Number
			m.say(fmt.Sprintf("the %s offers text for the clipboard: %s %s takes it", p.Title.Name, m.first("leader"), m.first("take")), false)
		}
	}
	m.offered = known // without the terminals that are gone
}

// takeOffer puts on the clipboard what an agent offered last.
func (m *Model) takeOffer() tea.Cmd {
	s := ""
	if p := m.pane(m.offering); p != nil && p.Terminal != nil {
		p.Terminal.With(func(t *vt.Terminal) { s = text.SanitizeLines(t.Clipboard()) })
	}
	if s == "" {
		m.say("no agent offered text for the clipboard", false)
		return nil
	}
	m.prompt.killed = s
	return m.carry(Copy{s})
}
