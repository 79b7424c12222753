package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
)

// lines are so many lines of text.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of it\n", i+1)
	}
	return b.String()
}

// A large paste is a mark at the prompt, can be read, and is sent whole.
func TestALargePasteIsAttached(t *testing.T) {
	b := openAt(t, asked(work()), 120, 40)
	b.press("see ")
	b.send(tea.PasteMsg{Content: lines(10_000)})
	b.shows("? see [paste 1: 10,000 lines]", "Ctrl+O v pastes")
	b.press("ctrl+o", "v")
	if b.m.Dialog() != dialog.KindDocument {
		t.Fatalf("the dialog is %s", b.m.Dialog())
	}
	b.shows("line 1 of it", "line 20 of it")
	b.press("esc", " and say", "enter")
	b.wanted(intent.Answer{Ask: *asked(work()).Ask, Text: "see " + strings.TrimSpace(lines(10_000)) + " and say"})
	b.press("up")
	b.shows("see [paste 1: 10,000 lines] and say")
	b.send(tea.PasteMsg{Content: "one\ntwo"})
	b.shows("and sayone", "two")
}

// A mark is deleted as one, from either side, and the rest of the text stays.
func TestAMarkIsDeletedAsOne(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"backspace"}, "b"}, {[]string{"ctrl+w"}, "b"}, {[]string{"left", "left", "backspace"}, "b"},
		{[]string{"left", "delete"}, "b"}, {[]string{"home", "right", "delete"}, "b"},
	} {
		b := openAt(t, work(), 120, 40)
		b.press("b")
		b.send(tea.PasteMsg{Content: lines(50)})
		b.press(c.keys...)
		if got := b.m.prompt.Value(); got != c.want {
			t.Errorf("after %v the prompt has %q", c.keys, got)
		}
		b.press("ctrl+_")
		if got := b.m.prompt.Value(); got != "b[paste 1: 50 lines]" {
			t.Errorf("undone after %v the prompt has %q", c.keys, got)
		}
	}
}

// No part of a paste is lost silently: a mark that was changed is not sent, and more than a prompt
// takes is refused.
func TestAPasteIsSentWholeOrNotAtAll(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.send(tea.PasteMsg{Content: lines(50)})
	b.press("left", "left", "x", "enter")
	b.wanted()
	b.shows("The mark of a paste or a file was changed")
	b.press("ctrl+c")
	b.send(tea.PasteMsg{Content: strings.Repeat("x", prompt.MaxAttached+1)})
	b.shows("This is 1,048,577 bytes, and a prompt takes 1,048,576: put it in a file and name the file")
	if b.m.prompt.Value() != "" {
		t.Errorf("the prompt has %q", b.m.prompt.Value())
	}
}

// A refused line comes back with its marks.
func TestARefusedLineComesBackFolded(t *testing.T) {
	b := openAt(t, asked(work()), 120, 40)
	b.send(tea.PasteMsg{Content: lines(2000)})
	b.press("enter")
	b.send(DoneMsg{Text: "the answer is too long", Error: true, Line: strings.TrimSpace(lines(2000))})
	b.shows("? [paste 1: 2,000 lines]")
}
