package vt

import "strconv"

const resetSGR = "\x1b[m"

// setStyle changes the pen.
func (w *writer) setStyle(s Style) {
	w.pen.style = s
	w.pen.number = w.tables.styleNumber(s)
	w.erased = blank
	if s.BG != 0 {
		w.erased.style = w.tables.styleNumber(s.background())
	}
}

// selectGraphics carries out SGR.
func (w *writer) selectGraphics(p *params) {
	s := w.pen.style
	if p.count == 0 {
		s = Style{Link: s.Link}
	}
	for i := 0; i < p.count; {
		i += s.apply(p, i)
	}
	if s != w.pen.style {
		w.setStyle(s)
	}
}

// apply changes the style by parameter i and returns how many were used.
func (s *Style) apply(p *params, i int) (used int) {
	used = 1
	for p.sub(i + used) {
		used++
	}
	switch v := p.values[i]; {
	case v == 4:
		s.Underline = SingleUnderline
		if used > 1 {
			s.Underline = Underline(min(p.values[i+1], int(DashedUnderline)))
		}
	case v == 38 || v == 48 || v == 58:
		if used == 1 { // the old form, with semicolons
			used = oldColorLength(p, i)
		}
		if color, ok := color(p.values[i+1:i+used], p.sub(i+1)); ok {
			*s.color(v) = color
		}
	case v < 30 || v >= 50 && v < 60:
		s.attribute(v)
	default:
		s.simpleColor(v)
	}
	return used
}

// attributes are those an SGR parameter sets; those it clears are 20 more.
var attributes = [...]Attr{1: Bold, 2: Faint, 3: Italic, 5: Blink, 6: Blink, 7: Reverse, 8: Hidden, 9: Strike}

func (s *Style) attribute(v int) {
	switch {
	case v == 0:
		*s = Style{Link: s.Link}
	case v < len(attributes):
		s.Attr |= attributes[v]
	case v == 21:
		s.Underline = DoubleUnderline
	case v == 22:
		s.Attr &^= Bold | Faint
	case v == 24:
		s.Underline = NoUnderline
	case v > 22 && v < 30:
		s.Attr &^= attributes[v-20]
	case v == 53:
		s.Attr |= Overline
	case v == 55:
		s.Attr &^= Overline
	case v == 59:
		s.LineColor = 0
	}
}

// simpleColor is one of the 16 colours, or the default.
func (s *Style) simpleColor(v int) {
	switch {
	case v >= 30 && v <= 37:
		s.FG = Palette(uint8(v - 30))
	case v == 39:
		s.FG = 0
	case v >= 40 && v <= 47:
		s.BG = Palette(uint8(v - 40))
	case v == 49:
		s.BG = 0
	case v >= 90 && v <= 97:
		s.FG = Palette(uint8(v - 90 + 8))
	case v >= 100 && v <= 107:
		s.BG = Palette(uint8(v - 100 + 8))
	}
}

// color returns the colour that parameter v sets.
func (s *Style) color(v int) *Color {
	switch v {
	case 38:
		return &s.FG
	case 48:
		return &s.BG
	}
	return &s.LineColor
}

// oldColorLength returns the number of parameters of a colour written with
// semicolons; of a broken one, all that are left.
func oldColorLength(p *params, i int) int {
	left := p.count - i
	switch {
	case left >= 3 && p.values[i+1] == 5:
		return 3
	case left >= 5 && p.values[i+1] == 2:
		return 5
	}
	return left
}

// color reads 5;n or 2;r;g;b, with a colour space before r if there is room.
func color(v []int, colons bool) (Color, bool) {
	switch {
	case len(v) >= 2 && v[0] == 5:
		return Palette(uint8(v[1])), true
	case len(v) >= 5 && v[0] == 2 && colons:
		return RGB(uint8(v[2]), uint8(v[3]), uint8(v[4])), true
	case len(v) >= 4 && v[0] == 2:
		return RGB(uint8(v[1]), uint8(v[2]), uint8(v[3])), true
	}
	return 0, false
}

// appendSGR appends the sequence that selects a style from any other.
func appendSGR(b []byte, s Style) []byte {
	b = append(b, "\x1b[0"...)
	for i, code := range [...]string{";1", ";2", ";3", ";5", ";7", ";8", ";9", ";53"} {
		if s.Attr&(1<<i) != 0 {
			b = append(b, code...)
		}
	}
	switch s.Underline {
	case NoUnderline:
	case SingleUnderline:
		b = append(b, ";4"...)
	default:
		b = append(b, ";4:"...)
		b = strconv.AppendInt(b, int64(s.Underline), 10)
	}
	b = appendColor(b, 38, s.FG)
	b = appendColor(b, 48, s.BG)
	b = appendColor(b, 58, s.LineColor)
	return append(b, 'm')
}

func appendColor(b []byte, code int, c Color) []byte {
	if i, ok := c.Index(); ok {
		return appendCodes(b, code, 5, int(i))
	}
	if red, green, blue, ok := c.RGB(); ok {
		return appendCodes(b, code, 2, int(red), int(green), int(blue))
	}
	return b
}

func appendCodes(b []byte, codes ...int) []byte {
	for _, code := range codes {
		b = append(b, ';')
		b = strconv.AppendInt(b, int64(code), 10)
	}
	return b
}
