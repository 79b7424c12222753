package vt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestReplies(t *testing.T) {
	t.Parallel()
	cases := []struct{ asked, want string }{
		{"\x1b[c", "\x1b[?62;22c"},
		{"\x1b[>c", "\x1b[>1;400;0c"},
		{"\x1b[5n", "\x1b[0n"},
		{"\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
		{"\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
		{"\x1b[?6n", "\x1b[?1;1;1R"},
		{"\x1b[?996n", "\x1b[?997;1n"},
		{"\x1b[>q", "\x1bP>|ferrus\x1b\\"},
		{"\x1b[?2026$p", "\x1b[?2026;2$y"},
		{"\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"},
		{"\x1b[?25$p", "\x1b[?25;1$y"},
		{"\x1b[?1002h\x1b[?1002$p\x1b[?1000$p", "\x1b[?1002;1$y\x1b[?1000;2$y"},
		{"\x1b[?1049$p", "\x1b[?1049;2$y"},
		{"\x1b[?4242$p", "\x1b[?4242;0$y"},
		// mouse by pixels, margins at the sides
		{"\x1b[?1016h\x1b[?1016$p\x1b[?69h\x1b[?69$p", "\x1b[?1016;0$y\x1b[?69;0$y"},
		{"\x1b[4h\x1b[4$p", "\x1b[4;1$y"},
		{"\x1b[?u", "\x1b[?0u"},
		{"\x1b[>5u\x1b[?u\x1b[>1u\x1b[?u\x1b[<1u\x1b[?u", "\x1b[?5u\x1b[?1u\x1b[?5u"},
		{"\x1b[=3;1u\x1b[=4;2u\x1b[=1;3u\x1b[?u", "\x1b[?6u"},
		{"\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"},
		{"\x1b[>4;2m\x1b[>4n\x1b[?4m", "\x1b[>4;0m"},
		{"\x1b[>4;2m\x1b[>4m\x1b[?4m", "\x1b[>4;0m"},
		{"\x1b[20h\x1b[20$p\x1b[99$p", "\x1b[20;1$y\x1b[99;0$y"},
		{"\x1b[18t", "\x1b[8;4;10t"},
		{"\x1b]11;?\x1b\\", "\x1b]11;rgb:1616/1919/2121\x1b\\"},
		{"\x1b]10;?;?\a", "\x1b]10;rgb:d8d8/dede/e9e9\a\x1b]11;rgb:1616/1919/2121\a"},
		{"\x1b]12;?\x1b\\", "\x1b]12;rgb:d8d8/dede/e9e9\x1b\\"},
		{"\x1b]4;196;?\a", "\x1b]4;196;rgb:ffff/0000/0000\a"},
		{"\x1b]11;#123456\a", ""},
		{"\x1b]52;c;?\a", ""},
		{"\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"},
		{"\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;38;5;1m\x1b\\"},
		{"\x1bP$qr\x1b\\", "\x1bP1$r1;4r\x1b\\"},
		{"\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\"},
		{"\x1bP+q544e\x1b\\", ""},
	}
	for _, c := range cases {
		v := written(c.asked)
		if got := string(v.Replies()); got != c.want {
			t.Errorf("%q is answered %q, want %q", c.asked, got, c.want)
		}
		if got := v.Replies(); got != nil {
			t.Errorf("%q is answered again: %q", c.asked, got)
		}
	}
}

// TestEveryModeIsReported: DECRQM of each mode that is known.
func TestEveryModeIsReported(t *testing.T) {
	t.Parallel()
	modes := []int{47, 1047, 1049}
	for _, m := range privateFlags {
		modes = append(modes, m.number)
	}
	modes = slices.Concat(modes, slices.Collect(maps.Keys(mouseModes)), slices.Collect(maps.Keys(mouseEncodings)))
	for _, n := range modes {
		v := written(fmt.Sprintf("\x1b[?%dh\x1b[?%d$p\x1b[?%dl\x1b[?%d$p", n, n, n, n))
		if got, want := string(v.Replies()), fmt.Sprintf("\x1b[?%d;1$y\x1b[?%d;2$y", n, n); got != want {
			t.Errorf("mode %d, on and off, is %q, want %q", n, got, want)
		}
	}
}

func TestRepliesNobodyReadsAreBounded(t *testing.T) {
	t.Parallel()
	v := written(strings.Repeat("\x1b[c", 100_000))
	if n := len(v.Replies()); n > maxReplies+100 {
		t.Errorf("%d bytes wait", n)
	}
}

func TestWhatTheProgramTells(t *testing.T) {
	t.Parallel()
	v := written(
		"\x1b]2;a\x1b]0;\u202eti\x07\x1b]7;file:///tmp\x1b\\\a\a\x1b]52;c;aGVsbG8=\a" +
			"\x1b]133;A\a\x1b]8;id=1;http://x\x1b\\l")
	if v.Title() != "ti" || v.Directory() != "file:///tmp" || v.Clipboard() != "hello" {
		t.Errorf("it told %q %q %q", v.Title(), v.Directory(), v.Clipboard())
	}
	if _, style := v.Cell(0, 0); v.Link(style) != "http://x" {
		t.Errorf("the link is %q", v.Link(style))
	}
	v.Write([]byte("\x1b]0;" + strings.Repeat("x", 2*maxString) + "\a"))
	if v.Title() != "ti" {
		t.Error("a string that is too long was taken")
	}
	v.Write([]byte("\x1b]0;" + strings.Repeat("é", 2*maxTitle) + "\a"))
	if n := len([]rune(v.Title())); n != maxTitle {
		t.Errorf("the title has %d characters", n)
	}
}

func TestModesAreReported(t *testing.T) {
	t.Parallel()
	v := written("\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1003h\x1b[?1006h\x1b[?1007l\x1b[?1049h\x1b[>7u\x1b[>4;2m")
	want := Modes{
		AltScreen: true, BracketedPaste: true, FocusEvents: true, AppCursor: true, AppKeypad: true,
		Mouse: MouseMotion, MouseEncoding: MouseSGR, Kitty: 7, ModifyOtherKeys: 2,
	}
	if got := v.Modes(); got != want {
		t.Errorf("they are %+v, want %+v", got, want)
	}
	v.Write([]byte("\x1b[3 q\x1b[?25l"))
	if got, want := v.Cursor(), (Cursor{Shape: CursorUnderline, Blink: true}); got != want {
		t.Errorf("the cursor is %+v, want %+v", got, want)
	}
}

func TestGenerationsMoveWithWhatIsShown(t *testing.T) {
	t.Parallel()
	v := written("1\r\n2\r\n3\r\n4")
	gens := func() (g [4]uint64) {
		for y := range g {
			g[y] = v.RowGen(y)
		}
		return g
	}
	before := gens()
	v.Write([]byte("\x1b[2Hx\x1b[1;31m\x1b[3;3H"))
	after := gens()
	for y := range before {
		if moved := before[y] != after[y]; moved != (y == 1) {
			t.Errorf("row %d moved: %v", y, moved)
		}
	}
	before = after
	v.Write([]byte("\x1b[4H\n"))
	for y, g := range gens() {
		if g == before[y] {
			t.Errorf("row %d did not move when all scrolled", y)
		}
	}
}

func TestSynchronizedOutputIsHeld(t *testing.T) {
	t.Parallel()
	v := written("old")
	now := time.Unix(1000, 0)
	v.sync.now = func() time.Time { return now }
	gen, rowGen := v.Gen(), v.RowGen(0)
	v.Write([]byte("\x1b[?2026h\x1b[2J\x1b[Hnew\x1b[4H\n\n"))
	if v.Row(0) != "old\x1b[m" || v.Gen() != gen || v.RowGen(0) != rowGen || v.Cursor().X != 3 {
		t.Errorf("it shows %q before the end", v.Row(0))
	}
	v.Write([]byte("\x1b[Hnew\x1b[?2026l"))
	if v.Row(0) != "new\x1b[m" || v.Gen() == gen || v.RowGen(0) == rowGen {
		t.Errorf("it shows %q after the end", v.Row(0))
	}
	v.Write([]byte("\x1b[?2026h\rlate"))
	now = now.Add(syncTimeout)
	if v.Row(0) != "late\x1b[m" {
		t.Errorf("it shows %q when the time is up", v.Row(0))
	}
	v.Write([]byte("\x1b[?2026l\x1b[?2026h\rlots"))
	v.Write([]byte(strings.Repeat(" \b", maxSyncBytes/2+1)))
	if rowText(v, 0)[:4] != "lots" {
		t.Errorf("it shows %q after too many bytes", v.Row(0))
	}
}

func TestLockedIsSafeForTwo(t *testing.T) {
	t.Parallel()
	l := NewLocked(10, 4, 5)
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for range 200 {
				l.Write([]byte("line\r\n\x1b[c"))
				l.Replies()
				l.With(func(t *Terminal) { t.Row(0) })
				l.Snapshot()
			}
			l.Resize(20, 5)
		})
	}
	writers.Wait()
	if l.Gen() == 0 {
		t.Error("nothing changed")
	}
}
