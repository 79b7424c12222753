package style

import "charm.land/lipgloss/v2"

// Colors are what a theme is made of, as [lipgloss.Color] reads them: #88c0d0, or the
// number of one of 256. There is one accent, one colour for a warning and one for an
// error; what passed has its own, and everything around that is faint.
type Colors struct {
	Accent, Success, Warning, Error string
	Faint, Border                   string
	Code
	Tints
}

// Code are the colours of a program's text.
type Code struct{ Keyword, Text, Name, Number string }

// Tints are the backgrounds of lines in a diff, and of the words in them that changed.
type Tints struct{ Added, AddedWord, Removed, RemovedWord string }

var (
	darkTints  = Tints{"#11271a", "#183f26", "#2d1618", "#522024"}
	lightTints = Tints{"#e9fbee", "#c8f3d4", "#fdeeed", "#ffdfdc"}
)

// namedColors are the colours of the named themes, for dark terminals and for light ones.
var namedColors = map[string]struct{ dark, light Colors }{
	"ferrus": {
		Colors{"75", "114", "228", "203", "245", "240", Code{"182", "150", "117", "144"}, darkTints},
		Colors{"26", "22", "130", "160", "242", "247", Code{"90", "22", "25", "94"}, lightTints},
	},
	"nord": {
		Colors{"#88c0d0", "#a3be8c", "#ebcb8b", "#e58a93", "#93a0b5", "#566178",
			Code{"#c8a5c2", "#a3be8c", "#8fbcbb", "#d8b08a"}, darkTints},
		Colors{"#2e6a8e", "#3a6b28", "#8a5600", "#a8323e", "#5f6b7f", "#9aa5b8",
			Code{"#7b4a78", "#34611f", "#245a7a", "#7a4c00"}, lightTints},
	},
	"gruvbox": {
		Colors{"#8fb3a5", "#b8bb26", "#fabd2f", "#ff6a56", "#a89984", "#665c54",
			Code{"#e5a5ba", "#b8bb26", "#8ec07c", "#fe9a4a"}, darkTints},
		Colors{"#076678", "#5f6300", "#8f5000", "#9d0006", "#716559", "#b0a08a",
			Code{"#8f3f71", "#5f6300", "#2f6b48", "#8f4400"}, lightTints},
	},
	"contrast": {
		Colors{"#6fd7ff", "#6fff6f", "#ffff6f", "#ffa0a0", "#c4c4c4", "#9a9a9a",
			Code{"#ffb0ff", "#c0ffa0", "#a0e8ff", "#ffe0a0"}, darkTints},
		Colors{"#003f9f", "#004f00", "#6a3500", "#900000", "#3a3a3a", "#6a6a6a",
			Code{"#5f005f", "#004f00", "#003f8f", "#6a3500"}, lightTints},
	},
}

// terminalTheme is the theme that uses the terminal's own sixteen colours only.
const terminalTheme = "terminal"

// ThemeNames returns the named themes, the usual one first.
func ThemeNames() []string { return []string{"ferrus", "nord", "gruvbox", "contrast", terminalTheme} }

// ColorNames returns the colours of a theme that can be replaced, in the order of
// [Colors].
func ColorNames() []string {
	return []string{"accent", "success", "warning", "error", "faint", "border"}
}

// replace puts the human's own colours, by name, over those of a theme.
func (c Colors) replace(own map[string]string) Colors {
	for i, at := range []*string{&c.Accent, &c.Success, &c.Warning, &c.Error, &c.Faint, &c.Border} {
		if color := own[ColorNames()[i]]; color != "" {
			*at = color
		}
	}
	return c
}

// hues returns the colours as looks.
func (c Colors) hues() hues {
	on := func(s string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(s)) }
	under := func(s string) lipgloss.Style { return lipgloss.NewStyle().Background(lipgloss.Color(s)) }
	return hues{
		quiet: on(c.Faint), border: on(c.Border),
		busy: on(c.Accent), good: on(c.Success), warn: on(c.Warning), bad: on(c.Error),
		quoted: on(c.Number), keyword: on(c.Keyword), text: on(c.Text), name: on(c.Name),
		tinted: tinted{under(c.Added), under(c.AddedWord), under(c.Removed), under(c.RemovedWord)},
	}
}

// agentColors are what the sixteen colours of an agent's output are drawn as: the usual
// ones cannot be read everywhere, blue on black least of all.
var agentColors = map[bool][16]uint8{
	true:  {245, 203, 71, 179, 75, 176, 80, 252, 245, 210, 120, 228, 111, 213, 123, 231},
	false: {16, 124, 28, 94, 26, 90, 24, 242, 242, 160, 28, 130, 25, 127, 23, 238},
}

// fewAgentColors are the same for a terminal that has no other colours, with those instead that
// can be read on nearly every background: no blue on black, no yellow on white.
var fewAgentColors = map[bool][16]uint8{
	true:  {8, 1, 2, 3, 12, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	false: {0, 1, 2, 5, 4, 5, 4, 8, 8, 1, 2, 5, 4, 5, 4, 0},
}
