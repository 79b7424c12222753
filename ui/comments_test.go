package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// openComments opens the diff page with comments that were sent.
func openComments(t *testing.T, w, h int, all ...view.Comment) *fixture {
	v := work()
	v.SendComments = "rejects the submission"
	b := openAt(t, v, w, h)
	d := changed()
	d.Comments = all
	if len(all) > 0 {
		d.Rounds = all[len(all)-1].Round
	}
	b.press("f4")
	b.wanted(intent.LoadDiff{})
	b.send(DiffMsg{Diff: d})
	return b
}

// kept returns the drafts that were kept last.
func (b *fixture) kept() []view.Comment {
	b.Helper()
	for _, i := range slices.Backward(b.wants) {
		if k, ok := i.(intent.KeepComments); ok {
			return k.Drafts
		}
	}
	b.Fatal("nothing was kept")
	return nil
}

func TestACommentOnALine(t *testing.T) {
	b := openComments(t, 100, 30)
	b.press("c")
	b.shows("▸ 10  10       for {")
	b.press("down", "down", "c")
	b.shows("comment on fetch.go:11", "Enter keep")
	b.press("Use the context.", "ctrl+j", "And say why", "left", "left", "left", "W", "enter")
	b.shows("▾ draft", "│ Use the context.", "│ And say Wwhy", "1 comment")
	got := b.kept()
	if len(got) != 1 || got[0].Text != "Use the context.\nAnd say Wwhy" || got[0].Spot.Path != "fetch.go" ||
		got[0].Spot.Line != 11 || got[0].Spot.Old || got[0].Spot.Hunk != "@@ -10,4 +10,5 @@ func Get() error {" ||
		!slices.Equal(got[0].Spot.Quote, []string{"\t\t// why"}) ||
		!slices.Equal(got[0].Spot.Before, []string{"\tfor {"}) ||
		!slices.Equal(got[0].Spot.After, []string{"\t\treturn retry(3)", "\t}", "}"}) {
		t.Errorf("kept %+v", got)
	}
	b.press("e", "!", "enter") // below the line of the cursor
	if got := b.kept(); len(got) != 1 || got[0].Text != "Use the context.\nAnd say Wwhy!" {
		t.Errorf("edited from its line to %+v", got)
	}
	b.press("down", "e", "ctrl+u", "ctrl+h", "ctrl+u", "Shorter", "enter")
	if got := b.kept(); len(got) != 1 || got[0].Text != "Shorter" {
		t.Errorf("edited to %+v", got)
	}
	b.press("d", "x", "d")
	b.shows("Shorter")
	b.press("d")
	if got := b.kept(); len(got) != 0 {
		t.Errorf("deleted, and there is %+v", got)
	}
}

func TestACommentOnDeletedLinesAndOnSeveral(t *testing.T) {
	b := openComments(t, 100, 30)
	b.press("c", "down", "c", "Why?", "enter")
	if got := b.kept()[0].Spot; !got.Old || got.Line != 11 || !slices.Equal(got.Quote, []string{"\t\treturn once()"}) {
		t.Errorf("on the deleted line: %+v", got)
	}
	b.press("down", "down", "shift+down", "shift+down", "c", "All of it", "enter")
	if got := b.kept()[1].Spot; got.Old || got.Line != 11 || got.Last != 13 || len(got.Quote) != 3 {
		t.Errorf("on several lines: %+v", got)
	}
	b.press("g", "c", "The file", "enter")
	if got := b.kept()[2].Spot; got.Path != "fetch.go" || got.Line != 0 {
		t.Errorf("on the file: %+v", got)
	}
	b.press("c", "Nothing of this", "esc")
	if got := b.kept(); len(got) != 3 {
		t.Errorf("a cancelled comment was kept: %+v", got)
	}
}

// With the sides next to each other, left and right choose the side; a click chooses a line and a
// side.
func TestTheSideOfAComment(t *testing.T) {
	b := openComments(t, 150, 30)
	b.press("c", "down", "c", "New", "enter", "left", "c", "Old", "enter")
	if got := b.kept(); got[0].Spot.Old || !got[1].Spot.Old || got[1].Spot.Line != 11 {
		t.Errorf("sides: %+v", got)
	}
	b.send(tea.MouseClickMsg{X: 10, Y: 5, Button: tea.MouseLeft})
	b.press("c")
	b.shows("comment on fetch.go:11 (old side)")
	b.press("esc")
	b.send(tea.MouseClickMsg{X: 120, Y: 5, Button: tea.MouseLeft})
	b.press("c")
	b.shows("comment on fetch.go:11 ")
}

func TestTheRoundIsSent(t *testing.T) {
	b := openComments(t, 100, 30)
	b.press("shift+s")
	b.shows("There is no comment to send: c writes one")
	b.press("c", "c", "One", "enter")
	b.wants = nil
	b.press("shift+s")
	b.shows("Send 1 comment?", "Sending rejects the submission.")
	b.press("n")
	b.shows("│ One")
	b.wanted()
	b.press("shift+s", "y")
	if sent, ok := b.wants[0].(intent.SendComments); !ok || len(sent.Drafts) != 1 || sent.Drafts[0].Text != "One" {
		t.Errorf("sent %+v", b.wants)
	}
	b.shows("diff  since 3f2c1a9")
}

func TestPastesGoIntoTheComment(t *testing.T) {
	b := openComments(t, 100, 30)
	b.press("c", "c")
	b.send(tea.PasteMsg{Content: "two\nlines\x1b[2J"})
	b.press("enter")
	if got := b.kept()[0].Text; got != "two\nlines" && got != "two\nlines[2J" {
		t.Errorf("pasted %q", got)
	}
}

// answered are comments of two rounds: done, declined and open, one of them moved.
var answered = []view.Comment{
	{ID: "c1", Round: 1, State: view.CommentDone, Text: "Rename it.", Answer: "It is named retry now.",
		By:    "executor:codex:1",
		Spot:  view.Spot{Path: "fetch.go", Line: 12},
		Place: view.Place{File: "fetch.go", Line: 12, Last: 12, Why: "its lines have changed"}},
	{ID: "c2", Round: 1, State: view.CommentDeclined, Text: "Drop this.", Answer: "The tests need it.", By: "e",
		Spot: view.Spot{Path: "gone.go", Line: 3}, Place: view.Place{Why: "the file is not in this diff"}},
	{ID: "c3", Round: 2, State: view.CommentOpen, Text: "And this?", Spot: view.Spot{Path: "docs/notes.txt"},
		Place: view.Place{File: "docs/notes.txt"}},
}

func TestAnsweredCommentsAreFolded(t *testing.T) {
	b := openComments(t, 130, 40, answered...)
	b.shows("▸ c1 done Rename it.", "▸ c2 declined Drop this.", "▾ c3 round 2 open", "│ And this?")
	b.hides("The tests need it.")
	b.press("x")
	b.shows("▾ c2 round 1 declined gone.go:3: the file is not in this diff", "├ e:", "│ The tests need it.",
		"c1 round 1 done fetch.go:12: its lines have changed", "executor:codex:1:", "│ It is named retry now.")
	b.press("l")
	b.shows("Round 1: 2 comments, 0 open", "Round 2: 1 comment, 1 open", "▸ c1   done", "c3   open     docs/notes.txt")
	b.press("down", "down", "enter")
	b.shows("▸   ") // the cursor is on it
	b.press("c")
	b.shows("comment on docs/notes.txt")
	b.press("esc", "u")
	b.wanted(intent.LoadDiff{Round: 2})
	d := changed()
	d.Since, d.Rounds = 2, 2
	b.send(DiffMsg{Diff: d})
	b.shows("since round 2 of comments")
	b.press("u")
	b.wanted(intent.LoadDiff{})
}

// The cursor stays on its line when comments above it unfold, or are deleted.
func TestTheCursorStaysOnItsLine(t *testing.T) {
	b := openComments(t, 100, 30, answered...)
	b.press("c", "down", "down", "down", "down", "down", "x", "c")
	b.shows("comment on fetch.go:13 ")
	b.press("One", "enter", "x", "down", "down", "c")
	b.shows("comment on fetch.go:14 ")
}

// Every comment is drawn exactly once, wherever it is.
func TestEveryCommentIsDrawnOnce(t *testing.T) {
	var all []view.Comment
	for line := range 60 {
		for _, old := range []bool{false, true} {
			all = append(all, view.Comment{ID: "c", Round: 1, State: view.CommentDone, Text: "here it is",
				Spot: view.Spot{Old: old}, Place: view.Place{File: "fetch.go", Line: line, Last: line}})
		}
	}
	for _, w := range []int{60, 100, 150, 200} {
		b := openComments(t, w, 200, all...)
		if n := strings.Count(b.frame(), "here it is"); n != len(all) {
			t.Errorf("%d columns: %d of %d comments", w, n, len(all))
		}
	}
}
