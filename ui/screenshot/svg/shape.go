package svg

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ferrus/ui/vt"
)

// cell is the place of a cell.
type cell struct{ x, y int }

// corner returns the cell's top left corner in pixels.
func (c cell) corner() (x, y int) { return margin + c.x*cellWidth, margin + c.y*cellHeight }

// rgb is a colour.
type rgb struct{ r, g, b uint8 }

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// blend mixes in the given share of another colour.
func (c rgb) blend(with rgb, share float64) rgb {
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-share) + float64(b)*share + 0.5) }
	return rgb{mix(c.r, with.r), mix(c.g, with.g), mix(c.b, with.b)}
}

// resolve returns a colour of a style; 0 is the given default.
func resolve(c, otherwise vt.Color) rgb {
	if i, ok := c.Index(); ok {
		return toRGB(vt.PaletteRGB(i))
	}
	if _, _, _, ok := c.RGB(); ok {
		return toRGB(c)
	}
	return toRGB(otherwise)
}

func toRGB(c vt.Color) rgb {
	r, g, b, _ := c.RGB()
	return rgb{r, g, b}
}

// shapes are paths by colour, in the order in which the colours came up.
type shapes struct {
	order []rgb
	path  map[rgb]*strings.Builder
}

// draw adds commands to the path of a colour.
func (s *shapes) draw(c rgb, format string, numbers ...any) {
	if s.path[c] == nil {
		if s.path == nil {
			s.path = map[rgb]*strings.Builder{}
		}
		s.path[c] = &strings.Builder{}
		s.order = append(s.order, c)
	}
	fmt.Fprintf(s.path[c], format, numbers...)
}

// rect adds a part of a cell, given in shares of its width and height.
func (s *shapes) rect(c rgb, at cell, left, top, right, bottom float64) {
	x, y := at.corner()
	width, height := (right-left)*cellWidth, (bottom-top)*cellHeight
	s.draw(c, "M%.4g %.4gh%.4gv%.4gh-%.4gz", float64(x)+left*cellWidth, float64(y)+top*cellHeight, width, height, width)
}

// paths returns the elements; paint is the attribute for the colour.
func (s *shapes) paths(paint string) string {
	var b strings.Builder
	for _, c := range s.order {
		fmt.Fprintf(&b, "<path %s=\"%s\" d=\"%s\"/>\n", paint, c, s.path[c])
	}
	return b.String()
}

// lines are box-drawing characters as paths from the cell's top left corner.
var lines = map[rune]string{
	'─': "m0 9.5h9", '╌': "m0 9.5h9", '│': "m4.5 0v19", '┼': "m4.5 0v19m-4.5-9.5h9",
	'┌': "m4.5 19v-9.5h4.5", '┐': "m4.5 19v-9.5h-4.5", '└': "m4.5 0v9.5h4.5", '┘': "m4.5 0v9.5h-4.5",
	'╭': "m4.5 19v-5q0-4.5 4.5-4.5", '╮': "m4.5 19v-5q0-4.5-4.5-4.5",
	'╰': "m4.5 0v5q0 4.5 4.5 4.5", '╯': "m4.5 0v5q0 4.5-4.5 4.5",
	'├': "m4.5 0v19m0-9.5h4.5", '┤': "m4.5 0v19m0-9.5h-4.5",
	'┬': "m0 9.5h9m-4.5 0v9.5", '┴': "m0 9.5h9m-4.5 0v-9.5",
}

// shape draws a character that is lines or blocks, and reports whether it is one.
func (p *picture) shape(at cell, text string, l cellStyle) bool {
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) {
		return false
	}
	eighths := func(n rune) float64 { return float64(n) / 8 }
	switch {
	case lines[r] != "":
		x, y := at.corner()
		p.strokes.draw(l.fg, "M%d %d%s", x, y, lines[r])
	case r == '▀':
		p.fills.rect(l.fg, at, 0, 0, 1, 0.5)
	case r >= '▁' && r <= '█':
		p.fills.rect(l.fg, at, 0, 1-eighths(r-'▀'), 1, 1)
	case r >= '▉' && r <= '▏':
		p.fills.rect(l.fg, at, 0, 0, eighths('▐'-r), 1)
	case r == '▐':
		p.fills.rect(l.fg, at, 0.5, 0, 1, 1)
	case r >= '░' && r <= '▓':
		p.fills.rect(l.bg.blend(l.fg, float64(r-'▐')/4), at, 0, 0, 1, 1)
	default:
		return false
	}
	return true
}
