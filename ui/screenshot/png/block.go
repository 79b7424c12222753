package png

import "math"

// quadrants are the quarters from U+2596 on: upper left 1, upper right 2,
// lower left 4, lower right 8.
var quadrants = [...]int{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}

// block draws a character of the block Block Elements.
func (p pen) block(r rune) bool {
	w, h := p.size()
	switch {
	case r < 0x2580 || r > 0x259f:
		return false
	case r == '▀':
		p.fill(0, 0, w, math.Round(h/2))
	case r <= '█':
		p.fill(0, math.Round(h*float64('█'-r)/8), w, h)
	case r <= '▏':
		p.fill(0, 0, math.Round(w*float64('▐'-r)/8), h)
	case r == '▐':
		p.fill(math.Round(w/2), 0, w, h)
	case r <= '▓':
		p.alpha = float64(r-'▐') / 4
		p.fill(0, 0, w, h)
	case r == '▔':
		p.fill(0, 0, w, math.Round(h/8))
	case r == '▕':
		p.fill(math.Round(w*7/8), 0, w, h)
	default:
		p.quarters(quadrants[r-'▖'])
	}
	return true
}

func (p pen) quarters(set int) {
	w, h := p.size()
	x, y := math.Round(w/2), math.Round(h/2)
	if set&1 != 0 {
		p.fill(0, 0, x, y)
	}
	if set&2 != 0 {
		p.fill(x, 0, w, y)
	}
	if set&4 != 0 {
		p.fill(0, y, x, h)
	}
	if set&8 != 0 {
		p.fill(x, y, w, h)
	}
}

// brailleDots are the places of the dots by bit: column, row.
var brailleDots = [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}

// braille draws a pattern of dots.
func (p pen) braille(r rune) bool {
	if r < 0x2800 || r > 0x28ff {
		return false
	}
	w, h := p.size()
	for i, at := range brailleDots {
		if (r-0x2800)&(1<<i) != 0 {
			p.disc(w*(0.29+0.42*at[0]), h*(0.2+0.2*at[1]), w*0.135)
		}
	}
	return true
}
