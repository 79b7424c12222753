package vt

import "time"

// A program that changes much asks by mode 2026 to show nothing until it is done. It
// gets this much time, and may write this many bytes.
const (
	syncTimeout  = time.Second
	maxSyncBytes = 1 << 20
)

// syncOutput is the screen to show while the program works on the next one.
type syncOutput struct {
	rows   []row // copies; made when first needed, then only brought up to date
	gens   []uint64
	gen    uint64
	cursor Cursor
	since  time.Time
	bytes  int
	now    func() time.Time
}

// beginSync copies what is shown now.
func (t *Terminal) beginSync() {
	h := &t.sync
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

// inSync reports whether to show the copied screen.
func (t *Terminal) inSync() bool {
	h := &t.sync
	return t.modes.Synchronized && len(h.rows) == t.height &&
		h.bytes <= maxSyncBytes && h.now().Sub(h.since) < syncTimeout
}

// shown returns row y of the screen to show.
func (t *Terminal) shown(y int) *row {
	if t.inSync() {
		return &t.sync.rows[y]
	}
	return t.rows[y]
}

// endSync shows the current screen again.
func (t *Terminal) endSync() {
	t.modes.Synchronized = false
	t.sync.rows = nil
	t.gen++
}
