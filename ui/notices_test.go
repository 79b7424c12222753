package ui

import (
	"strings"
	"testing"

	"ferrus/ui/dialog"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// A notice is in the border over the line: the hints stay, no output of an agent is covered, and it
// fades.
func TestANoticeHasItsPlaceAndFades(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}} {
		b := openAt(t, work(), size[0], size[1])
		hints := lastRow(b)
		b.send(DoneMsg{Text: "the check ran; no state was changed"})
		rows := strings.Split(b.frame(), "\n")
		if row := rows[len(rows)-4]; !strings.HasPrefix(row, "╰─ The check ran; no state was changed ") {
			t.Errorf("%v: the border is %q", size, row)
		}
		if lastRow(b) != hints {
			t.Errorf("%v: the hints were %q and are %q", size, hints, lastRow(b))
		}
		b.press("x")
		b.shows("The check ran") // it came by itself: a key that was under way does not take it away
		b.send(faded{1})
		if size[0] > 60 {
			b.shows("(Ctrl+O m: all notices)")
		}
		b.send(faded{0}, faded{1})
		if strings.Contains(b.frame(), "The check ran") {
			t.Errorf("%v: it does not fade", size)
		}
		b.press("ctrl+o", "m")
		b.shows("╭ notices", "The check ran; no state was changed")
	}
}

// A notice over words in a border leaves no rest of them.
func TestANoticeReplacesTheWordsInItsBorder(t *testing.T) {
	v := work()
	for i := range v.Panes {
		v.Panes[i].Message = "you: please hurry along"
	}
	b := openAt(t, v, 60, 20)
	b.shows("╰ you: please hurry along ─")
	b.send(DoneMsg{Text: "archived"})
	b.shows("╰─ Archived ──────────────────")
}

func lastRow(b *fixture) string {
	rows := strings.Split(b.frame(), "\n")
	return rows[len(rows)-1]
}

// The newest three notices that come together are shown, and a later one takes their place. The result of a command
// takes the place of the previous one's.
func TestNoticesThatComeTogether(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	add := func(words ...string) {
		for _, w := range words {
			v.Notices = append(v.Notices, view.Notice{Number: int64(len(v.Notices) + 1), Text: w})
		}
		b.send(ViewMsg{View: v})
	}
	lacks := func(words string) {
		t.Helper()
		if frame := b.frame(); strings.Contains(frame, words) {
			t.Errorf("%q is still shown:\n%s", words, frame)
		}
	}
	b.send(DoneMsg{Text: "ann has joined"})
	add("two has answered", "three has left")
	b.shows("Ann has joined", "Two has answered", "Three has left")
	b.now = b.now.Add(together)
	add("four has joined")
	b.shows("Four has joined")
	lacks("Three has left")
	add("five", "six", "seven")
	b.shows("Five", "Six", "Seven")
	lacks("Four has joined")
	b.now = b.now.Add(together)
	b.send(DoneMsg{Text: "copied 1 line"}, DoneMsg{Text: "copied 2 lines"})
	b.shows("Copied 2 lines")
	lacks("Copied 1 line")
}

// What comes directly after the answer to a key is shown below it, each in its own color; the next key hides only the
// answer.
func TestANoticeLeavesTheAnswerToAKey(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	b.press("/nothing", "enter")
	v.Notices = []view.Notice{{Number: 1, Text: "ferrus.toml was edited"}}
	b.send(ViewMsg{View: v})
	b.shows("Unknown command /nothing", "ferrus.toml was edited")
	f := frame{b.m, b.m.theme, 120}
	if rows := f.noticeRows(); len(rows) != 2 || rows[0].Paint != f.t.Tones[style.Bad] || rows[1].Paint != f.t.Strong {
		t.Errorf("the rows are %q", rows)
	}
	b.press("x")
	b.shows("ferrus.toml was edited")
	if strings.Contains(b.frame(), "Unknown command") {
		t.Errorf("the answer is still there:\n%s", b.frame())
	}
}

// A notice about a key disappears with the next key.
func TestANoticeAboutAKeyGoesWithTheNext(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("hello", "enter")
	b.shows("Press Enter again to send this to the executor")
	b.press("x")
	if strings.Contains(b.frame(), "Press Enter again") {
		t.Error("the notice did not disappear")
	}
}

// Over a page a notice is below it, where it hides neither the hints of the page nor the typed
// text.
func TestANoticeOverAPage(t *testing.T) {
	for typed, row := range map[string]int{"": 2, "half": 3} {
		b := openAt(t, work(), 120, 40)
		if typed != "" {
			b.press(typed)
		}
		b.press("f1")
		before := strings.Split(b.frame(), "\n")
		b.send(DoneMsg{Text: "the check ran"})
		rows := strings.Split(b.frame(), "\n")
		if at := len(rows) - row; strings.TrimSpace(rows[at]) != "The check ran" {
			t.Errorf("typed %q: the row is %q", typed, rows[at])
		}
		if at := len(rows) - 4; rows[at] != before[at] {
			t.Errorf("typed %q: the border is %q", typed, rows[at])
		}
		if typed != "" && !strings.Contains(rows[len(rows)-2], typed) {
			t.Errorf("what was typed is gone: %q", rows[len(rows)-2])
		}
	}
}

// A notice over a page leaves it open.
func TestANoticeLeavesThePageOpen(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.press("f1")
	b.send(DoneMsg{Text: "the check ran"})
	if b.m.Dialog() != dialog.KindHelp {
		t.Error("the help is gone")
	}
}

// Notices that arrive together are all kept, each once.
func TestNoticesThatComeTogetherAreKept(t *testing.T) {
	v := work()
	v.Notices = []view.Notice{{Number: 1, Text: "first"}, {Number: 2, Text: "second"}}
	b := openAt(t, v, 120, 40)
	b.send(ViewMsg{v})
	b.press("ctrl+o", "m")
	if frame := b.frame(); strings.Count(frame, "First") != 1 || strings.Count(frame, "Second") != 1 {
		t.Errorf("the page is\n%s", frame)
	}
}

// The hints match the present action.
func TestHintsFitWhatIsTyped(t *testing.T) {
	for _, c := range []struct {
		typed, want string
		view        view.View
	}{
		{"hello", " Enter send to the executor   Shift+Enter new line", work()},
		{"yes", " Enter answer   Shift+Enter new line", asked(work())},
		{"/sta", " Enter run   Tab complete   Ctrl+C clear", work()},
		{"", " Ctrl+O n what needs you   Ctrl+O more keys", asked(work())},
	} {
		b := openAt(t, c.view, 120, 40)
		b.press(c.typed)
		if row := lastRow(b); !strings.HasPrefix(row, c.want) {
			t.Errorf("after %q the hints are %q", c.typed, row)
		}
	}
}

// TestACommandHidesTheNoticeBeforeIt checks that the error of one command does not stay for the
// next.
func TestACommandHidesTheNoticeBeforeIt(t *testing.T) {
	b := openAt(t, work(), 120, 40)
	b.send(DoneMsg{Error: true, Text: "it did not land"})
	b.shows("It did not land")
	b.press("/help", "enter")
	if strings.Contains(b.frame(), "It did not land") {
		t.Errorf("it is still there:\n%s", b.frame())
	}
}

// If something covers the lower rows of the activity, its newest entry stays visible.
func TestTheNewestEntryIsNotCovered(t *testing.T) {
	v := asked(work())
	v.Ask.Text = strings.Repeat("should retries apply to POST too, ", 10)
	for n := range 30 {
		v.Activity = append(v.Activity, view.Entry{EntryID: view.EntryID{Seq: uint64(100 + n)}, Event: "older"})
	}
	v.Activity = append(v.Activity, view.Entry{EntryID: view.EntryID{Seq: 200}, Event: "newest"})
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		openAt(t, v, size[0], size[1]).shows("newest")
	}
}

func TestOnlyWordsAreCapitalized(t *testing.T) {
	for sentence, want := range map[string]string{
		"load state: no space": "Load state: no space", "denied: ferrus land": "Denied: ferrus land",
		"git commit: exit status 1": "git commit: exit status 1", "gh: not found": "gh: not found",
		"ferrus was replaced": "ferrus was replaced", "claude-code is not logged in": "claude-code is not logged in",
		"codex is not logged in": "codex is not logged in", "codexes are": "Codexes are",
		"ferrus.toml is invalid": "ferrus.toml is invalid", "/land shows it": "/land shows it", "": "",
	} {
		if got := capitalize(sentence, []string{"codex"}); got != want {
			t.Errorf("%q is shown as %q, want %q", sentence, got, want)
		}
	}
}
