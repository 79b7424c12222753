package deck

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Colourless leaves colours out where the person wants none: NO_COLOR says so with
// any text in it, of which Bubble Tea knows only "1" and "true".
func Colourless(environ func(name string) string) []tea.ProgramOption {
	if environ("NO_COLOR") == "" {
		return nil
	}
	return []tea.ProgramOption{tea.WithColorProfile(colorprofile.ASCII)}
}
