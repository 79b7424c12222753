package pager

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/view"
)

// FuzzDrawPatch draws any patch: every row is one line.
func FuzzDrawPatch(f *testing.F) {
	for _, patch := range []string{"@@ -1 +1 @@\n+x\n-y\n @", "@@ -99999999999999999999 + @@\n\\ No newline"} {
		f.Add(patch)
	}
	theme := style.NewTheme(true)
	f.Fuzz(func(t *testing.T, patch string) {
		file := view.FilePatch{Path: "a.go", Patch: patch}
		for _, line := range drawPatch(theme, &file, nil, moves{}, 40, patchComments{}).Rows {
			if strings.Contains(line, "\n") {
				t.Errorf("%q is one line", line)
			}
		}
	})
}

// TestLongLinesCanBeRead checks that a line that does not fit into a row continues in the next,
// with one side as with two, and that its replacement is next to its beginning.
func TestLongLinesCanBeRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789 漢字 ", 20) + "end"
	file := view.FilePatch{Path: "a.txt", Patch: "@@ -1,2 +1,2 @@\n-" + long + "\n+short\n same\n"}
	for _, w := range []int{40, 104, 160} {
		patch := drawPatch(style.NewTheme(true), &file, nil, moves{}, w, patchComments{})
		var shown strings.Builder
		for i, row := range patch.Rows {
			plain := ansi.Strip(row)
			if got := ansi.StringWidth(row); got != w {
				t.Errorf("%d columns: row %d has %d: %q", w, i, got, plain)
			}
			if w < sideBySide {
				shown.WriteString(strings.TrimRight(plain[min(len(plain), 11):], " "))
				continue
			}
			left, _, _ := strings.Cut(plain, "│")
			shown.WriteString(strings.TrimRight(left[min(len(left), 7):], " "))
		}
		if got := withoutBlanks(shown.String()); !strings.Contains(got, withoutBlanks(long)) {
			t.Errorf("%d columns: the line is cut: %q", w, got)
		}
		if w >= sideBySide && !strings.Contains(ansi.Strip(patch.Rows[1]), "+ short") {
			t.Errorf("%d columns: the new line is not beside the old one: %q", w, ansi.Strip(patch.Rows[1]))
		}
	}
}

// TestAFileOfOneSideHasTheWidth checks that an added or deleted file has no empty side.
func TestAFileOfOneSideHasTheWidth(t *testing.T) {
	t.Parallel()
	for patch, want := range map[string]bool{
		"@@ -0,0 +1,2 @@\n+one\n+two\n":       false,
		"@@ -1,2 +0,0 @@\n-one\n-two\n":       false,
		"@@ -1,1 +1,1 @@\n-one\n+two\n":       true,
		"@@ -1,1 +1,2 @@\n same\n+one more\n": true,
	} {
		file := view.FilePatch{Path: "a.txt", Patch: patch}
		rows := drawPatch(style.NewTheme(true), &file, nil, moves{}, 160, patchComments{}).Rows
		if got := strings.Contains(rows[1], "│"); got != want {
			t.Errorf("%q: the sides are beside each other: %v, want %v", patch, got, want)
		}
	}
}

// TestALongLineIsBrokenBetweenWords checks that a line is broken between words if it has any.
func TestALongLineIsBrokenBetweenWords(t *testing.T) {
	t.Parallel()
	line := style.Spans{{"the quick brown fox ", ""}, {"jumps", ""}, {" over", ""}, {"abcdefghijklmnopqrstuvwxyz", ""}}
	var got []string
	for _, part := range line.Break(24) {
		got = append(got, part.Render())
	}
	want := []string{"the quick brown fox ", "jumps overabcdefghijklmn", "opqrstuvwxyz"}
	if !slices.Equal(got, want) {
		t.Errorf("the lines are %q, want %q", got, want)
	}
}
