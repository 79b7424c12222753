package ui

import (
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// changed returns a change of two files.
func changed() view.Diff {
	return view.Diff{Base: "3f2c1a9", At: "14:16:30", Files: []view.FilePatch{
		{Path: "fetch.go", Added: 2, Removed: 1, Patch: "@@ -10,4 +10,5 @@ func Get() error {\n \tfor " +
			"{\n-\t\treturn once()\n+\t\t// why\n+\t\treturn retry(3)\n \t}\n }\n"},
		{Path: "docs/notes.txt", Added: 40, Patch: "@@ -0,0 +1,40 @@\n" + strings.Repeat("+a note\n", 40)},
		{Path: "picture.png"},
		{Path: "long.txt", Added: 9, Patch: "@@ -1 +1 @@\n+x\n", Cut: true},
	}}
}

func openDiffAt(t *testing.T, w, h int) *fixture {
	b := openAt(t, work(), w, h)
	b.press("f4")
	b.wanted(intent.LoadDiff{})
	b.shows("Loading the diff ...")
	b.send(DiffMsg{Diff: changed()})
	return b
}

func TestTheDiffIsShownByFile(t *testing.T) {
	b := openDiffAt(t, 130, 40)
	b.shows("diff  since 3f2c1a9, as of 14:16:30", "4 files +51 -1  viewed 0", "▾ fetch.go", "┄┄ func Get() error {",
		"  10  10       for {", "  11     -         return once()", "      12 +         return retry(3)")
	b.press("]", "]")
	b.shows("▸ picture.png", "nothing to show")
	b.press("v")
	b.shows("viewed 1", "✓ picture.png")
	picture := view.FilePatch{Path: "picture.png"}
	b.wanted(intent.SaveLayout{Layout: view.SavedLayout{Viewed: []string{picture.Mark()}}})
	b.press("[")
	b.shows("▸ docs/notes.txt")
	b.press("end")
	b.shows("the rest is too long to show")
	b.press("r")
	b.wanted(intent.LoadDiff{})
	b.send(DiffMsg{Error: "read the present tree: no git"})
	b.shows("read the present tree: no git")
	b.press("v", "]", "esc")
	b.shows("F4 diff")
}

// A binary file is folded, unless it raised an alarm, and a renamed one has both names.
func TestBinaryAndRenamedFilesInTheDiff(t *testing.T) {
	b := openDiffAt(t, 130, 40)
	b.send(DiffMsg{Diff: view.Diff{Files: []view.FilePatch{
		{Path: "photo.png", Was: "old.png", Added: 1, Patch: "@@ -0,0 +1 @@\n+\\u0000PNG\n", Binary: true}}}})
	b.shows("▸ old.png -> photo.png", "binary +1 -0")
	b.hides("u0000PNG")
	b.press("o")
	b.shows("▾ old.png -> photo.png", "u0000PNG")
}

func TestMarksGoWithWhatWasRead(t *testing.T) {
	b := openDiffAt(t, 100, 30)
	b.press("v")
	b.shows("✓ fetch.go")
	b.press("esc", "f4")
	again := changed()
	again.Files[0].Patch += "+one more\n"
	b.send(DiffMsg{Diff: again})
	b.shows("▾ fetch.go", "viewed 0")
}

// Viewed files stay viewed in the next HQ, as long as the patch is the same.
func TestMarksStayForTheNextTime(t *testing.T) {
	b := openDiffAt(t, 100, 30)
	b.press("v")
	kept := b.wants[len(b.wants)-1].(intent.SaveLayout).Layout
	next := New(Options{Layout: kept, Do: func(intent.Intent) tea.Cmd { return nil }})
	again := changed()
	next.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	next.Update(OpenMsg{Dialog: dialog.Diff()})
	next.Update(DiffMsg{Diff: again})
	if text := ansi.Strip(next.View().Content); !strings.Contains(text, "✓ fetch.go") ||
		!strings.Contains(text, "viewed 1") {
		t.Errorf("the mark is not kept:\n%s", text)
	}
	many := viewed{marked: map[string]bool{}}
	for i := range 2 * maxViewed {
		many.toggle(strconv.Itoa(i))
	}
	if len(many.order) != maxViewed || len(many.marked) != maxViewed || !many.marked[strconv.Itoa(2*maxViewed-1)] {
		t.Errorf("%d marks are kept", len(many.order))
	}
}

func TestPagesAreSearched(t *testing.T) {
	b := openDiffAt(t, 100, 24)
	b.press("/", "NOTE")
	b.shows("/NOTE▏ 41 lines")
	b.press("enter")
	b.shows("n next  N previous")
	first := b.top()
	b.press("n", "n", "n")
	if top := b.top(); top != first+4 { // the head of the hunk has none
		t.Errorf("it went from line %d to %d", first, top)
	}
	b.press("shift+n", "esc")
	b.shows("/ search")
	b.press("/", "no such thing")
	b.shows("not found")
	b.press("esc", "esc")
	b.shows("F4 diff")
}

func TestAnEntryTellsItsStory(t *testing.T) {
	v := work()
	v.Activity = nil
	for i := range 40 {
		v.Activity = append(v.Activity, view.Entry{EntryID: view.EntryID{Seq: uint64(i + 1)}, At: "14:02",
			Clock: "14:02:11", After: "+1s", Day: "Friday", Event: "check", By: "executor"})
	}
	b := openAt(t, v, 120, 40)
	b.press("f3", "up", "up", "enter")
	b.wanted(intent.LoadEntry{Entry: view.EntryID{Seq: 38}})
	b.send(PageMsg{Title: "entry 38", Text: "# check\n\nwith **words**"})
	b.shows("entry 38", "with words", "Esc back")
	b.press("esc")
	b.shows("log", "40 entries")
	b.press("esc", "ctrl+o", "5", "up", "up", "up", "enter")
	b.wanted(intent.LoadEntry{Entry: view.EntryID{Seq: 37}})
	b.send(PageMsg{Title: "entry 37", Text: "all of it"})
	b.shows("entry 37")
	b.press("esc", "esc")
	b.send(PageMsg{Title: "entry 36", Text: "late"})
	b.shows("5 activity: Up and Down choose")
}

// top returns the first line that a page shows.
func (b *fixture) top() (line int) {
	b.Helper()
	_, foot, _ := strings.Cut(b.frame(), "\n╰")
	if _, err := fmt.Sscanf(foot, " %d-", &line); err != nil {
		b.Fatalf("no place in %q", foot)
	}
	return line
}

// Keys that are pressed while the diff loads act once it is there.
func TestKeysWaitForTheDiff(t *testing.T) {
	b := openAt(t, work(), 160, 40)
	b.press("f4", "]", "]", "v")
	b.send(DiffMsg{Diff: changed()})
	b.shows("viewed 1", "✓ picture.png")
	b.press("r", "esc")
	b.send(DiffMsg{Diff: changed()})
	b.shows("F4 diff")
}

// TestTheFootOfADiffSaysHowToLeave checks that, without room for all keys, the one that closes the
// page stays and no hint is cut.
func TestTheFootOfADiffSaysHowToLeave(t *testing.T) {
	for w := 60; w < 120; w++ {
		b := openAt(t, work(), w, 20)
		b.press("f4")
		b.send(DiffMsg{Diff: view.Diff{Files: []view.FilePatch{
			{Path: "main.go", Added: 40, Patch: "@@ -0,0 +1,40 @@\n" + strings.Repeat("+one\n", 40)},
		}}})
		rows := strings.Split(b.frame(), "\n")
		if foot := rows[16]; !strings.Contains(foot, " of ") || !strings.Contains(foot, "Esc close ") ||
			strings.Contains(foot, "…") {
			t.Fatalf("in %d columns: %s", w, foot)
		}
	}
}
