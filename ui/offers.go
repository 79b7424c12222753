package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/text"
)

// noticeOffers notices when an agent asks to put text on the clipboard. That is never
// done at once: an agent could put there what a human then runs.
func (m *Model) noticeOffers() {
	if n := m.screen.newOffer(); n != 0 {
		name := m.screen.nameOf(n)
		m.announce(fmt.Sprintf("The %s wants to copy text to your clipboard: %s %s accepts it",
			name, m.keys.First(leader), m.keys.First(takeOffer)), false)
	}
}

// acceptOffer puts on the clipboard what an agent asked to put there last.
func acceptOffer(m *Model, _ string) tea.Cmd {
	offered := text.SanitizeLines(m.screen.offered())
	if offered == "" {
		m.say("No agent wants to copy text to your clipboard", false)
		return nil
	}
	m.notices.hide()
	return m.do(intent.Copy{Text: offered})
}
