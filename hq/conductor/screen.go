package conductor

import (
	"sync/atomic"
	"time"

	"ferrus/ui/vt"
)

// screen is a pane's emulator that tells when it has something new to show.
type screen struct {
	*vt.Locked
	poke   func()
	output *activity
}

func (s *screen) Write(p []byte) (int, error) {
	n, err := s.Locked.Write(p)
	s.output.Write(p) //nolint:errcheck // it only looks at the clock
	s.poke()
	return n, err
}

// activity is a writer that remembers when it was last written to.
type activity struct{ at atomic.Int64 }

func (a *activity) Write(p []byte) (int, error) {
	a.at.Store(time.Now().UnixNano())
	return len(p), nil
}

func (a *activity) last() time.Time { return time.Unix(0, a.at.Load()) }

// Resize comes when the terminal has its new size.
func (s *screen) Resize(columns, rows int) {
	s.Locked.Resize(columns, rows)
	s.poke()
}
