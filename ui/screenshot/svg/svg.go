// Package svg draws the screen of a terminal emulator as an SVG picture.
//
// [Write] is its only function. Text stays text: a run of cells of one style is one
// element with the width of its cells, so columns line up in any monospace font.
// Box-drawing characters and blocks are shapes that meet at the edges of the cells.
// The same screen always gives the same bytes.
package svg

import (
	"fmt"
	"io"
	"strings"

	"ferrus/ui/vt"
)

// Measures in pixels. The height of a cell is odd, so that the lines of boxes
// run through the middle of a pixel.
const (
	cellWidth  = 9
	cellHeight = 19
	fontSize   = 15
	baseline   = 14 // of text, from the top of the cell
	margin     = 18
)

// head opens a picture: its size twice, the colours of the window's border and
// background, and the size of the font.
const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d">
<rect x="0.5" y="0.5" width="%[3]d" height="%[4]d" rx="9" fill="%[5]s" stroke="%[6]s"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono','Liberation Mono',Consolas,monospace" ` +
	`font-size="%[7]d" style="white-space:pre">
`

// picture is a screen while it is drawn. Backgrounds lie below the text, shapes
// above it.
type picture struct {
	screen      *vt.Terminal
	backgrounds shapes
	text        strings.Builder
	fills       shapes
	strokes     shapes
}

// Write draws what the screen shows, with its cursor if that is visible.
func Write(w io.Writer, screen *vt.Terminal) error {
	p := &picture{screen: screen}
	columns, rows := screen.Size()
	for y := range rows {
		p.row(y, columns)
	}
	width, height := columns*cellWidth+2*margin, rows*cellHeight+2*margin
	background := toRGB(screen.Colors.Background)
	_, err := fmt.Fprintf(w, head+"%s%s%s%s</g>\n</svg>\n", width, height, width-1, height-1,
		background, background.blend(rgb{255, 255, 255}, 0.14), fontSize,
		p.backgrounds.paths("fill"), &p.text, p.fills.paths("fill"), p.strokes.paths(`fill="none" stroke`))
	return err
}

// row draws one row of cells, from left to right.
func (p *picture) row(y, columns int) {
	var r run
	for x := range columns {
		text, style := p.screen.Cell(x, y)
		look := p.styleAt(x, y, style)
		if look.bg != toRGB(p.screen.Colors.Background) {
			p.backgrounds.rect(look.bg, cell{x, y}, 0, 0, 1, 1)
		}
		switch {
		case text == "": // the right half of a wide character
		case p.shape(cell{x, y}, text, look):
			p.flush(&r)
		case !r.takes(x, text, look):
			p.flush(&r)
			fallthrough
		default:
			r.add(cell{x, y}, text, look)
		}
	}
	p.flush(&r)
}

// styleAt returns how a cell is drawn. The cell below a block cursor is inverted.
func (p *picture) styleAt(x, y int, s vt.Style) cellStyle {
	colors := p.screen.Colors
	l := cellStyle{fg: resolve(s.FG, colors.Foreground), bg: resolve(s.BG, colors.Background), style: s}
	if s.Attr&vt.Reverse != 0 {
		l.fg, l.bg = l.bg, l.fg
	}
	if s.Attr&vt.Faint != 0 {
		l.fg = l.fg.blend(l.bg, 0.45)
	}
	if s.Attr&vt.Hidden != 0 {
		l.fg = l.bg
	}
	if l.line = l.fg; s.LineColor != 0 {
		l.line = resolve(s.LineColor, s.FG)
	}
	cursor := p.screen.Cursor()
	if !cursor.Visible || cursor.X != x || cursor.Y != y {
		return l
	}
	switch color := toRGB(colors.Cursor); cursor.Shape {
	case vt.CursorBar:
		p.fills.rect(color, cell{x, y}, 0, 0, 0.12, 1)
	case vt.CursorUnderline:
		p.fills.rect(color, cell{x, y}, 0, 0.9, 1, 1)
	default:
		l.fg, l.bg = toRGB(colors.Background), color
	}
	return l
}
