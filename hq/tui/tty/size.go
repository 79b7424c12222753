package tty

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// WatchSize returns a function that sends a message whenever the size of the terminal
// changes, until ctx is done. Bubble Tea does so too, but only from a moment after
// its first look at the size; signals are caught from this call on. Filter the
// messages with [Terminal.NewestSize].
func WatchSize(ctx context.Context, send func(tea.Msg)) (watch func()) {
	c := make(chan os.Signal, 1) // one says that the size is to be read again
	signal.Notify(c, syscall.SIGWINCH)
	return func() {
		defer signal.Stop(c)
		for {
			select {
			case <-c:
				send(tea.WindowSizeMsg{})
			case <-ctx.Done():
				return
			}
		}
	}
}

// NewestSize returns a filter for the program: it puts the terminal's current size into
// each message about it, so that the later of two senders never brings an older size.
func (t *Terminal) NewestSize(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.WindowSizeMsg); !ok {
		return msg
	}
	if w, h, err := term.GetSize(t.out.Fd()); err == nil {
		return tea.WindowSizeMsg{Width: w, Height: h}
	}
	if msg == (tea.WindowSizeMsg{}) {
		return nil // from WatchSize, and the size cannot be read
	}
	return msg
}
