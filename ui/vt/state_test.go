package vt

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"ferrus/store/longtest"
)

// state returns everything that is known about a terminal, as text, except its scrollback.
func state(t *Terminal) string {
	var b strings.Builder
	for i := range t.screens[:choose(t.modes.AltScreen, 2, 1)] {
		s := &t.screens[i]
		for y, r := range s.rows {
			fmt.Fprintf(&b, "%d/%d %v %v %s\n", i, y, r.wrapped, r.prompt, rowState(t, r))
		}
		fmt.Fprintf(&b, "%d keyboard %+v\n", i, s.keyboard)
	}
	registers := t.registers
	fmt.Fprintf(&b, "links %q %q\n", t.Link(registers.saved.style), t.Link(registers.main.style))
	registers.saved.style.Link, registers.main.style.Link = 0, 0
	fmt.Fprintf(&b, "saved %+v\n", registers)
	pen := t.pen.style
	pen.Link = 0
	fmt.Fprintf(&b, "cursor %+v pending %v region %d-%d\npen %+v %q %+v\nmodes %+v %+v\ntabs %v\ntitle %q %q\n",
		t.cursor(), t.pending, t.top, t.bottom, pen, t.Link(t.pen.style), t.pen.charsets, t.Modes(), t.private, t.tabs,
		t.Title(), t.Directory())
	return b.String()
}

// rowState returns a row's cells with equal styles told once.
func rowState(t *Terminal, r *row) string {
	var b strings.Builder
	var last Style
	for _, c := range r.cells {
		style := t.tables.styles.values[c.style]
		link := t.Link(style)
		style.Link = 0
		if style != last || link != "" {
			fmt.Fprintf(&b, "{%v %q}", style, link)
			last = style
		}
		fmt.Fprintf(&b, "%s|", choose(c.content&wideFlag != 0, "<", "")+t.tables.cellText(c))
	}
	return b.String()
}

// firstDifference returns the first line in which two states differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("got  %s\nwant %s", g[i], w[i])
		}
	}
	return ""
}

func scrollbackState(t *Terminal) string {
	var b strings.Builder
	for n := range t.history.count {
		line := *t.history.lineAt(n)
		fmt.Fprintf(&b, "%v %v %q\n", line.wrapped, line.prompt, t.history.read(line))
	}
	return b.String()
}

// streams are recorded, generated and hostile ones.
func streams(t *testing.T) map[string][]byte {
	all := recorded(t)
	for seed := range int64(60) {
		g := generator{rand: rand.New(rand.NewSource(seed)), columns: 60, rows: 16}
		all[fmt.Sprintf("polite %d", seed)] = g.polite(100, seed%2 == 0)
		all[fmt.Sprintf("hostile %d", seed)] = g.hostile(3000)
	}
	return all
}

func TestPiecesDoNotMatter(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it fills a pane many times")
	}
	for name, stream := range streams(t) {
		whole, pieces := New(60, 16, 100), New(60, 16, 100)
		whole.Write(stream)
		r := rand.New(rand.NewSource(int64(len(stream))))
		for rest := stream; len(rest) > 0; {
			n := min(1+r.Intn(7), len(rest))
			pieces.Write(rest[:n])
			rest = rest[n:]
		}
		if got, want := state(pieces), state(whole); got != want {
			t.Errorf("%s:\n%s", name, firstDifference(got, want))
		}
		if scrollbackState(pieces) != scrollbackState(whole) {
			t.Errorf("%s: the scrollback differs", name)
		}
	}
}

func TestSnapshotIsTheWholeTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays all recordings")
	}
	t.Parallel()
	for name, stream := range streams(t) {
		r := rand.New(rand.NewSource(int64(len(stream))))
		for range choose(longtest.On(), 8, 2) {
			cut := r.Intn(len(stream) + 1)
			t1, t2 := New(60, 16, 0), New(60, 16, 0)
			t1.Write(stream[:cut])
			t1.pen.joinable, t1.pen.last = false, 0 // a snapshot leaves these out
			t2.Write(t1.Snapshot())
			t2.pen.last = 0
			if got, want := state(t2), state(t1); got != want {
				t.Fatalf("%s at %d:\n%s", name, cut, firstDifference(got, want))
			}
			rest := stream[cut:]
			t1.Write(rest)
			t2.Write(rest)
			if got, want := state(t2), state(t1); got != want {
				t.Fatalf("%s, written on after %d:\n%s", name, cut, firstDifference(got, want))
			}
		}
	}
}
