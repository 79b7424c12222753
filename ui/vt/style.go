package vt

// Color is the default colour (0), one of the 256 palette colours, or 24 bits.
type Color uint32

const (
	paletteColor Color = 1 << 24
	directColor  Color = 2 << 24
	colorKind    Color = 3 << 24
)

// Palette returns the palette colour i.
func Palette(i uint8) Color { return paletteColor | Color(i) }

// RGB returns a direct colour.
func RGB(r, g, b uint8) Color {
	return directColor | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Index returns the number of a palette colour.
func (c Color) Index() (i uint8, ok bool) {
	return uint8(c), c&colorKind == paletteColor
}

// RGB returns the value of a direct colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorKind == directColor
}

// Attr is a set of attributes.
type Attr uint8

// The attributes of a cell.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	Reverse
	Hidden
	Strike
	Overline
)

// Underline is the kind of line under a cell.
type Underline uint8

// The kinds of underline, with the numbers of SGR 4:n.
const (
	NoUnderline Underline = iota
	SingleUnderline
	DoubleUnderline
	CurlyUnderline
	DottedUnderline
	DashedUnderline
)

// Style is how a cell looks. The zero Style is the default look.
type Style struct {
	FG, BG    Color
	LineColor Color // of the underline; default: as FG
	Attr      Attr
	Underline Underline
	Link      uint16 // of a hyperlink, 0 is none; see [Terminal.Link]
}

// background returns the style of a cell erased with s.
func (s Style) background() Style { return Style{BG: s.BG} }
