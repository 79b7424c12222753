package vt

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"
)

// check fails if the terminal is in an impossible state.
func check(t testing.TB, v *Terminal) {
	t.Helper()
	columns, rows := v.Size()
	if c := v.Cursor(); c.X < 0 || c.Y < 0 || c.X >= columns || c.Y >= rows {
		t.Fatalf("the cursor is at %d,%d of %dx%d", c.X, c.Y, columns, rows)
	}
	if v.top < 0 || v.bottom >= rows || v.top > v.bottom {
		t.Fatalf("the region is %d-%d of %d", v.top, v.bottom, rows)
	}
	for i := range v.screens {
		if len(v.screens[i].rows) != rows {
			t.Fatalf("screen %d has %d rows of %d", i, len(v.screens[i].rows), rows)
		}
		for y, r := range v.screens[i].rows {
			checkRow(t, v, y, r)
		}
	}
	for y := range rows {
		checkText(t, v.Row(y))
	}
	for n := range v.Scrollback() {
		checkText(t, v.HistoryRow(n))
	}
	checkText(t, v.Title())
}

func checkRow(t testing.TB, v *Terminal, y int, r *row) {
	t.Helper()
	columns, _ := v.Size()
	if len(r.cells) != columns {
		t.Fatalf("row %d has %d cells of %d", y, len(r.cells), columns)
	}
	for x, c := range r.cells {
		wide := x > 0 && r.cells[x-1].content&wideFlag != 0
		if spacer := c.content&spacerFlag != 0; spacer != wide {
			t.Fatalf("cell %d,%d: right half %v after a left half %v", x, y, spacer, wide)
		}
		if x == columns-1 && c.content&wideFlag != 0 {
			t.Fatalf("row %d ends in half a character", y)
		}
		if v.tables.styles.index[v.tables.styles.values[c.style]] != c.style {
			t.Fatalf("cell %d,%d has a style that was given up", x, y)
		}
		if c.content&clusterFlag != 0 && v.tables.cellText(c) == "" {
			t.Fatalf("cell %d,%d has a cluster that was given up", x, y)
		}
	}
}

// checkText fails on what must not reach another terminal: anything but SGR.
func checkText(t testing.TB, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Fatalf("%q is not text", s)
	}
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || directional(r) })
		if i < 0 {
			return
		}
		s = s[i:]
		end := strings.IndexFunc(s[min(2, len(s)):], func(r rune) bool { return (r < '0' || r > ';') })
		if !strings.HasPrefix(s, "\x1b[") || end < 0 || s[2+end] != 'm' {
			t.Fatalf("%q is drawn", s)
		}
		s = s[2+end+1:]
	}
}

func TestNoBytesBreakIt(t *testing.T) {
	t.Parallel()
	seeds := int64(300)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		torture(t, seed)
	}
}

// torture writes hostile bytes and resizes; a failure names its seed.
func torture(t *testing.T, seed int64) {
	defer func() {
		if problem := recover(); problem != nil {
			t.Errorf("seed %d: panic: %v", seed, problem)
			panic(problem)
		}
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	r := rand.New(rand.NewSource(seed))
	v := New(1+r.Intn(130), 1+r.Intn(45), 50)
	for range 4 {
		g := generator{rand: r, columns: 80, rows: 24}
		v.Write(g.hostile(600))
		check(t, v)
		v.Resize(1+r.Intn(130), 1+r.Intn(45))
		check(t, v)
		if replies := len(v.Replies()); replies > maxReplies+1024 {
			t.Errorf("%d bytes of replies", replies)
		}
	}
}

func FuzzWrite(f *testing.F) {
	for seed := range int64(20) {
		g := generator{rand: rand.New(rand.NewSource(seed)), columns: 80, rows: 24}
		f.Add(g.hostile(300), uint8(20), uint8(5))
		f.Add(g.polite(40, seed%2 == 0), uint8(80), uint8(24))
	}
	f.Fuzz(func(t *testing.T, p []byte, columns, rows uint8) {
		v := New(int(columns)%130+1, int(rows)%45+1, 50)
		v.Write(p)
		check(t, v)
		v.Resize(int(rows)%60+1, int(columns)%30+1)
		v.Write(p)
		check(t, v)
		again := New(v.columns, v.height, 50)
		again.Write(v.Snapshot())
		check(t, again)
	})
}

// FuzzSnapshot: a snapshot is the whole terminal, wherever it is taken.
func FuzzSnapshot(f *testing.F) {
	for seed := range int64(20) {
		g := generator{rand: rand.New(rand.NewSource(seed)), columns: 60, rows: 16}
		f.Add(g.hostile(200), []byte("x\x1b[K\u0301\n"))
		f.Add(g.polite(20, seed%2 == 0), g.hostile(50))
	}
	f.Fuzz(func(t *testing.T, p, rest []byte) {
		t1, t2 := New(60, 16, 0), New(60, 16, 0)
		t1.Write(p)
		t1.pen.joinable, t1.pen.last = false, 0 // a snapshot leaves these out
		t2.Write(t1.Snapshot())
		t2.pen.joinable, t2.pen.last = false, 0
		for _, next := range [][]byte{nil, rest} {
			t1.Write(next)
			t2.Write(next)
			if got, want := state(t2), state(t1); got != want {
				t.Fatalf("%q, then %q:\n%s", p, next, firstDifference(got, want))
			}
		}
	})
}
