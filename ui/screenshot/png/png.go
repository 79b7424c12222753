// Package png draws the screen of an emulator as a picture, without a browser
// and with the same result on every machine.
//
// Text is in Go Mono. Lines, blocks, braille and common symbols are drawn, so
// that they meet at the edges of the cells and none is missing; a character
// that is neither in the font nor drawn is a soft block.
package png

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"ferrus/ui/vt"
)

// Options are how a picture looks. The zero value is a picture in the size
// that suits a README.
type Options struct {
	Size   int  // pixels of the font; 0: 28
	Cursor bool // draw the cursor
	Bare   bool // nothing but the cells: no frame around them
}

const defaultSize = 28

// Write draws what the terminal shows and writes it as PNG.
func Write(w io.Writer, t *vt.Terminal, o Options) error {
	picture, err := Draw(t, o)
	if err != nil {
		return err
	}
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, picture)
}

// canvas is a picture while it is drawn.
type canvas struct {
	*image.NRGBA
	fonts         *fonts
	width, height int         // of a cell
	origin        image.Point // of the first cell
	t             *vt.Terminal
}

// Draw draws what the terminal shows.
func Draw(t *vt.Terminal, o Options) (*image.NRGBA, error) {
	if o.Size == 0 {
		o.Size = defaultSize
	}
	fonts, err := loadFonts(o.Size)
	if err != nil {
		return nil, err
	}
	c := &canvas{fonts: fonts, width: fonts.width, height: fonts.height, t: t}
	columns, rows := t.Size()
	margin := 0
	if !o.Bare {
		margin = c.width * 2
		c.origin = image.Pt(margin, margin)
	}
	c.NRGBA = image.NewNRGBA(image.Rect(0, 0, columns*c.width+2*margin, rows*c.height+2*margin))
	c.frame(margin)
	for y := range rows {
		for x := range columns {
			c.background(x, y)
		}
	}
	for y := range rows {
		for x := range columns {
			c.foreground(x, y)
		}
	}
	if cursor := t.Cursor(); o.Cursor && cursor.Visible {
		c.cursor(cursor)
	}
	return c.NRGBA, nil
}

// frame fills the picture with the background: a window with round corners.
func (c *canvas) frame(margin int) {
	b := c.Bounds()
	radius := float64(margin) / 2
	background := toColor(c.t.Colors.Background)
	window := pen{img: c.NRGBA, color: blend(background, color.NRGBA{255, 255, 255, 255}, 0.14)}
	window.roundRect(0, 0, float64(b.Dx()), float64(b.Dy()), radius)
	window.color = background
	edge := 0.0
	if margin > 0 {
		edge = 2
	}
	window.roundRect(edge, edge, float64(b.Dx())-edge, float64(b.Dy())-edge, max(radius-edge, 0))
}

// cell is the pixels of a cell; wide ones have twice the width.
func (c *canvas) cell(x, y, columns int) image.Rectangle {
	at := c.origin.Add(image.Pt(x*c.width, y*c.height))
	return image.Rectangle{at, at.Add(image.Pt(columns*c.width, c.height))}
}

// colors are those of a style, with reverse, faint and hidden carried out.
func (c *canvas) colors(s vt.Style) (fg, bg color.NRGBA) {
	fg, bg = c.resolve(s.FG, c.t.Colors.Foreground), c.resolve(s.BG, c.t.Colors.Background)
	if s.Attr&vt.Reverse != 0 {
		fg, bg = bg, fg
	}
	if s.Attr&vt.Faint != 0 {
		fg = blend(fg, bg, 0.45)
	}
	if s.Attr&vt.Hidden != 0 {
		fg = bg
	}
	return fg, bg
}

func (c *canvas) resolve(v, otherwise vt.Color) color.NRGBA {
	if i, ok := v.Index(); ok {
		return toColor(vt.PaletteRGB(i))
	}
	if _, _, _, ok := v.RGB(); ok {
		return toColor(v)
	}
	return toColor(otherwise)
}

func toColor(v vt.Color) color.NRGBA {
	r, g, b, _ := v.RGB()
	return color.NRGBA{r, g, b, 255}
}

// blend is a with the given share of b.
func blend(a, b color.NRGBA, share float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func (c *canvas) background(x, y int) {
	_, style := c.t.Cell(x, y)
	_, bg := c.colors(style)
	if bg == toColor(c.t.Colors.Background) {
		return
	}
	draw.Draw(c.NRGBA, c.cell(x, y, 1), image.NewUniform(bg), image.Point{}, draw.Src)
}

// foreground draws a cell's character and lines.
func (c *canvas) foreground(x, y int) {
	text, style := c.t.Cell(x, y)
	if text == "" { // the right half of the character before
		return
	}
	columns := 1
	if next, _ := c.t.Cell(x+1, y); next == "" {
		columns = 2
	}
	fg, _ := c.colors(style)
	p := pen{img: c.NRGBA, rect: c.cell(x, y, columns), color: fg}
	if text != " " {
		c.glyph(p, text, style.Attr)
	}
	c.decorate(p, style)
}

// cursor draws the cursor over its cell.
func (c *canvas) cursor(at vt.Cursor) {
	p := pen{img: c.NRGBA, rect: c.cell(at.X, at.Y, 1), color: toColor(c.t.Colors.Cursor)}
	w, h := float64(c.width), float64(c.height)
	switch at.Shape {
	case vt.CursorBar:
		p.fill(0, 0, w/8, h)
	case vt.CursorUnderline:
		p.fill(0, h-h/12, w, h)
	default:
		p.fill(0, 0, w, h)
		text, style := c.t.Cell(at.X, at.Y)
		p.color = toColor(c.t.Colors.Background)
		if text != "" && text != " " {
			c.glyph(p, text, style.Attr)
		}
	}
}
