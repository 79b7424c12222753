package projection

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"ferrus/ui"
)

// The golden files hold a frame in every size and every theme at once. A line is
// the number of a row, its text, and the looks of its cells by the letters of
// testdata/TestPalette.golden: 3a20.b is three cells in look a, twenty plain
// ones, one in look b; what follows is plain. The palette says what a letter is
// in a dark and a light terminal, with sixteen colours and without any, so that
// a new colour is a new line there and a piece that is drawn in another look is
// a new letter in its frame. Rows that look alike are one line, 3-17. A dialog
// leaves out the rows that the state under it has, too.

// sizes are the terminals that HQ is drawn in.
var sizes = [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}}

// drawing is one frame as a dark and a light terminal get it.
type drawing struct{ dark, light []string }

// drawn returns a frame that is made twice, after a look at its size.
func drawn(t *testing.T, w, h int, make func(light bool) tea.View) (d drawing, cursor string) {
	t.Helper()
	dark, light := make(false), make(true)
	d = drawing{rowsOf(t, dark.Content, w, h), rowsOf(t, light.Content, w, h)}
	if c := dark.Cursor; c != nil {
		cursor = fmt.Sprintf("  cursor at %d,%d", c.X, c.Y)
	}
	return d, cursor
}

// rowsOf returns the rows of a frame that is exactly as large as its terminal.
func rowsOf(t *testing.T, content string, w, h int) []string {
	t.Helper()
	rows := strings.Split(content, "\n")
	if len(rows) != h {
		t.Errorf("%d rows in a terminal of %d", len(rows), h)
	}
	for y, row := range rows {
		if n := ansi.StringWidth(row); n != w {
			t.Errorf("row %d is %d cells wide, not %d: %q", y, n, w, row)
		}
	}
	return rows
}

// goldenFrames is a golden file in the making.
type goldenFrames struct {
	strings.Builder
	*palette
}

// add writes one frame, without the rows that it shares with the one below it.
func (s *goldenFrames) add(t *testing.T, title string, d, below drawing) {
	t.Helper()
	fmt.Fprintf(s, "== %s\n", title)
	first, last := 0, ""
	flush := func(end int) {
		switch {
		case last == "":
		case first == end:
			fmt.Fprintf(s, "%-6d%s\n", first, last)
		default:
			fmt.Fprintf(s, "%-6s%s\n", fmt.Sprintf("%d-%d", first, end), last)
		}
	}
	for y := range d.dark {
		line := ""
		if y >= len(below.dark) || d.dark[y] != below.dark[y] || d.light[y] != below.light[y] {
			line = s.encodeRow(t, d.dark[y], d.light[y])
		}
		if line != last {
			flush(y - 1)
			first, last = y, line
		}
	}
	flush(len(d.dark) - 1)
}

// encodeRow returns a row: its text, and the looks of its cells.
func (s *goldenFrames) encodeRow(t *testing.T, dark, light string) string {
	t.Helper()
	one, other := cellsOf(dark), cellsOf(light)
	if len(one) != len(other) {
		t.Fatalf("a light terminal gets other text:\n%q\n%q", dark, light)
	}
	var text, looks strings.Builder
	run, count := '.', 0
	put := func() {
		if count > 1 {
			looks.WriteString(strconv.Itoa(count))
		}
		if count > 0 {
			looks.WriteRune(run)
		}
	}
	for i, c := range one {
		if c.text != other[i].text {
			t.Fatalf("a light terminal gets other text:\n%q\n%q", dark, light)
		}
		text.WriteString(c.text)
		if letter := s.letter(colorPair{c.look, other[i].look}); letter != run {
			put()
			run, count = letter, 0
		}
		count += c.width
	}
	if run != '.' {
		put()
	}
	return strings.TrimRight(text.String()+"  "+looks.String(), " ")
}

// cell is a character on the screen and the parameters of the SGR that it has.
type cell struct {
	text, look string
	width      int
}

func cellsOf(row string) (all []cell) {
	var state byte
	look := ""
	for row != "" {
		text, width, n, next := ansi.DecodeSequence(row, state, nil)
		row, state = row[n:], next
		switch {
		case width > 0:
			all = append(all, cell{text, look, width})
		case strings.HasPrefix(text, "\x1b[") && strings.HasSuffix(text, "m"):
			look = join(look, text[2:len(text)-1])
		}
	}
	return all
}

// join adds the parameters of one SGR to the current ones.
func join(look, more string) string {
	if rest, reset := strings.CutPrefix(more, "0"); more == "" || reset && (rest == "" || rest[0] == ';') {
		return strings.TrimPrefix(rest, ";")
	}
	if look == "" {
		return more
	}
	return look + ";" + more
}

// compare ends a golden file with the looks that the palette does not have: those
// of the agents.
func (s *goldenFrames) compare(t *testing.T) {
	t.Helper()
	for _, l := range s.others {
		fmt.Fprintf(s, "%c is an agent's: %s\n", s.letters[l], l.dark)
	}
	golden.RequireEqual(t, s.String())
}

// frames holds what is drawn in every size. Below is what lies under it; nil:
// nothing.
func frames(t *testing.T, make, below func(w, h int, light bool) *ui.Model) {
	t.Helper()
	framesIn(t, sizes, make, below)
}

// framesIn is frames in some sizes only.
func framesIn(t *testing.T, sizes [][2]int, make, below func(w, h int, light bool) *ui.Model) {
	t.Helper()
	s := goldenFrames{palette: newPalette()}
	for _, size := range sizes {
		w, h := size[0], size[1]
		of := func(make func(w, h int, light bool) *ui.Model) (drawing, string) {
			return drawn(t, w, h, func(light bool) tea.View { return make(w, h, light).View() })
		}
		d, cursor := of(make)
		under := drawing{}
		if below != nil {
			under, _ = of(below)
		}
		s.add(t, fmt.Sprintf("%dx%d%s", w, h, cursor), d, under)
	}
	s.compare(t)
}
