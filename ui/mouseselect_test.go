package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
)

// reads opens a page with a text.
func reads(t *testing.T, w, h int, text string) *fixture {
	b := openAt(t, work(), w, h)
	b.press("f3")
	b.send(PageMsg{Title: "entry 2", Text: text})
	b.frame()
	b.wants = nil
	return b
}

func mouseAt(x, y int) tea.Mouse { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }

func TestTheMouseSelectsInPages(t *testing.T) {
	b := reads(t, 80, 24, "# head\n\nthe needle 漢字 is/here\n\nand the last line\n")
	x, y := b.cellOf("needle")
	b.drag(x, y, x+8, y) // up to half of the first wide character
	b.wanted(intent.Copy{Text: "needle 漢"})
	if !strings.Contains(b.m.View().Content, string(b.m.theme.Chosen)+"needle 漢\x1b[m") {
		t.Error("the selection is not shown")
	}
	b.frame()
	b.drag(x+4, y+2, x, y) // upwards
	b.wanted(intent.Copy{Text: "needle 漢字 is/here\n\n and the l"})
	b.send(tea.MouseClickMsg(mouseAt(x, y)), tea.MouseReleaseMsg(mouseAt(x, y)))
	b.wanted() // a click selects nothing
	b.now = b.now.Add(time.Second)
	x, y = b.cellOf("is/here")
	for range 2 {
		b.send(tea.MouseClickMsg(mouseAt(x+3, y)), tea.MouseReleaseMsg(mouseAt(x+3, y)))
	}
	b.wanted(intent.Copy{Text: "is/here"})
	b.send(tea.MouseClickMsg(mouseAt(x+3, y)), tea.MouseReleaseMsg(mouseAt(x+3, y)))
	b.wanted(intent.Copy{Text: " the needle 漢字 is/here"})
	b.drag(x, y, 500, 500) // out of the page
	if n := len(b.wants); n != 1 || !strings.HasPrefix(b.wants[0].(intent.Copy).Text, "is/here\n\n and the last line") {
		t.Errorf("it wants %#v", b.wants)
	}
	b.drag(70, 3, 75, 20)
	b.send(tea.WindowSizeMsg{Width: 60, Height: 20}) // the cells are not where they were
	b.frame()
	b.press("esc")
	b.shows("log") // and nothing is selected any more
	if got := b.marks(b.m.theme.Chosen); len(got) != 1 || got[0] != "create_task     " {
		t.Errorf("besides the chosen entry %q is marked", got)
	}
}

func TestAPageIsCopied(t *testing.T) {
	b := reads(t, 80, 24, "# head\n\n\tcode \x1b[31mred\x1b[m\n")
	b.shows("y copy  Esc back")
	b.press("y")
	b.wanted(intent.Copy{Text: "# head\n\n    code red\n"})
	b.press("esc", "esc", "ctrl+y")
	b.shows("> executor  # head")
}

func TestTheMouseSelectsOneColumnOfTheDiff(t *testing.T) {
	b := openDiffAt(t, 160, 40)
	x, y := b.cellOf("┄┄ func Get")
	b.drag(x, y, 500, y+2)
	text := b.wants[0].(intent.Copy).Text
	if rows := strings.Split(text, "\n"); len(rows) != 3 || strings.Contains(text, "notes.txt") ||
		!strings.Contains(text, "return once()") {
		t.Errorf("it copies %q", text)
	}
	b.wants = nil
	x, y = b.cellOf("fetch.go ")
	b.drag(x, y, 500, y)
	if text := b.wants[0].(intent.Copy).Text; !strings.HasPrefix(text, "fetch.go") || strings.Contains(text, "│") {
		t.Errorf("it copies %q", text)
	}
}

func TestTheWheelScrollsWhatIsRead(t *testing.T) {
	b := openDiffAt(t, 100, 24)
	b.frame()
	wheel := func(button tea.MouseButton) { b.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: button}) }
	wheel(tea.MouseWheelDown)
	b.shows("4-21 of")
	wheel(tea.MouseWheelUp)
	b.shows("1-18 of")
	b.press("esc", "/model", "enter")
	b.shows(" ▸ supervisor")
	wheel(tea.MouseWheelDown)
	b.shows(" ▸ executor")
}

// A click chooses in each list, and moves none of its items.
func TestAClickChoosesInLists(t *testing.T) {
	scrolled := func(b *fixture, keys ...string) *fixture {
		for _, key := range keys {
			b.press(key)
			b.frame()
		}
		return b
	}
	tasks := func() *fixture {
		b := open80(t, queued(40))
		b.send(tea.KeyPressMsg{Code: tea.KeyF5})
		return scrolled(b, "end", "pgup")
	}
	inbox := func() *fixture { return scrolled(openAt(t, several(), 120, 40), "/inbox", "enter") }
	palette := func() *fixture {
		b := open80(t, queued(40))
		b.send(tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl})
		return scrolled(b, slices.Concat(slices.Repeat([]string{"down"}, 20), slices.Repeat([]string{"up"}, 5))...)
	}
	for _, x := range []struct {
		open          func() *fixture
		chosen, other string
	}{
		{tasks, "▸ #30 Task", "  #27 Task"},
		{tasks, "▸ #30 Task", "  #39 Task"},
		{inbox, "▸ question ", "  hold  "},
		{palette, "▸ command  /trust ", "  command  /check "},
	} {
		b := x.open()
		b.shows(x.chosen)
		column, row := b.cellOf(x.other)
		click := func(y int) {
			b.send(tea.MouseClickMsg(mouseAt(column+3, y)), tea.MouseReleaseMsg(mouseAt(column+3, y)))
		}
		click(1) // no item is there
		b.shows(x.chosen)
		click(row)
		b.shows("▸" + x.other[1:])
		if _, now := b.cellOf("▸" + x.other[1:]); now != row {
			t.Errorf("%q is in row %d, was in %d", x.other, now, row)
		}
	}
}
