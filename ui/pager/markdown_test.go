package pager

import (
	"ferrus/ui/style"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

const sheetText = "# Add a retry\n\nThe **fetcher** gives up at once; it should try again, `3` times at most, " +
	"as\nthe [docs](https://example.org) say of snake_case_names and 2 * 3 * 4.\n\n" +
	"## Done when\n- a `503` is tried again\n  - after a pause\n- [x] POST is not\n1. first\n2. second, which is so " +
	"long that it does not fit on one line of the page\n\n> quoted words\n> follow\n\n" +
	"```go\nfunc Get() error { // once\n\treturn nil\n}\n```\n\n| what | how many |\n|---|--:|\n| `tries` | 3 |\n| " +
	"a \\| b | **9** |\n\n---\nunclosed `code and **bold"

func TestMarkdownIsDrawn(t *testing.T) {
	want := `
 Add a retry

 The fetcher gives up at once; it should try again, 3
 times at most, as the docs say of snake_case_names and
 2 * 3 * 4.

 Done when
  • a 503 is tried again
    • after a pause
  ☑ POST is not
  1. first
  2. second, which is so long that it does not fit on
     one line of the page

 ▏ quoted words follow

 │ func Get() error { // once
 │     return nil
 │ }

 what   how many
 ─────  ────────
 tries  3
 a | b  9

 ──────────────────────────────────────────────────────
 unclosed ` + "`code and **bold"
	got := Markdown(style.NewTheme(true), sheetText, 56)
	var b strings.Builder
	for _, line := range got {
		if n := ansi.StringWidth(line); n != 56 {
			t.Errorf("%d cells: %q", n, line)
		}
		b.WriteString("\n" + strings.TrimRight(ansi.Strip(line), " "))
	}
	if b.String() != want {
		t.Errorf("it is%s\nwant%s", b.String(), want)
	}
}

// FuzzMarkdown: any text in any width is rows of exactly that width.
func FuzzMarkdown(f *testing.F) {
	f.Add(sheetText, 40)
	f.Add("| a | 漢字 |\n|--|--|\n| x |", 9)
	f.Add("> \n- - -\n```\n", 1)
	f.Add("\u0d46", 67)
	f.Fuzz(func(t *testing.T, text string, w int) {
		if w < 1 || w > 300 || len(text) > 1<<14 {
			return
		}
		for _, line := range Markdown(style.NewTheme(true), text, w) {
			if n := ansi.StringWidth(line); n != w {
				t.Errorf("%d cells of %d: %q", n, w, line)
			}
		}
	})
}
