package png

import "math"

// Symbols are drawn around the middle of the cell; 1 is a little
// more than half the width of the character.
type symbolPen struct {
	pen
	x, y, unit float64
}

// symbol draws one of the symbols that the font lacks.
func (p pen) symbol(r rune) bool {
	draw := symbols[r]
	if draw == nil {
		return false
	}
	w, h := p.size()
	draw(symbolPen{p, w / 2, h * 0.51, math.Min(w*0.57, h*0.36)})
	return true
}

func (s symbolPen) at(x, y float64) point { return point{s.x + x*s.unit, s.y + y*s.unit} }

// polygon fills a shape given by pairs of coordinates.
func (s symbolPen) polygon(xy ...float64) { s.shape(s.path(xy)) }

func (s symbolPen) path(xy []float64) path {
	points := make(path, 0, len(xy)/2)
	for i := 0; i+1 < len(xy); i += 2 {
		points = append(points, s.at(xy[i], xy[i+1]))
	}
	return points
}

// trace draws a line through pairs of coordinates.
func (s symbolPen) trace(width float64, xy ...float64) { s.lines(width*s.unit, s.path(xy)...) }

// outline draws a closed line.
func (s symbolPen) outline(width float64, xy ...float64) {
	s.trace(width, append(xy, xy[0], xy[1])...)
}

func (s symbolPen) dot(x, y, radius float64) {
	at := s.at(x, y)
	s.disc(at.x, at.y, radius*s.unit)
}

func (s symbolPen) circle(radius, width float64) {
	s.ring(s.x, s.y, radius*s.unit, width*s.unit)
}

// star draws arms from the middle, with ends that are dots.
func (s symbolPen) star(arms int, width, ends float64) {
	for i := range arms {
		angle := 2*math.Pi*float64(i)/float64(arms) - math.Pi/2
		x, y := math.Cos(angle)*0.8, math.Sin(angle)*0.8
		s.trace(width, 0, 0, x, y)
		s.dot(x, y, ends)
	}
}

// fivePoints is a star with five points.
func fivePoints() (xy []float64) {
	for i := range 10 {
		radius := 0.92
		if i%2 == 1 {
			radius = 0.38
		}
		angle := math.Pi*float64(i)/5 - math.Pi/2
		xy = append(xy, math.Cos(angle)*radius, math.Sin(angle)*radius)
	}
	return xy
}

// half fills a half circle that begins at an angle.
func (s symbolPen) half(from, to float64) {
	s.circle(0.66, 0.16)
	s.shape(arc(s.x, s.y, 0.66*s.unit, from, to))
}

// triangle fills a triangle that points at an angle.
func (s symbolPen) triangle(angle, size float64) { s.polygon(triangle(angle, size)...) }

func triangle(angle, size float64) (xy []float64) {
	for i, reach := range []float64{1, 0.9, 0.9} {
		a := angle + []float64{0, 2.25, -2.25}[i]
		xy = append(xy, math.Cos(a)*size*reach, math.Sin(a)*size*reach)
	}
	return xy
}

// turn is an open circle with an arrow at its end.
func (s symbolPen) turn(mirror float64) {
	from, to := -0.25*math.Pi, 1.4*math.Pi
	if mirror < 0 {
		from, to = math.Pi-from, math.Pi-to
	}
	s.curve(s.x, s.y, 0.62*s.unit, from, to, 0.2*s.unit)
	s.polygon(mirror*0.05, -0.95, mirror*0.62, -0.55, mirror*0.0, -0.2)
}
