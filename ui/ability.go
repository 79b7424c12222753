package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Terminal is what an environment says of its terminal. The zero Terminal is one
// that can do everything.
type Terminal struct {
	Glyphs Charset
	Light  bool // its background, until it says so itself
	// Mute is one that has no title and no clipboard and cannot tell its colours:
	// older Linux consoles print a part of what sets or asks for those.
	Mute bool
}

// TerminalOf reads the environment. COLORFGBG, which some terminals set, ends in
// the number of the background: 7 and 15 are white.
func TerminalOf(environ func(name string) string) Terminal {
	colours := environ("COLORFGBG")
	return Terminal{
		Glyphs: GlyphsOf(environ),
		Light:  strings.HasSuffix(colours, ";7") || strings.HasSuffix(colours, ";15"),
		Mute:   environ("TERM") == "linux",
	}
}

// termCaps is what the terminal can show, as far as it is known.
type termCaps struct {
	Terminal
	few bool // 8 or 16 colours, where others have 256 or more
}

// ask asks whether the terminal is light or dark.
func (a *termCaps) ask() tea.Cmd {
	if a.Mute {
		return nil
	}
	return tea.RequestBackgroundColor
}

// title is one for its window.
func (a *termCaps) title(text string) string {
	if a.Mute {
		return ""
	}
	return a.Glyphs.draw(text)
}

// learn takes what was found out, and returns the theme that fits it.
func (a *termCaps) learn(msg tea.Msg) *Theme {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		a.Light = !msg.IsDark()
	case tea.ColorProfileMsg:
		a.few = msg.Profile == colorprofile.ANSI
	}
	if a.few {
		return newPlainTheme(!a.Light)
	}
	return NewTheme(!a.Light)
}
