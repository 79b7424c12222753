package png

import "math"

const (
	right = 0
	down  = math.Pi / 2
	left  = math.Pi
	up    = -math.Pi / 2
)

// symbols are drawn because the font lacks them or because they look better
// together when they are of one hand.
var symbols = map[rune]func(symbolPen){
	'●': func(s symbolPen) { s.dot(0, 0, 0.7) },
	'⏺': func(s symbolPen) { s.dot(0, 0, 0.7) },
	'•': func(s symbolPen) { s.dot(0, 0, 0.4) },
	'∙': func(s symbolPen) { s.dot(0, 0, 0.22) },
	'○': func(s symbolPen) { s.circle(0.64, 0.17) },
	'◯': func(s symbolPen) { s.circle(0.8, 0.17) },
	'◌': func(s symbolPen) {
		for i := range 8 {
			angle := float64(i) * math.Pi / 4
			s.dot(0.66*math.Cos(angle), 0.66*math.Sin(angle), 0.12)
		}
	},
	'◉': func(s symbolPen) { s.circle(0.68, 0.16); s.dot(0, 0, 0.36) },
	'◎': func(s symbolPen) { s.circle(0.7, 0.14); s.circle(0.34, 0.14) },
	'⊙': func(s symbolPen) { s.circle(0.7, 0.14); s.dot(0, 0, 0.18) },
	'⊘': func(s symbolPen) { s.circle(0.68, 0.15); s.trace(0.15, -0.46, 0.46, 0.46, -0.46) },
	'∅': func(s symbolPen) { s.circle(0.6, 0.15); s.trace(0.15, -0.6, 0.75, 0.6, -0.75) },
	'∘': func(s symbolPen) { s.circle(0.34, 0.15) },
	'◐': func(s symbolPen) { s.half(down, down+math.Pi) },
	'◑': func(s symbolPen) { s.half(up, up+math.Pi) },
	'◒': func(s symbolPen) { s.half(0, math.Pi) },
	'◓': func(s symbolPen) { s.half(math.Pi, 2*math.Pi) },
	'◔': func(s symbolPen) {
		s.circle(0.66, 0.16)
		s.shape(append(arc(s.x, s.y, 0.66*s.unit, up, 0), s.at(0, 0)))
	},
	'◕': func(s symbolPen) {
		s.circle(0.66, 0.16)
		s.shape(append(arc(s.x, s.y, 0.66*s.unit, up, math.Pi), s.at(0, 0)))
	},

	'◆': func(s symbolPen) { s.polygon(0, -0.85, 0.75, 0, 0, 0.85, -0.75, 0) },
	'◇': func(s symbolPen) { s.outline(0.16, 0, -0.75, 0.68, 0, 0, 0.75, -0.68, 0) },
	'■': func(s symbolPen) { s.polygon(-0.7, -0.7, 0.7, -0.7, 0.7, 0.7, -0.7, 0.7) },
	'⏹': func(s symbolPen) { s.polygon(-0.65, -0.65, 0.65, -0.65, 0.65, 0.65, -0.65, 0.65) },
	'∎': func(s symbolPen) { s.polygon(-0.4, -0.7, 0.4, -0.7, 0.4, 0.7, -0.4, 0.7) },
	'□': func(s symbolPen) { s.outline(0.16, -0.64, -0.64, 0.64, -0.64, 0.64, 0.64, -0.64, 0.64) },
	'▪': func(s symbolPen) { s.polygon(-0.38, -0.38, 0.38, -0.38, 0.38, 0.38, -0.38, 0.38) },
	'▫': func(s symbolPen) { s.outline(0.14, -0.34, -0.34, 0.34, -0.34, 0.34, 0.34, -0.34, 0.34) },
	'⏸': func(s symbolPen) {
		s.polygon(-0.6, -0.7, -0.18, -0.7, -0.18, 0.7, -0.6, 0.7)
		s.polygon(0.18, -0.7, 0.6, -0.7, 0.6, 0.7, 0.18, 0.7)
	},

	'▶': func(s symbolPen) { s.triangle(right, 0.85) },
	'►': func(s symbolPen) { s.triangle(right, 0.85) },
	'⏵': func(s symbolPen) { s.triangle(right, 0.8) },
	'▸': func(s symbolPen) { s.triangle(right, 0.6) },
	'◀': func(s symbolPen) { s.triangle(left, 0.85) },
	'◄': func(s symbolPen) { s.triangle(left, 0.85) },
	'◂': func(s symbolPen) { s.triangle(left, 0.6) },
	'▲': func(s symbolPen) { s.triangle(up, 0.85) },
	'▴': func(s symbolPen) { s.triangle(up, 0.6) },
	'▼': func(s symbolPen) { s.triangle(down, 0.85) },
	'▾': func(s symbolPen) { s.triangle(down, 0.6) },
	'▷': func(s symbolPen) { s.outline(0.14, triangle(right, 0.78)...) },
	'▹': func(s symbolPen) { s.outline(0.14, triangle(right, 0.52)...) },
	'◁': func(s symbolPen) { s.outline(0.14, triangle(left, 0.78)...) },
	'◃': func(s symbolPen) { s.outline(0.14, triangle(left, 0.52)...) },
	'△': func(s symbolPen) { s.outline(0.14, triangle(up, 0.78)...) },
	'▽': func(s symbolPen) { s.outline(0.14, triangle(down, 0.78)...) },
	'▿': func(s symbolPen) { s.outline(0.14, triangle(down, 0.52)...) },

	'✓': func(s symbolPen) { s.trace(0.24, -0.68, 0.1, -0.2, 0.62, 0.72, -0.66) },
	'✔': func(s symbolPen) { s.trace(0.34, -0.64, 0.1, -0.18, 0.58, 0.68, -0.62) },
	'✗': func(s symbolPen) { s.trace(0.24, -0.58, -0.6, 0.58, 0.6); s.trace(0.24, 0.58, -0.6, -0.58, 0.6) },
	'✘': func(s symbolPen) { s.trace(0.34, -0.56, -0.6, 0.56, 0.6); s.trace(0.34, 0.56, -0.6, -0.56, 0.6) },
	'✕': func(s symbolPen) { s.trace(0.22, -0.5, -0.5, 0.5, 0.5); s.trace(0.22, 0.5, -0.5, -0.5, 0.5) },
	'❯': func(s symbolPen) { s.trace(0.26, -0.34, -0.78, 0.38, 0, -0.34, 0.78) },
	'❮': func(s symbolPen) { s.trace(0.26, 0.34, -0.78, -0.38, 0, 0.34, 0.78) },
	'☐': func(s symbolPen) { s.outline(0.14, -0.68, -0.68, 0.68, -0.68, 0.68, 0.68, -0.68, 0.68) },
	'☑': func(s symbolPen) {
		s.outline(0.14, -0.68, -0.68, 0.68, -0.68, 0.68, 0.68, -0.68, 0.68)
		s.trace(0.18, -0.36, 0.02, -0.1, 0.32, 0.4, -0.34)
	},
	'☒': func(s symbolPen) {
		s.outline(0.14, -0.68, -0.68, 0.68, -0.68, 0.68, 0.68, -0.68, 0.68)
		s.trace(0.16, -0.34, -0.34, 0.34, 0.34)
		s.trace(0.16, 0.34, -0.34, -0.34, 0.34)
	},

	'✢': func(s symbolPen) { s.star(4, 0.18, 0.16) },
	'✦': func(s symbolPen) {
		s.polygon(0, -0.9, 0.2, -0.2, 0.8, 0, 0.2, 0.2, 0, 0.9, -0.2, 0.2, -0.8, 0, -0.2, -0.2)
	},
	'✱': func(s symbolPen) { s.star(6, 0.24, 0.12) },
	'✳': func(s symbolPen) { s.star(8, 0.16, 0.08) },
	'✶': func(s symbolPen) { s.star(6, 0.2, 0.1) },
	'✻': func(s symbolPen) { s.star(6, 0.16, 0.17) },
	'✽': func(s symbolPen) { s.star(6, 0.22, 0.2) },
	'★': func(s symbolPen) { s.polygon(fivePoints()...) },
	'☆': func(s symbolPen) { s.outline(0.12, fivePoints()...) },
	'⚠': func(s symbolPen) {
		s.outline(0.16, 0, -0.8, 0.85, 0.7, -0.85, 0.7)
		s.trace(0.16, 0, -0.25, 0, 0.18)
		s.dot(0, 0.46, 0.1)
	},

	'⋯': func(s symbolPen) { s.dot(-0.62, 0, 0.15); s.dot(0, 0, 0.15); s.dot(0.62, 0, 0.15) },
	'⋮': func(s symbolPen) { s.dot(0, -0.65, 0.15); s.dot(0, 0, 0.15); s.dot(0, 0.65, 0.15) },
	'⎿': func(s symbolPen) { s.trace(0.16, -0.35, -1.2, -0.35, 0.75, 0.75, 0.75) },
	'↳': func(s symbolPen) {
		s.trace(0.16, -0.5, -0.8, -0.5, 0.4, 0.4, 0.4)
		s.polygon(0.2, 0, 0.9, 0.4, 0.2, 0.8)
	},
	'↵': enterArrow,
	'⏎': enterArrow,
	'↩': enterArrow,
	'↪': func(s symbolPen) {
		s.trace(0.16, -0.6, -0.6, -0.6, 0.2, 0.4, 0.2)
		s.polygon(0.2, -0.2, 0.85, 0.2, 0.2, 0.6)
	},
	'⇥': func(s symbolPen) {
		s.trace(0.16, -0.8, 0, 0.2, 0)
		s.polygon(0.05, -0.4, 0.65, 0, 0.05, 0.4)
		s.trace(0.16, 0.78, -0.5, 0.78, 0.5)
	},
	'⇧': func(s symbolPen) {
		s.outline(0.14, 0, -0.8, 0.7, -0.1, 0.3, -0.1, 0.3, 0.7, -0.3, 0.7, -0.3, -0.1, -0.7, -0.1)
	},
	'⌃': func(s symbolPen) { s.trace(0.18, -0.55, 0, 0, -0.6, 0.55, 0) },
	'⇒': func(s symbolPen) {
		s.trace(0.14, -0.85, -0.22, 0.4, -0.22)
		s.trace(0.14, -0.85, 0.22, 0.4, 0.22)
		s.trace(0.16, 0.25, -0.6, 0.85, 0, 0.25, 0.6)
	},
	'⟳': func(s symbolPen) { s.turn(1) },
	'↻': func(s symbolPen) { s.turn(1) },
	'↺': func(s symbolPen) { s.turn(-1) },
	'⧗': hourglass,
	'⏳': hourglass,
	'⚑': func(s symbolPen) { s.trace(0.16, -0.5, -0.85, -0.5, 0.9); s.polygon(-0.5, -0.85, 0.75, -0.45, -0.5, 0) },
	'✎': func(s symbolPen) {
		s.trace(0.3, -0.45, 0.45, 0.55, -0.55)
		s.polygon(-0.85, 0.85, -0.65, 0.3, -0.3, 0.65)
	},
}

func enterArrow(s symbolPen) {
	s.trace(0.16, 0.65, -0.7, 0.65, 0.25, -0.4, 0.25)
	s.polygon(-0.2, -0.2, -0.85, 0.25, -0.2, 0.7)
}

func hourglass(s symbolPen) {
	s.polygon(-0.6, -0.85, 0.6, -0.85, 0, 0)
	s.polygon(0, 0, 0.6, 0.85, -0.6, 0.85)
}
