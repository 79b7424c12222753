package tty

import (
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// RemoteOptions connects a program to a terminal that another process has, of a size and with the
// environment of that process.
func RemoteOptions(in io.Reader, out io.Writer, environ []string, columns, rows int) []tea.ProgramOption {
	colors := colorprofile.Env(environ)
	if those, ok := xtermColors(tea.EnvMsg(environ).Getenv); ok && colors > colorprofile.ASCII {
		colors = those
	}
	return []tea.ProgramOption{
		tea.WithInput(in), tea.WithOutput(marginless{out}), tea.WithEnvironment(environ), tea.WithoutSignalHandler(),
		tea.WithColorProfile(colors), tea.WithWindowSize(columns, rows),
	}
}
