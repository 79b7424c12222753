package run

import (
	"sync/atomic"
	"time"

	"ferrus/ui/vt"
)

// screen is a pane's emulator that tells when it has something new to show.
type screen struct {
	*vt.Locked
	poke func()
}

func (s *screen) Write(p []byte) (int, error) {
	n, err := s.Locked.Write(p)
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
