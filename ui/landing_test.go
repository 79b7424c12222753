package ui

import (
	"strings"
	"testing"

	"ferrus/ui/dialog"
	"ferrus/ui/style"
)

// TestALandingIsNotAgreedToByTyping covers a preview that is ready some time after the request,
// when the human may be typing, in a pane or at the prompt.
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

// TestALandingSaysHowToAnswer covers a preview that is longer than the screen, and whose alarms
// must stand out.
func TestALandingSaysHowToAnswer(t *testing.T) {
	preview := strings.Repeat("    +1     -0  file.go\n", 40) + "alarm    tests are skipped\n"
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		b := openAt(t, work(), size[0], size[1])
		b.send(OpenMsg{Dialog: dialog.Landing(preview, ran{"land", "sure"}, "/land ")})
		b.shows("╭ Land?", "y land", "Esc change nothing")
		b.press("end")
		b.shows("alarm    tests are skipped")
		row := lineWith(b.m.View().Content, "tests are skipped")
		if !strings.Contains(row, string(b.m.theme.Tones[style.Bad])) {
			t.Errorf("%v: the alarm has no color of its own: %q", size, row)
		}
	}
}

// lineWith returns the line of a text that has some words.
func lineWith(all, words string) string {
	for line := range strings.Lines(all) {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}
