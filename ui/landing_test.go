package ui

import (
	"ferrus/ui/dialog"
	"testing"
)

// TestALandingIsNotAgreedToByTyping: what would land is known some time after it
// was asked for, and the human may type by then, in a pane or at the prompt.
func TestALandingIsNotAgreedToByTyping(t *testing.T) {
	preview := OpenMsg{
		Dialog: dialog.Landing("2 files", ran{"land", "sure"}, "/land "), Later: "The landing preview is ready: /land",
	}
	for _, keys := range [][]string{{"wh"}, {"ctrl+o", "2"}, {"ctrl+o"}, {"ctrl+o", "["}, {"f1"}} {
		b := openAt(t, work(), 120, 40)
		b.press(keys...)
		before := b.m.Dialog()
		b.send(preview)
		if b.m.Dialog() != before {
			t.Errorf("after %v it asks", keys)
		}
		b.shows("The landing preview is ready: /land")
	}
	b := openAt(t, work(), 120, 40)
	b.send(preview)
	b.shows("╭ Land?")
	b.press("enter")
	b.wanted()
	b.press("y")
	b.wanted(ran{"land", "sure"})
}
