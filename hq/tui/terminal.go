package tui

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Show runs a screen that is not HQ on the terminal, until it ends by itself, the
// terminal is gone, or ctx is done.
func Show(ctx context.Context, m tea.Model) error {
	var program *tea.Program
	link := newLink()
	settled := func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.QuitMsg); ok && link.pending() {
			go func() { link.settle(ctx); program.Quit() }()
			return nil
		}
		return msg
	}
	options := append(terminal(os.Getenv, link, func() { go program.Quit() }), tea.WithContext(ctx), tea.WithFilter(settled))
	program = tea.NewProgram(m, options...)
	_, err := program.Run()
	return err
}

// terminal has a program use the terminal by a link. Colours are left out where the
// person wants none: NO_COLOR says so with any text in it, of which Bubble Tea
// knows only "1" and "true".
func terminal(environ func(name string) string, l *flowControl, gone func()) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithInput(ttyReader{os.Stdin, l, gone}), tea.WithOutput(ttyWriter{os.Stdout, l})}
	if environ("NO_COLOR") != "" {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	return options
}
