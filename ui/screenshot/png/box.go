package png

import "math"

// boxArms are the characters from U+2500 on as lines from the middle to the
// top, right, bottom and left: 1 light, 2 heavy, 3 double. An empty entry is
// drawn in another way.
var boxArms = [128]string{
	"0101", "0202", "1010", "2020", "", "", "", "", "", "", "", "", // ─━│┃ and dashes
	"0110", "0210", "0120", "0220", "0011", "0012", "0021", "0022", // ┌ ┐
	"1100", "1200", "2100", "2200", "1001", "1002", "2001", "2002", // └ ┘
	"1110", "1210", "2110", "1120", "2120", "2210", "1220", "2220", // ├
	"1011", "1012", "2011", "1021", "2021", "2012", "1022", "2022", // ┤
	"0111", "0112", "0211", "0212", "0121", "0122", "0221", "0222", // ┬
	"1101", "1102", "1201", "1202", "2101", "2102", "2201", "2202", // ┴
	"1111", "1112", "1211", "1212", "2111", "1121", "2121", "2112", // ┼
	"2211", "1122", "1221", "2212", "1222", "2122", "2221", "2222",
	"", "", "", "", // ╌╍╎╏
	"0303", "3030", "0310", "0130", "0330", "0013", "0031", "0033", // ═║╒╓╔╕╖╗
	"1300", "3100", "3300", "1003", "3001", "3003", // ╘╙╚╛╜╝
	"1310", "3130", "3330", "1013", "3031", "3033", // ╞╟╠╡╢╣
	"0313", "0131", "0333", "1303", "3101", "3303", "1313", "3131", "3333", // ╤╥╦╧╨╩╪╫╬
	"", "", "", "", "", "", "", // ╭╮╯╰╱╲╳
	"0001", "1000", "0100", "0010", "0002", "2000", "0200", "0020", // ╴╵╶╷╸╹╺╻
	"0201", "1020", "0102", "2010", // ╼╽╾╿
}

// boxDashes are the dashed lines: how many dashes, heavy, vertical.
var boxDashes = map[rune]struct {
	count           int
	heavy, vertical bool
}{
	'┄': {3, false, false}, '┅': {3, true, false}, '┆': {3, false, true}, '┇': {3, true, true},
	'┈': {4, false, false}, '┉': {4, true, false}, '┊': {4, false, true}, '┋': {4, true, true},
	'╌': {2, false, false}, '╍': {2, true, false}, '╎': {2, false, true}, '╏': {2, true, true},
}

// box draws a character of the block Box Drawing.
func (p pen) box(r rune) bool {
	if r < 0x2500 || r > 0x257f {
		return false
	}
	if arms := boxArms[r-0x2500]; arms != "" {
		p.arms(arms)
		return true
	}
	if d, ok := boxDashes[r]; ok {
		p.dashes(d.count, d.heavy, d.vertical)
		return true
	}
	p.corner(r)
	return true
}

// stroke is the width of a light line, in whole pixels.
func (p pen) stroke() float64 {
	_, h := p.size()
	return math.Max(1, math.Round(h/18))
}

// middle is where lines meet: the top left pixel of a light line there.
func (p pen) middle() (x, y float64) {
	w, h := p.size()
	return math.Floor((w - p.stroke()) / 2), math.Floor((h - p.stroke()) / 2)
}

// arms draws lines from the middle to the edges.
func (p pen) arms(arms string) {
	w, h := p.size()
	s := p.stroke()
	x, y := p.middle()
	for i := range arms {
		for _, band := range bands(arms[i], s) {
			from, to := math.Ceil(s*start(arms, i, band.at/s)), band.at+band.width
			switch i {
			case 0:
				p.fill(x+band.at, 0, x+to, y+s-from)
			case 1:
				p.fill(x+from, y+band.at, w, y+to)
			case 2:
				p.fill(x+band.at, y+from, x+to, h)
			case 3:
				p.fill(0, y+band.at, x+s-from, y+to)
			}
		}
	}
}

// start is where a line of arm i begins, in strokes out from the middle, so
// that it meets the lines across and does not stick out behind them. Side is
// where it is across the arm: 0 in the middle, else towards one of the others.
func start(arms string, i int, side float64) float64 {
	near, far := arms[3], arms[1]
	if i%2 == 1 {
		near, far = arms[0], arms[2]
	}
	if side > 0 {
		near, far = far, near
	}
	alone := arms[(i+2)%4] == '0'
	switch {
	case arms[i] == '3' && near == '3':
		return 1
	case arms[i] == '3' && near == '0' && far == '3':
		return -1
	case arms[i] == '1' && alone && near == '3' && far == '3':
		return 1
	case arms[i] == '1' && alone && (near == '3' || far == '3'):
		return -1
	case near == '2' || far == '2' || arms[i] == '2':
		return -0.5
	}
	return 0
}

// band is a part of a line: where it begins across the line, from the edge of
// a light one, and how wide it is.
type band struct{ at, width float64 }

func bands(weight byte, s float64) []band {
	switch weight {
	case '1':
		return []band{{0, s}}
	case '2':
		return []band{{-math.Floor(s / 2), 2 * s}}
	case '3':
		return []band{{-s, s}, {s, s}}
	}
	return nil
}

func (p pen) dashes(count int, heavy, vertical bool) {
	w, h := p.size()
	x, y := p.middle()
	s := p.stroke()
	if heavy {
		x, y, s = x-s/2, y-s/2, 2*s
	}
	length := w
	if vertical {
		length = h
	}
	step := length / float64(count)
	for i := range count {
		from := float64(i)*step + step*0.2
		if vertical {
			p.fill(x, from, x+s, from+step*0.6)
		} else {
			p.fill(from, y, from+step*0.6, y+s)
		}
	}
}

// corner draws the round corners and the diagonals.
func (p pen) corner(r rune) {
	w, h := p.size()
	s := p.stroke()
	x, y := p.middle()
	cx, cy := x+s/2, y+s/2
	radius := math.Min(w-cx, h-cy)
	quarter := math.Pi / 2
	switch r {
	case '╭':
		p.curve(cx+radius, cy+radius, radius, 2*quarter, 3*quarter, s)
		p.fill(x, cy+radius, x+s, h)
		p.fill(cx+radius, y, w, y+s)
	case '╮':
		p.curve(cx-radius, cy+radius, radius, -quarter, 0, s)
		p.fill(x, cy+radius, x+s, h)
		p.fill(0, y, cx-radius, y+s)
	case '╯':
		p.curve(cx-radius, cy-radius, radius, 0, quarter, s)
		p.fill(x, 0, x+s, cy-radius)
		p.fill(0, y, cx-radius, y+s)
	case '╰':
		p.curve(cx+radius, cy-radius, radius, quarter, 2*quarter, s)
		p.fill(x, 0, x+s, cy-radius)
		p.fill(cx+radius, y, w, y+s)
	}
	if r == '╱' || r == '╳' {
		p.line(w, 0, 0, h, s)
	}
	if r == '╲' || r == '╳' {
		p.line(0, 0, w, h, s)
	}
}
