package vt

import (
	"strings"
	"testing"
)

// text is what row y shows, without trailing blanks.
func rowText(t *Terminal, y int) string {
	var b strings.Builder
	columns, _ := t.Size()
	for x := range columns {
		s, _ := t.Cell(x, y)
		b.WriteString(s)
	}
	return strings.TrimRight(b.String(), " ")
}

// screenText returns what the screen shows, without trailing blank rows.
func screenText(t *Terminal) string {
	_, rows := t.Size()
	lines := make([]string, rows)
	for y := range lines {
		lines[y] = rowText(t, y)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// written returns a terminal of 10x4 with 5 lines of scrollback that got s.
func written(s string) *Terminal {
	t := New(10, 4, 5)
	t.Write([]byte(s))
	return t
}

func TestScreen(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, input, want string }{
		{"text wraps", "abcdefghijkl", "abcdefghij\nkl"},
		{"the last column does not wrap by itself", "abcdefghij\r\nk", "abcdefghij\nk"},
		{"backspace after the last column stays in it", "0123456789\b*", "012345678*"},
		{"back from after the last column", "0123456789\x1b[2D*", "01234567*9"},
		{"erasing after the last column leaves it", "0123456789\x1b[K\x1b[J\x1b[X*", "0123456789\n*"},
		{"inserting and deleting after the last column does nothing", "0123456789\x1b[@\x1b[P*", "0123456789\n*"},
		{"a line feed stays after the last column", "0123456789\n*", "0123456789\n\n*"},
		{"insert line leaves the cursor in its column", "ab\x1b[L*", "  *\nab"},
		{"the saved cursor is the same on both screens", "ab\x1b7cd\x1b[?1049h\x1b[4H\x1b[?1049l\x1b8*", "ab*d"},
		{"leaving the alternate screen again puts the cursor back",
			"ab\x1b[?1049h\x1b[?1049l\x1b[3Hcd\x1b[?1049l*", "ab*\n\ncd"},
		{"line feed scrolls", "1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5"},
		{"wide characters do not hang over", "abcdefghi漢", "abcdefghi\n漢"},
		{"half a wide character is a blank", "漢字\x1b[2Gx", " x字"},
		{"marks join the cell before", "e\u0301x", "e\u0301x"},
		{"marks join the last column", "abcdefghie\u0301x", "abcdefghie\u0301\nx"},
		{"broken bytes are one replacement each", "a\xe2\x82b\xff", "a\ufffdb\ufffd"},
		{"directional characters are dropped", "a\u202eb", "ab"},
		{"joined emoji are one cell pair", "👩\u200d💻x", "👩\u200d💻x"},
		{"erase to the right", "abcdef\x1b[3D\x1b[K", "abc"},
		{"erase to the left", "abcdef\x1b[3D\x1b[1K", "    ef"},
		{"erase characters", "abcdef\x1b[4D\x1b[2X", "ab  ef"},
		{"insert characters", "abcdef\x1b[4D\x1b[2@", "ab  cdef"},
		{"delete characters", "abcdef\x1b[4D\x1b[2P", "abef"},
		{"insert mode", "abc\r\x1b[4hxy\x1b[4lz", "xyzbc"},
		{"insert line", "1\r\n2\r\n3\x1b[2H\x1b[L", "1\n\n2\n3"},
		{"delete line", "1\r\n2\r\n3\x1b[2H\x1b[M", "1\n3"},
		{"scroll region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3H\n", "1\n3\n\n4"},
		{"reverse line feed scrolls the region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2H\x1bM", "1\n\n2\n4"},
		{"origin mode", "\x1b[2;3r\x1b[?6h\x1b[1;2Hx", "\n x"},
		{"without wrap the last character wins", "\x1b[?7labcdefghijkl", "abcdefghil"},
		{"tabs", "a\tb\x1b[3g\x1b[5G\x1bH\rc\td", "c   d   b"},
		{"repeat", "ab\x1b[3b", "abbbb"},
		{"line drawing", "\x1b(0lqk\x1b(Bq\x0e", "┌─┐q"},
		{"shift out", "\x1b)0a\x0ea\x0fa", "a▒a"},
		{"alignment", "\x1b#8\x1b[2J\x1b[Hx", "x"},
		{"alternate screen", "main\x1b[?1049h\x1b[Halt\x1b[?1049l!", "main!"},
		{"save and restore", "ab\x1b7cd\x1b8x", "abxd"},
		{"strings are not shown", "a\x1bPxyz\x1b\\b\x1b_hm\x1b\\c\x1b]0;t\x07d", "abcd"},
		{"unknown sequences are not shown", "a\x1b[?5;3$wb\x1b[<1;2;3zc\x1b%Gd", "abcd"},
		{"cancel", "a\x1b[31\x18b", "ab"},
		{"controls within a sequence", "a\x1b[\r1Cb", "ab"},
		{"reset", "abc\x1b[?25l\x1b[2;3r\x1bcx", "x"},
	}
	for _, c := range cases {
		if got := screenText(written(c.input)); got != c.want {
			t.Errorf("%s: %q shows\n%q, want\n%q", c.name, c.input, got, c.want)
		}
	}
}

func TestRowIsTextWithStyles(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, input, want string }{
		{"blank", "", "\x1b[m"},
		{"plain", "ab  ", "ab\x1b[m"},
		{"style", "a\x1b[1;31mb\x1b[mc", "a\x1b[0;1;38;5;1mb\x1b[mc\x1b[m"},
		{"background to the end is kept", "\x1b[44m\x1b[K", "\x1b[0;48;5;4m          \x1b[m\x1b[m"},
		{"direct colours in both forms", "\x1b[38;2;1;2;3ma\x1b[38:2::1:2:3mb", "\x1b[0;38;2;1;2;3mab\x1b[m\x1b[m"},
		{"curly underline and its colour", "\x1b[4:3;58:5:9ma", "\x1b[0;4:3;58;5;9ma\x1b[m\x1b[m"},
		{"a narrow symbol stays narrow", "❤\ufe0fx", "❤x\x1b[m"},
		{"what terminals disagree on is not drawn", "👍🏽x👩\u200d💻y", "👍x👩y\x1b[m"},
		{"marks are drawn", "e\u0301x", "e\u0301x\x1b[m"},
		{"links are left off", "\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\", "\x1b[0ma\x1b[m\x1b[m"},
	}
	for _, c := range cases {
		if got := written(c.input).Row(0); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.name, c.input, got, c.want)
		}
	}
}

// TestErasingLeavesTheBackground: what is erased, inserted or scrolled in has the
// background of the pen, and nothing else of it.
func TestErasingLeavesTheBackground(t *testing.T) {
	t.Parallel()
	const pen = "\x1b[1;4;31;44m"
	cases := []struct {
		name, input string
		x, y        int
	}{
		{"to the end of the line", "abc\x1b[H" + pen + "\x1b[K", 9, 0},
		{"to the beginning of the line", "abc" + pen + "\x1b[1K", 0, 0},
		{"the line", "abc" + pen + "\x1b[2K", 9, 0},
		{"to the end of the screen", "abc" + pen + "\x1b[J", 9, 3},
		{"to the beginning of the screen", "abc\x1b[4;4H" + pen + "\x1b[1J", 9, 0},
		{"the screen", "abc" + pen + "\x1b[2J", 0, 0},
		{"characters", "abc\x1b[H" + pen + "\x1b[2X", 1, 0},
		{"inserting characters", "abc\x1b[H" + pen + "\x1b[2@", 1, 0},
		{"deleting characters", "abc\x1b[H" + pen + "\x1b[P", 9, 0},
		{"inserting lines", "abc\x1b[H" + pen + "\x1b[L", 9, 0},
		{"deleting lines", "abc\x1b[H" + pen + "\x1b[M", 9, 3},
		{"scrolling up", "abc" + pen + "\x1b[S", 9, 3},
		{"scrolling down", "abc" + pen + "\x1b[T", 9, 0},
		{"a line feed", "\x1b[4H" + pen + "\n", 9, 3},
		{"a reverse line feed", pen + "\x1bM", 9, 0},
	}
	for _, c := range cases {
		if text, style := written(c.input).Cell(c.x, c.y); text != " " || style != (Style{BG: Palette(4)}) {
			t.Errorf("%s leaves %q in %+v", c.name, text, style)
		}
	}
}

func TestOnlyALineFeedScrollsInTheBackground(t *testing.T) {
	t.Parallel()
	if got, want := written("\x1b[4H\x1b[44m0123456789x").Row(3), "\x1b[0;48;5;4mx\x1b[m\x1b[m"; got != want {
		t.Errorf("wrapping: %q, want %q", got, want)
	}
	if got, want := written("\x1b[4H\x1b[44m\nx\x1b[1K").Row(3), "\x1b[0;48;5;4m          \x1b[m\x1b[m"; got != want {
		t.Errorf("a line feed: %q, want %q", got, want)
	}
}
