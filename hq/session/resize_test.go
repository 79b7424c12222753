package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"ferrus/agent"
)

// A host that is busy when the size of its pane changes gets the size once it can take it.
func TestASizeThatWasNotTakenIsSentAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	busy := &busyProcess{taken: make(chan size, 1)}
	loop := NewLoop(t.Context())
	r := New(Options{Loop: loop, Callbacks: Callbacks{Changed: func() {}}})
	r.process = busy
	loop.Start(func() {})
	defer loop.Close()
	r.Resize(90, 30)
	select {
	case got := <-busy.taken:
		if got != (size{90, 30}) {
			t.Errorf("it got %v", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it never got its size")
	}
}

// busyProcess takes no size at first.
type busyProcess struct {
	refused bool // it is used on the loop only
	taken   chan size
}

func (p *busyProcess) Resize(columns, rows int) error {
	if !p.refused {
		p.refused = true
		return errors.New("there is no room")
	}
	p.taken <- size{columns, rows}
	return nil
}

func (*busyProcess) Done() <-chan struct{}                             { return nil }
func (*busyProcess) PID() int                                          { return 0 }
func (*busyProcess) Input([]byte) error                                { return nil }
func (*busyProcess) End(context.Context, time.Duration) (e agent.Exit) { return e }
func (*busyProcess) Detach()                                           {}
