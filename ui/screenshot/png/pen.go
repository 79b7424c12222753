package png

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// pen draws smooth shapes of one colour into a cell. Coordinates are pixels
// from the cell's top left corner.
type pen struct {
	img   *image.NRGBA
	rect  image.Rectangle
	color color.NRGBA
	alpha float64 // 0: opaque
}

func (p pen) size() (w, h float64) {
	return float64(p.rect.Dx()), float64(p.rect.Dy())
}

// path is a closed line; several make a shape, in which the inner ones that
// turn the other way are holes.
type path []point

type point struct{ x, y float64 }

// shape fills paths. What they reach outside the cell is drawn as well, up to
// a cell's width.
func (p pen) shape(paths ...path) {
	around := p.rect
	if around.Empty() {
		around = p.img.Bounds()
	} else {
		around = around.Inset(-p.rect.Dx()).Intersect(p.img.Bounds())
	}
	offset := p.rect.Min.Sub(around.Min)
	r := vector.NewRasterizer(around.Dx(), around.Dy())
	for _, path := range paths {
		for i, at := range path {
			x, y := float32(at.x)+float32(offset.X), float32(at.y)+float32(offset.Y)
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	ink := p.color
	if p.alpha > 0 {
		ink.A = uint8(255 * p.alpha)
	}
	r.DrawOp = draw.Over
	r.Draw(p.img, around, image.NewUniform(ink), image.Point{})
}

// fill fills a rectangle.
func (p pen) fill(x1, y1, x2, y2 float64) {
	p.shape(path{{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}})
}

// line draws a straight line with round ends.
func (p pen) line(x1, y1, x2, y2, width float64) {
	length := math.Hypot(x2-x1, y2-y1)
	if length > 0 {
		dx, dy := (y2-y1)/length*width/2, -(x2-x1)/length*width/2
		p.shape(path{{x1 + dx, y1 + dy}, {x2 + dx, y2 + dy}, {x2 - dx, y2 - dy}, {x1 - dx, y1 - dy}})
	}
	p.disc(x1, y1, width/2)
	p.disc(x2, y2, width/2)
}

// lines draws a line through points.
func (p pen) lines(width float64, points ...point) {
	for i := 1; i < len(points); i++ {
		p.line(points[i-1].x, points[i-1].y, points[i].x, points[i].y, width)
	}
}

func (p pen) disc(x, y, radius float64) { p.shape(arc(x, y, radius, 0, 2*math.Pi)) }

// ring draws a circle as a line.
func (p pen) ring(x, y, radius, width float64) {
	inner := arc(x, y, radius-width/2, 2*math.Pi, 0)
	p.shape(arc(x, y, radius+width/2, 0, 2*math.Pi), inner)
}

// curve draws a part of a circle as a line; angles go clockwise from the right.
func (p pen) curve(x, y, radius, from, to, width float64) {
	outer := arc(x, y, radius+width/2, from, to)
	p.shape(append(outer, arc(x, y, radius-width/2, to, from)...))
}

// arc is a part of a circle as points.
func arc(x, y, radius, from, to float64) path {
	const steps = 48
	points := make(path, 0, steps+1)
	for i := range steps + 1 {
		angle := from + (to-from)*float64(i)/steps
		points = append(points, point{x + radius*math.Cos(angle), y + radius*math.Sin(angle)})
	}
	return points
}

// roundRect fills a rectangle with round corners.
func (p pen) roundRect(x1, y1, x2, y2, radius float64) {
	quarter := math.Pi / 2
	outline := arc(x2-radius, y1+radius, radius, -quarter, 0)
	outline = append(outline, arc(x2-radius, y2-radius, radius, 0, quarter)...)
	outline = append(outline, arc(x1+radius, y2-radius, radius, quarter, 2*quarter)...)
	outline = append(outline, arc(x1+radius, y1+radius, radius, 2*quarter, 3*quarter)...)
	p.shape(outline)
}
