package ui

import "testing"

// TestALandingIsNotAgreedToByTyping: what would land is known some time after it
// was asked for, and the person may type by then, in a pane or at the prompt.
func TestALandingIsNotAgreedToByTyping(t *testing.T) {
	for _, keys := range [][]string{{"wh"}, {"ctrl+o", "2"}, {"ctrl+o"}, {"ctrl+o", "["}, {"f1"}} {
		b := openAt(t, work(), 120, 40)
		b.press(keys...)
		before := b.m.Dialog()
		b.send(LandingMsg{Text: "2 files", Land: Land{Sure: true}})
		if b.m.Dialog() != before {
			t.Errorf("after %v it asks", keys)
		}
		b.shows("what would land can be shown now: /land")
	}
	b := openAt(t, work(), 120, 40)
	b.send(LandingMsg{Text: "2 files", Land: Land{Sure: true}})
	b.shows("╭ Land?")
	b.press("enter")
	b.wanted()
	b.press("y")
	b.wanted(Land{Sure: true})
}
