package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// ability is what the terminal can show, as far as it is known.
type ability struct {
	light  bool
	few    bool // 8 or 16 colours, where others have 256 or more
	glyphs Glyphs
}

// learn takes what was found out, and returns the theme that fits it.
func (a *ability) learn(msg tea.Msg) *Theme {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		a.light = !msg.IsDark()
	case tea.ColorProfileMsg:
		a.few = msg.Profile == colorprofile.ANSI
	}
	if a.few {
		return newPlainTheme(!a.light)
	}
	return NewTheme(!a.light)
}
