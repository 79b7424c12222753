package ui

import (
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestSeveralLines(t *testing.T) {
	b := open80(t, asked(work()))
	b.press("one", "shift+enter", "two", "alt+enter", "three", "ctrl+j", "four")
	b.shows("? one", "  two", "  three", "  four")
	b.press("enter")
	b.wanted(intent.SaveHistory{Line: "one\ntwo\nthree\nfour"},
		intent.Answer{Ask: *asked(work()).Ask, Text: "one\ntwo\nthree\nfour"})
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"/ta|tab", "/task "},
		{"/re|tab", "/reject "},
		{"/re|tab|tab", "/retry"},
		{"/re|tab|shift+tab", "/reset-spec"},
		{"/res|tab", "/resume "},
		{"/check |tab", "/check --"},
		{"/check --c|tab", "/check --cancel "},
		{"/model su|tab", "/model supervisor "},
		{"/model supervisor s|tab", "/model supervisor sonnet "},
		{"/resume e|tab", "/resume executor "},
		{"/tk|tab", "/task "},
		{"tab", ""}, // there is no other agent
	} {
		b := open80(t, work())
		b.press(strings.Split(c.keys, "|")...)
		if b.m.prompt.Value() != c.want {
			t.Errorf("%s gives %q, want %q", c.keys, b.m.prompt.Value(), c.want)
		}
	}
}

func TestAnUnfinishedNameIsNotRun(t *testing.T) {
	b := open80(t, work())
	b.press("/stat", "enter")
	b.shows("> /status", "Press Enter again to run /status")
	b.press("enter")
	b.shows("╭ status")
}

func TestHistory(t *testing.T) {
	b := open80(t, work())
	b.press("/stop", "enter", "/plan", "enter")
	b.press("draft", "up")
	b.shows("> /plan")
	b.press("up", "up")
	b.shows("> /stop")
	b.press("down", "down")
	b.shows("> executor  draft")
}

func TestEditing(t *testing.T) {
	for keys, want := range map[string]string{
		"one two|ctrl+w|three":                      "one three",
		"one two|ctrl+a|zero ":                      "zero one two",
		"one two|alt+b|ctrl+k":                      "one ",
		"one two|alt+b|ctrl+u|ctrl+e|!":             "two!",
		"one two|ctrl+w|ctrl+a|ctrl+y| ":            "two one ",
		"ab|ctrl+t":                                 "ba",
		"é漢x|left|backspace":                        "éx",
		"x|left|delete|y":                           "y",
		"one two|ctrl+a|alt+d|1":                    "1 two",
		"one|ctrl+j|two|up|home|0|end|!|down|end|.": "0one!\ntwo.",
	} {
		b := open80(t, work())
		b.press(strings.Split(keys, "|")...)
		if b.m.prompt.Value() != want {
			t.Errorf("%s gives %q, want %q", keys, b.m.prompt.Value(), want)
		}
	}
}

func TestPasteIsCleaned(t *testing.T) {
	b := open80(t, work())
	b.send(tea.PasteMsg{Content: "a\x1b[2Jb\r\nc\u202ed\re"})
	if b.m.prompt.Value() != "ab\ncd\ne" {
		t.Errorf("pasted %q", b.m.prompt.Value())
	}
}

func TestALongTextScrollsWithItsCursor(t *testing.T) {
	b := open80(t, work())
	for range 4 {
		b.send(tea.PasteMsg{Content: strings.Repeat("word\n", 10)})
	}
	b.press("the end")
	b.shows("   the end")
	if c := b.m.View().Cursor; c == nil || c.X != 20 || c.Y != 22 {
		t.Errorf("the cursor is at %+v", c)
	}
	b.send(tea.KeyPressMsg{Code: tea.KeyHome, Mod: tea.ModCtrl})
	if c := b.m.View().Cursor; c == nil || c.X != 13 || c.Y != 17 {
		t.Errorf("at the beginning the cursor is at %+v", c)
	}
	b.press("up")
	if !strings.HasSuffix(b.m.prompt.Value(), "the end") {
		t.Errorf("a prompt without history has %q", b.m.prompt.Value())
	}
}

func TestAFullRowWraps(t *testing.T) {
	b := open80(t, work())
	b.press(strings.Repeat("x", 66))
	if c := b.m.View().Cursor; c == nil || c.X != 79 || c.Y != 22 {
		t.Errorf("before the edge the cursor is at %+v", c)
	}
	b.press("y")
	if c := b.m.View().Cursor; c == nil || c.X != 13 || c.Y != 22 {
		t.Errorf("at the edge the cursor is at %+v", c)
	}
	b.shows(" > executor  " + strings.Repeat("x", 66) + "y")
}

func TestSelectedTextIsReplaced(t *testing.T) {
	b := open80(t, work())
	b.press("one two")
	for range 3 {
		b.send(tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModShift})
	}
	b.press("six")
	b.shows("> executor  one six")
}

func BenchmarkTyping(b *testing.B) {
	for name, size := range map[string]int{"empty": 0, "64KiB": prompt.MaxText/5 - 1} {
		b.Run(name, func(b *testing.B) {
			m := New(Options{Do: func(intent.Intent) tea.Cmd { return nil }})
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			m.prompt.Set(strings.Repeat("word ", size))
			m.Update(tea.KeyPressMsg(named["ctrl+j"]))
			for b.Loop() {
				m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				_ = m.View()
			}
		})
	}
}

// TestAnUnknownCommandCannotRun checks that Enter is not said to run what no command is.
func TestAnUnknownCommandCannotRun(t *testing.T) {
	for typed, runs := range map[string]bool{
		"/stop": true, "/sto": true, "/": true, "/xyzzy": false, "/sto now": false,
	} {
		b := openAt(t, work(), 120, 40)
		b.press(typed)
		if runs {
			b.shows("Enter run")
		} else {
			b.hides("Enter run")
		}
	}
}

// TestAReasonIsShownOnce checks that an unavailable command shows its reason beside it while it is
// typed and in a notice once it is refused, but never in both places.
func TestAReasonIsShownOnce(t *testing.T) {
	const reason = "not available: the task is Executing, not Reviewing"
	b := openAt(t, work(), 120, 40)
	b.press("/approve")
	count := func(want int) {
		t.Helper()
		if n := strings.Count(b.frame(), reason); n != want {
			t.Errorf("the reason is shown %d times, not %d:\n%s", n, want, b.frame())
		}
	}
	count(1)
	b.hides("Enter run")
	b.press("enter")
	count(1)
	b.shows("/approve is " + reason)
	b.press("x", "backspace")
	count(1)
	b.hides("/approve is ")
	b.press("ctrl+u", "/stop")
	b.shows("Enter run")
}
