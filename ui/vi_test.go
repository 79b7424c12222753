package ui

import (
	"testing"

	"ferrus/ui/intent"
)

// TestViAtThePrompt shows the mode, closes a dialog with Esc before it changes the mode, and
// sends from normal mode, after which insert mode begins again.
func TestViAtThePrompt(t *testing.T) {
	v := asked(work())
	v.Vi = true
	b := open80(t, v)
	b.shows(" INSERT ? ")
	b.press("not now", "f1", "esc")
	b.shows(" INSERT ? not now")
	b.press("esc", "b")
	b.shows(" NORMAL ? not now")
	b.press("D", "ctrl+o", "z", "ctrl+o", "z", "x", "enter")
	b.wanted(intent.SaveHistory{Line: "not"}, intent.Answer{Ask: *v.Ask, Text: "not"})
	b.shows(" INSERT ? ")
	b.press("esc", "/")
	b.shows(" INSERT > /")
	v.Vi = false
	b = open80(t, v)
	b.press("esc", "x")
	b.shows(" ? x")
}
