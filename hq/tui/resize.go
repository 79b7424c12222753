package tui

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// listen asks for the size to be read whenever it changed, until the returned
// function is called. Bubble Tea listens too, but from a moment after its first
// look at the size: what changed in between would be lost.
func (d *deck) listen() func() {
	c := make(chan os.Signal, 1) // one says that the size is to be read again
	signal.Notify(c, syscall.SIGWINCH)
	d.own(func() {
		for {
			select {
			case <-c:
				d.program.Send(tea.WindowSizeMsg{})
			case <-d.ctx.Done():
				return
			}
		}
	})
	return func() { signal.Stop(c) }
}

// newest puts the size that the terminal has now into each message about it, so
// that two who tell of a change cannot bring an old size after a new one.
func newest(terminal *os.File) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.WindowSizeMsg); !ok {
			return msg
		}
		if w, h, err := term.GetSize(terminal.Fd()); err == nil {
			return tea.WindowSizeMsg{Width: w, Height: h}
		}
		if msg == (tea.WindowSizeMsg{}) {
			return nil // ours, and nobody can say
		}
		return msg
	}
}
