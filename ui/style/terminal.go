package style

import (
	"fmt"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Terminal is what an environment says about its terminal. The zero Terminal can do
// everything.
type Terminal struct {
	Glyphs Charset
	Light  bool // its background, until it reports that itself
	// Mute says that it has no title and no clipboard and cannot report its colours:
	// older Linux consoles print a part of what sets those or asks for them.
	Mute bool
	// Progress says that it shows progress in its tab or task bar (OSC 9;4).
	Progress bool
}

// TerminalOf returns what the environment says. COLORFGBG, which some terminals set, ends in
// the number of the background: 7 and 15 are white.
func TerminalOf(environ func(name string) string) Terminal {
	colours := environ("COLORFGBG")
	return Terminal{
		Glyphs: glyphsOf(environ),
		Light:  strings.HasSuffix(colours, ";7") || strings.HasSuffix(colours, ";15"),
		Mute:   environ("TERM") == "linux",

		Progress: showsProgress(environ),
	}
}

// showsProgress reports whether a terminal is known to show progress. Others may take the
// sequence for a notification, as iTerm2 does before 3.6.
func showsProgress(environ func(name string) string) bool {
	if environ("TMUX") != "" || environ("STY") != "" {
		return false // it keeps the sequence to itself
	}
	program, version := environ("TERM_PROGRAM"), environ("TERM_PROGRAM_VERSION")
	switch {
	case program == "ghostty", program == "WezTerm", environ("WT_SESSION") != "", environ("ConEmuANSI") == "ON":
		return true
	case program == "iTerm.app":
		var major, minor int
		_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
		return err == nil && (major > 3 || major == 3 && minor >= 6)
	}
	return false
}

// Caps is what the terminal can show, as far as it is known.
type Caps struct {
	Terminal
	few    bool // 8 or 16 colours, where others have 256 or more
	choice Choice
}

// Query returns a command that asks whether the terminal is light or dark.
func (c *Caps) Query() tea.Cmd {
	if c.Mute {
		return nil
	}
	return tea.RequestBackgroundColor
}

// Title returns a title for the window as the terminal can show it.
func (c *Caps) Title(text string) string {
	if c.Mute {
		return ""
	}
	return c.Glyphs.Render(text)
}

// Learn takes an answer of the terminal, and returns the theme that fits.
func (c *Caps) Learn(msg tea.Msg) *Theme {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		c.Light = !msg.IsDark()
	case tea.ColorProfileMsg:
		c.few = msg.Profile == colorprofile.ANSI
	}
	return c.choice.Theme(!c.Light, c.few)
}

// Choose sets the human's choice, and returns the theme that fits; nil if that is
// already the current one.
func (c *Caps) Choose(wanted Choice) *Theme {
	if wanted.Name == c.choice.Name && maps.Equal(wanted.Colors, c.choice.Colors) {
		return nil
	}
	c.choice = wanted
	return c.choice.Theme(!c.Light, c.few)
}
