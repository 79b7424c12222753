package vt

import "time"

// A program that changes much asks with mode 2026 that nothing be shown until
// it is done. It gets this long, and this many bytes.
const (
	holdTime  = time.Second
	holdBytes = 1 << 20
)

// syncOutput is the screen as it is shown while the program works on the next one.
type syncOutput struct {
	rows   []row // copies; made when first needed, then only brought up to date
	gens   []uint64
	gen    uint64
	cursor Cursor
	since  time.Time
	bytes  int
	now    func() time.Time
}

// beginHold keeps what is shown now.
func (t *Terminal) beginHold() {
	h := &t.hold
	if len(h.rows) != t.height {
		h.rows, h.gens = make([]row, t.height), make([]uint64, t.height)
	}
	for y, r := range t.rows {
		h.gens[y] = max(r.gen, t.moved)
		if kept := &h.rows[y]; kept.gen != r.gen {
			cells := append(kept.cells[:0], r.cells...)
			*kept = *r
			kept.cells = cells
		}
	}
	h.gen, h.cursor = t.gen, t.cursor()
	h.since, h.bytes = h.now(), 0
}

// holding reports whether the held screen is the one to show.
func (t *Terminal) holding() bool {
	h := &t.hold
	return t.modes.Synchronized && len(h.rows) == t.height &&
		h.bytes <= holdBytes && h.now().Sub(h.since) < holdTime
}

// shown is row y of the screen to show.
func (t *Terminal) shown(y int) *row {
	if t.holding() {
		return &t.hold.rows[y]
	}
	return t.rows[y]
}

// release shows the present screen.
func (t *Terminal) release() {
	t.modes.Synchronized = false
	t.hold.rows = nil
	t.gen++
}
