package tty

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"
)

// RunProgram runs m on standard input and output until it quits, the terminal is
// gone, or ctx is done.
func RunProgram(ctx context.Context, m tea.Model) error {
	var program *tea.Program
	t := Open(os.Stdin, os.Stdout)
	drained := func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.QuitMsg); ok && t.flow.pending() {
			go func() { t.Drain(ctx); program.Quit() }()
			return nil
		}
		return msg
	}
	options := append(t.Options(os.Getenv, func() { go program.Quit() }), tea.WithContext(ctx), tea.WithFilter(drained))
	program = tea.NewProgram(m, options...)
	_, err := program.Run()
	return err
}
