package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/text"
)

// shownOffer is how many bytes of a text for the clipboard a notice has.
const shownOffer = 200

// noticeOffers notices when an agent asks to put text on the clipboard. That is never
// done at once: an agent could put there what a human then runs. What is shown is what is copied,
// even if the agent asks for another text before you answer.
func (m *Model) noticeOffers() {
	if n := m.screen.newOffer(); n != 0 {
		name := m.screen.nameOf(n)
		m.announce(fmt.Sprintf("The %s wants to copy text to your clipboard: %s %s accepts it. The text: %s",
			name, m.keys.First(leader), m.keys.First(takeOffer),
			text.Reveal(text.CutBytes(m.screen.offers.text, shownOffer))), false)
	}
}

// acceptOffer puts on the clipboard what an agent asked to put there last.
func acceptOffer(m *Model, _ string) tea.Cmd {
	offered := text.SanitizeLines(m.screen.offers.text)
	if offered == "" {
		m.say("No agent wants to copy text to your clipboard", false)
		return nil
	}
	m.notices.hide()
	return m.do(intent.Copy{Text: offered})
}
