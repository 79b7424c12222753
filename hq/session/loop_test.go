package session

import "testing"

// A loop that is closed before it was started keeps nothing waiting that asked for its turn.
func TestCloseBeforeStart(t *testing.T) {
	t.Parallel()
	l := NewLoop(t.Context())
	ran := true
	l.Go(func() { ran = l.Ask(func() {}) })
	l.Close()
	if ran {
		t.Error("a loop that was not started ran a function")
	}
}
