package vt

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// lines returns the scrollback without sequences, then the screen.
func lines(t *Terminal) string {
	var b strings.Builder
	for n := range t.Scrollback() {
		line := New(maxSize, 1, 0)
		line.Write([]byte(t.HistoryRow(n)))
		b.WriteString(rowText(line, 0) + "\n")
	}
	return b.String() + "--\n" + screenText(t)
}

func TestScrollbackKeepsTheNewestLines(t *testing.T) {
	t.Parallel()
	v := New(20, 2, 3)
	for i := range 9 {
		fmt.Fprintf(v, "\x1b[3%dmline %d\r\n", i%8, i)
	}
	if got, want := lines(v), "line 5\nline 6\nline 7\n--\nline 8"; got != want {
		t.Errorf("it has\n%s\nwant\n%s", got, want)
	}
	if got, want := v.HistoryRow(0), "\x1b[0;38;5;5mline 5\x1b[m\x1b[m"; got != want {
		t.Errorf("the oldest line is %q, want %q", got, want)
	}
	v.Write([]byte("\x1b[3J"))
	if v.Scrollback() != 0 || screenText(v) == "" {
		t.Errorf("erasing the scrollback leaves %d lines and %q", v.Scrollback(), screenText(v))
	}
}

func TestWhatScrollsInARegionIsKeptOnlyFromTheTop(t *testing.T) {
	t.Parallel()
	if got := lines(written("1\r\n2\r\n3\r\n4\x1b[1;3r\x1b[3H\n")); got != "1\n--\n2\n3\n\n4" {
		t.Errorf("from the top: %q", got)
	}
	if got := lines(written("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3H\n")); got != "--\n1\n3\n\n4" {
		t.Errorf("from below: %q", got)
	}
	if got := lines(written("\x1b[?1049h1\r\n2\r\n3\r\n4\r\n5")); got != "--\n2\n3\n4\n5" {
		t.Errorf("on the alternate screen: %q", got)
	}
}

// fillWith makes a pane of 120x40 with 10,000 lines of scrollback and writes n
// lines; it returns the bytes it then takes.
func fillWith(n int, line func(i int) string) (v *Terminal, taken int) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v = New(120, 40, 10_000)
	for i := range n {
		v.Write([]byte(line(i)))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	return v, int(after.HeapAlloc) - int(before.HeapAlloc)
}

// fullLine fills a row of 120 columns.
func fullLine(i int) string { return fmt.Sprintf("%05d%s\r\n", i, strings.Repeat("x", 115)) }

func TestAFullPaneTakesTenMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it fills a pane many times")
	}
	// Not parallel: it measures the heap.
	kinds := map[string]func(i int) string{
		"full lines": fullLine,
		"every cell in another colour": func(i int) string {
			var b strings.Builder
			for x := range 120 {
				fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dmx", i%256, i/256, x)
			}
			return b.String() + "\r\n"
		},
		"every cell another cluster": func(i int) string {
			var b strings.Builder
			for x := range 120 {
				fmt.Fprintf(&b, "%c%c%c", 'a'+i%26, 0x300+x%100, 0x300+i%100)
			}
			return b.String() + "\r\n"
		},
	}
	for name, line := range kinds {
		n := 5_000 // enough for the tables to be full
		if name == "full lines" {
			n = 10_100
		}
		v, taken := fillWith(n, line)
		if taken > 10<<20 {
			t.Errorf("%s: %d bytes", name, taken)
		}
		t.Logf("%s: %d lines, %.1f MB", name, v.Scrollback(), float64(taken)/(1<<20))
		runtime.KeepAlive(v)
	}
}

func TestTablesAreBoundedAndForgetWhatIsGone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it fills a pane many times")
	}
	v := New(80, 24, 100)
	for i := range 3 * maxStyles {
		fmt.Fprintf(v, "\x1b[38;2;%d;%d;%dm\x1b]8;;http://%d\x1b\\e%c%c", i>>16, i>>8&255, i&255, i, 0x300+i%100,
			0x300+i/100%100)
	}
	check(t, v)
	if n := len(v.tables.styles.values); n > maxStyles {
		t.Errorf("%d styles", n)
	}
	if n := len(v.tables.clusters.values); n > maxClusters {
		t.Errorf("%d clusters", n)
	}
	if n := len(v.tables.links.values); n > maxLinks {
		t.Errorf("%d links", n)
	}
	last := 3*maxStyles - 1
	c := v.cursor()
	_, style := v.Cell(c.X-1, c.Y)
	if want := RGB(uint8(last>>16), uint8(last>>8), uint8(last)); style.FG != want {
		t.Errorf("the newest cell has colour %x, want %x", style.FG, want)
	}
}

// TestATableFullOfWhatIsShownIsSweptLater: a screen of more looks than there is
// room for must not take the colours from all that comes after.
func TestATableFullOfWhatIsShownIsSweptLater(t *testing.T) {
	t.Parallel()
	v := New(200, 100, 0)
	for i := range 200 * 100 {
		fmt.Fprintf(v, "\x1b[38;2;%d;%d;%dmx", i>>16, i>>8&255, i&255)
	}
	v.Write([]byte("\x1b[m\x1b[2J"))
	for i := range maxStyles {
		fmt.Fprintf(v, "\x1b[H\x1b[48;2;%d;%d;7mx", i>>8&255, i&255)
	}
	check(t, v)
	if _, style := v.Cell(0, 0); style.BG != RGB((maxStyles-1)>>8, 255, 7) {
		t.Errorf("after a sweep a new style is %+v", style)
	}
}
