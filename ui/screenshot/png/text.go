package png

import (
	"fmt"
	"image"
	"math"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"ferrus/ui/vt"
)

// fonts are the four faces in one size, and the cell they fit into.
type fonts struct {
	regular  *opentype.Font
	faces    map[vt.Attr]font.Face
	width    int
	height   int
	baseline int
}

var sources = map[vt.Attr][]byte{
	0:                   gomono.TTF,
	vt.Bold:             gomonobold.TTF,
	vt.Italic:           gomonoitalic.TTF,
	vt.Bold | vt.Italic: gomonobolditalic.TTF,
}

func loadFonts(size int) (*fonts, error) {
	f := &fonts{faces: map[vt.Attr]font.Face{}}
	for attr, source := range sources {
		parsed, err := opentype.Parse(source)
		if err != nil {
			return nil, fmt.Errorf("load font: %w", err)
		}
		face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: float64(size), DPI: 72})
		if err != nil {
			return nil, fmt.Errorf("load font: %w", err)
		}
		f.faces[attr] = face
		if attr == 0 {
			f.regular = parsed
			f.measure(face, size)
		}
	}
	return f, nil
}

// measure derives the cell from the font; the height is even so that lines are
// in the middle.
func (f *fonts) measure(face font.Face, size int) {
	advance, _ := face.GlyphAdvance('M')
	f.width = advance.Round()
	f.height = int(math.Round(float64(size)*1.28/2)) * 2
	m := face.Metrics()
	f.baseline = (f.height-(m.Ascent+m.Descent).Round())/2 + m.Ascent.Round()
}

func (f *fonts) has(r rune) bool {
	i, err := f.regular.GlyphIndex(nil, r)
	return err == nil && i != 0
}

// glyph draws the character of a cell.
func (c *canvas) glyph(p pen, text string, attr vt.Attr) {
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case p.box(first) || p.block(first) || p.braille(first) || p.symbol(first):
	case c.fonts.has(first):
		c.write(p, text, attr)
	default:
		p.unknown()
	}
}

// write draws text with the font, characters of a cluster over each other.
func (c *canvas) write(p pen, text string, attr vt.Attr) {
	d := font.Drawer{
		Dst:  c.NRGBA,
		Src:  image.NewUniform(p.color),
		Face: c.fonts.faces[attr&(vt.Bold|vt.Italic)],
	}
	for _, r := range text {
		if c.fonts.has(r) {
			d.Dot = fixed.P(p.rect.Min.X, p.rect.Min.Y+c.fonts.baseline)
			d.DrawString(string(r))
		}
	}
}

// unknown stands for a character that cannot be drawn.
func (p pen) unknown() {
	w, h := p.size()
	p.alpha = 0.35
	p.roundRect(w*0.1, h*0.26, w*0.9, h*0.76, h*0.08)
}

// decorate draws the lines of a style: under, through and over the text.
func (c *canvas) decorate(p pen, s vt.Style) {
	w, h := p.size()
	thick := math.Max(1, math.Round(h/20))
	if s.Attr&vt.Strike != 0 {
		p.fill(0, h*0.52, w, h*0.52+thick)
	}
	if s.Attr&vt.Overline != 0 {
		p.fill(0, 0, w, thick)
	}
	if s.LineColor != 0 {
		p.color = c.resolve(s.LineColor, s.FG)
	}
	p.underline(s.Underline, float64(c.fonts.baseline)+h*0.07, thick)
}

// underline draws one of the kinds of underline at height y.
func (p pen) underline(kind vt.Underline, y, thick float64) {
	w, _ := p.size()
	switch kind {
	case vt.SingleUnderline:
		p.fill(0, y, w, y+thick)
	case vt.DoubleUnderline:
		p.fill(0, y, w, y+thick)
		p.fill(0, y+2*thick, w, y+3*thick)
	case vt.CurlyUnderline:
		const steps = 24
		wave := make([]point, 0, steps+1)
		for i := range steps + 1 {
			at := float64(i) / steps
			wave = append(wave, point{at * w, y + thick + 1.2*thick*math.Sin(at*2*math.Pi)})
		}
		p.lines(thick, wave...)
	case vt.DottedUnderline:
		for x := thick / 2; x < w; x += 3 * thick {
			p.fill(x, y, x+thick, y+thick)
		}
	case vt.DashedUnderline:
		p.fill(w*0.1, y, w*0.45, y+thick)
		p.fill(w*0.6, y, w*0.95, y+thick)
	}
}
