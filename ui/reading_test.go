package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// longWork is work whose executor printed 80 lines; some have words of their own.
func longWork() view.View {
	v := work()
	own := map[int]string{10: " Needle at the beginning", 40: " a needle in the middle", 75: " 漢字 needle at the end",
		78: " see ./docs/a-b.md:12, please"}
	for i := range 80 {
		fmt.Fprintf(v.Panes[1].Terminal, "line %d%s\r\n", i, own[i])
	}
	return v
}

// marks returns the texts of the screen that are drawn in a look.
func (b *fixture) marks(look style.Paint) (texts []string) {
	lines, _ := b.m.frame()
	for _, l := range lines {
		for _, part := range strings.Split(l, string(look))[1:] {
			text, _, _ := strings.Cut(part, style.ResetSGR)
			texts = append(texts, text)
		}
	}
	return texts
}

func TestFindInAPane(t *testing.T) {
	b := openAt(t, longWork(), 120, 40)
	b.press("ctrl+o", "/")
	b.shows("find ▏", "Copy mode in 2 executor; Esc exits")
	b.press("needle")
	b.shows("find needle▏ 3 of 3", "line 75 漢字 needle")
	b.press("enter", "n")
	b.shows("needle 2 of 3", "line 40 a needle", "N newer")
	if got := b.marks(b.m.theme.Alarm); len(got) != 1 || got[0] != "needle" {
		t.Errorf("where the cursor is, %q is marked", got)
	}
	b.press("n")
	b.shows("1 of 3", "line 10 Needle")
	b.press("n")
	b.shows("3 of 3", "line 75")
	b.press("shift+n", "shift+n")
	b.shows("2 of 3", "line 40")
	b.press("esc", "esc")
	b.shows("line 79")
	if b.m.screen.copying.Number != 0 || b.m.screen.back(2) != 0 {
		t.Errorf("it still reads %+v", b.m.screen.copying)
	}
	b.wanted()
}

func TestASearchThatFindsNothingSaysSo(t *testing.T) {
	b := openAt(t, longWork(), 120, 40)
	b.press("ctrl+o", "/", "nothinx")
	b.shows("find nothinx▏ is not in this pane")
	b.press("backspace", "backspace", "backspace", "backspace")
	b.shows("find not▏")
	b.press("backspace", "backspace", "backspace", "Needle")
	b.shows("find Needle▏ 1 of 1", "line 10 Needle")
	b.press("esc")
	b.shows("line 79", "> ")
	b.press("ctrl+o", "[", "n")
	b.shows("No search yet: / starts one")
}

// TestWhatIsReadStaysWhereItIs checks that copy mode keeps its place while the agent prints.
func TestWhatIsReadStaysWhereItIs(t *testing.T) {
	v := longWork()
	b := openAt(t, v, 120, 41)
	b.press("ctrl+o", "[")
	_, before := b.cellOf("line 70")
	for i := range 30 {
		fmt.Fprintf(v.Panes[1].Terminal, "more %d\r\n", i)
	}
	b.send(ViewMsg{v})
	if _, after := b.cellOf("line 70"); after != before {
		t.Errorf("line 70 moved from row %d to row %d", before, after)
	}
	b.press("shift+g")
	b.shows("more 29")
	b.press("g")
	b.shows("reading fetch.go")
}

func TestSelectAndCopyWithKeys(t *testing.T) {
	b := openAt(t, longWork(), 120, 40)
	b.press("ctrl+o", "[", "enter")
	b.shows("Nothing is selected: Space starts")
	b.press("up", "up", "home", "right", "right", "right", "right", "right", "space", "end")
	if got := b.marks(b.m.theme.Chosen); len(got) != 1 || got[0] != "78 see ./docs/a-b.md:12, please" {
		t.Errorf("%q is marked", got)
	}
	b.press("enter")
	b.wanted(intent.Copy{Text: "78 see ./docs/a-b.md:12, please"})
	if b.m.screen.copying.Number != 0 {
		t.Error("it still reads")
	}
	b.press("ctrl+y")
	b.shows("> executor  78 see ./docs/a-b.md:12, please")
	b.press("ctrl+u", "ctrl+o", "[", "up", "shift+v", "up", "y")
	b.wanted(intent.Copy{Text: "line 78 see ./docs/a-b.md:12, please\nline 79"})
	b.press("ctrl+o", "[", "up", "v", "up", "esc")
	if b.m.screen.copying.Selected() != "" || !b.m.screen.copying.Active() {
		t.Errorf("after one Esc it reads %+v", b.m.screen.copying)
	}
}

// TestTheCursorShowsWhereOneReads checks that the cursor shows the place, always on whole
// characters.
func TestTheCursorShowsWhereOneReads(t *testing.T) {
	b := openAt(t, longWork(), 120, 40)
	b.press("ctrl+o", "/", "漢", "enter")
	x := b.m.View().Cursor.X
	b.press("right")
	if got := b.m.View().Cursor.X; got != x+2 {
		t.Errorf("the cursor went from %d to %d", x, got)
	}
	b.press("left")
	if got := b.m.View().Cursor.X; got != x {
		t.Errorf("it came back to %d, not %d", got, x)
	}
	b.press("space", "y")
	b.wanted(intent.Copy{Text: "漢"})
}

// cellOf returns where a text is on the screen.
func (b *fixture) cellOf(s string) (x, y int) {
	b.Helper()
	for y, line := range strings.Split(b.frame(), "\n") {
		if i := strings.Index(line, s); i >= 0 {
			return text.Width(line[:i]), y
		}
	}
	b.Fatalf("the screen does not show %q", s)
	return 0, 0
}

func (b *fixture) drag(x, y, toX, toY int) {
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft},
		tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft},
		tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
}

func TestSelectWithTheMouse(t *testing.T) {
	b := openAt(t, longWork(), 120, 40)
	x, y := b.cellOf("line 78")
	b.drag(x+5, y, x+3, y+1)
	b.wanted(intent.Copy{Text: "78 see ./docs/a-b.md:12, please\nline"})
	if got := b.marks(b.m.theme.Chosen); len(got) != 2 || strings.TrimSpace(got[0]) !=
		"78 see ./docs/a-b.md:12, please" || got[1] != "line" {
		t.Errorf("%q is marked", got)
	}
	b.press("x")
	if got := b.marks(b.m.theme.Chosen); len(got) != 0 {
		t.Errorf("after a key %q is marked", got)
	}
	b.wanted(intent.Input{Slot: "executor", Data: []byte("x")})
	b.drag(x+3, y+1, x+5, y)
	b.wanted(intent.Copy{Text: "78 see ./docs/a-b.md:12, please\nline"})
}

func TestClicksSelectWordsAndLines(t *testing.T) {
	b := openAt(t, longWork(), 120, 40)
	x, y := b.cellOf("docs/a-b")
	click := []tea.Msg{tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft},
		tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}}
	b.send(click...)
	b.wanted()
	b.send(click...)
	b.wanted(intent.Copy{Text: "./docs/a-b.md:12"})
	b.send(click...)
	b.wanted(intent.Copy{Text: "line 78 see ./docs/a-b.md:12, please"})
	b.now = b.now.Add(time.Second)
	b.send(click...)
	b.wanted()
	b.now = b.now.Add(time.Second)
	b.send(click...)
	b.wanted()
}

// TestDraggingBeyondAPaneScrollsIt checks that a drag past the edge of a pane scrolls it.
func TestDraggingBeyondAPaneScrollsIt(t *testing.T) {
	b := openAt(t, longWork(), 120, 41)
	x, y := b.cellOf("line 79")
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	for range 10 {
		b.send(tea.MouseMotionMsg{X: x, Y: 1, Button: tea.MouseLeft})
	}
	b.shows("10 back")
	b.send(tea.MouseReleaseMsg{X: x, Y: 1, Button: tea.MouseLeft})
	text := b.wants[0].(intent.Copy).Text
	if !strings.HasPrefix(text, "line 46\n") || !strings.HasSuffix(text, "\nl") {
		t.Errorf("it copied %q", text)
	}
}

func TestAnAgentWithTheMouseKeepsItButForAlt(t *testing.T) {
	v := longWork()
	fmt.Fprint(v.Panes[1].Terminal, "\x1b[?1002;1006h")
	b := openAt(t, v, 120, 40)
	b.press("alt+2")
	x, y := b.cellOf("line 79")
	b.drag(x, y, x+3, y)
	if len(b.wants) != 3 {
		t.Errorf("the agent got %v", b.wants)
	}
	b.wants = nil
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft, Mod: tea.ModAlt},
		tea.MouseMotionMsg{X: x + 3, Y: y, Button: tea.MouseLeft, Mod: tea.ModAlt},
		tea.MouseReleaseMsg{X: x + 3, Y: y, Button: tea.MouseLeft, Mod: tea.ModAlt})
	b.wanted(intent.Copy{Text: "line"})
}

func TestTheWheelIsArrowsOnTheAlternateScreen(t *testing.T) {
	v := longWork()
	b := openAt(t, v, 120, 40)
	b.press("alt+2")
	x, y := b.cellOf("line 79")
	up := tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp}
	b.send(up)
	b.shows("3 back")
	fmt.Fprint(v.Panes[1].Terminal, "\x1b[?1049h\x1b[Hpager")
	b.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown}, up)
	b.wanted(intent.Input{Slot: "executor", Data: []byte("\x1b[B\x1b[B\x1b[B")},
		intent.Input{Slot: "executor", Data: []byte("\x1b[A\x1b[A\x1b[A")})
	b.press("pgup") // to the agent: back at the newest
	b.wants = nil
	px, py := b.cellOf("pager")
	b.drag(px, py, px+4, py)
	b.wanted(intent.Copy{Text: "pager"})
}

// TestReadingEndsWithWhatIsRead checks that copy mode ends when another session takes the pane, or
// its lines are wrapped anew.
func TestReadingEndsWithWhatIsRead(t *testing.T) {
	v := longWork()
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "/", "needle", "enter")
	v.Panes[1].Terminal.Resize(40, 25)
	b.send(ViewMsg{v})
	if b.m.screen.copying.Number != 0 {
		t.Error("it reads lines that have other numbers now")
	}
	b.press("ctrl+o", "[", "space", "up")
	v.Panes[1].Terminal = vt.NewLocked(58, 25, 100)
	b.send(ViewMsg{v})
	if b.m.screen.copying.Number != 0 {
		t.Error("it reads a session that is gone")
	}
	b.frame()
	b.press("ctrl+o", "5", "ctrl+o", "[")
	b.shows("Copy mode and search work only in session panes")
}

// TestAnAgentsClipboardIsOnlyOffered checks that an agent's text for the clipboard needs the
// human's consent.
func TestAnAgentsClipboardIsOnlyOffered(t *testing.T) {
	v := longWork()
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "y")
	b.shows("No agent wants to copy text to your clipboard")
	fmt.Fprint(v.Panes[1].Terminal, "\x1b]52;c;cm0gLXJmCWEbW20KYg==\a")
	b.send(ViewMsg{v})
	b.shows(`to your clipboard: Ctrl+O y accepts it. The text: rm -rf\x09a\x1b[m ⏎ b`)
	b.wanted()
	fmt.Fprint(v.Panes[1].Terminal, "\x1b]52;c;ZXZpbA==\a") // too late to be what you accept
	b.press("ctrl+o", "y")
	b.wanted(intent.Copy{Text: text.SanitizeLines("rm -rf\ta\x1b[m\nb")})
	b.send(ViewMsg{v})
	b.shows("accepts it. The text: evil")
	b.press("ctrl+o", "y")
	b.wanted(intent.Copy{Text: "evil"})
	b.send(ViewMsg{v})
	if b.m.notices.shown != nil {
		t.Error("it is offered again")
	}
}

func TestReadingGoesFromPromptToPrompt(t *testing.T) {
	v := longWork()
	for i := range 3 {
		fmt.Fprintf(v.Panes[1].Terminal, "\x1b]133;A\a$ command %d%s", i, strings.Repeat("\r\noutput", 20)+"\r\n")
	}
	b := openAt(t, v, 120, 40)
	b.press("ctrl+o", "[", "[", "[", "shift+v", "y")
	b.wanted(intent.Copy{Text: "$ command 1"})
	b.press("ctrl+o", "[", "g", "]", "shift+v", "y")
	b.wanted(intent.Copy{Text: "$ command 0"})
	b.press("ctrl+o", "[", "]")
	b.shows("No more shell prompts")
}

// TestKeysThatCountEverywhereEndReading checks that global keys end copy mode and still act.
func TestKeysThatCountEverywhereEndReading(t *testing.T) {
	for key, want := range map[string]string{
		"ctrl+c": "Ctrl+C again quits", "f1": "help", "f2": "2 executor", "ctrl+]": "Ctrl+P go to",
		"alt+2": "Keys go to 2 executor", "ctrl+o": "1..9 focus",
	} {
		b := openAt(t, longWork(), 120, 40)
		b.press("ctrl+o", "[", key)
		if b.m.screen.copying.Number != 0 {
			t.Errorf("after %s it still reads", key)
		}
		b.shows(want)
	}
}
