package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/vt"
)

// Haste says how soon a frame has to show what a message changed.
type Haste int

// The kinds of haste.
const (
	HasteSoon   Haste = iota // with the next frame that there is time for
	HasteNow                 // the echo of a key, which never waits for the output of another pane
	HasteLater               // an agent that got a key shows it, or not
	HasteOutput              // what a pane without the keys has printed: less often under load
)

// Haste returns how soon the effect of a message that Update had must be shown.
func (m *Model) Haste(msg tea.Msg) Haste {
	switch msg.(type) {
	case ViewMsg:
		if m.focusedPaneChanged() {
			return HasteNow
		}
	case tea.KeyPressMsg, tea.PasteMsg:
		if m.screen.focus != 0 && m.layer.Open() == nil && !m.keys.leader && !m.screen.copying.Active() {
			return HasteLater
		}
		return HasteNow
	}
	return HasteSoon
}

// FocusedTerminal returns the terminal of the pane with the keys; nil: there is none.
func (m *Model) FocusedTerminal() *vt.Locked {
	if p := m.screen.pane(m.screen.focus); p != nil {
		return p.Terminal
	}
	return nil
}

// focusedPaneChanged reports whether the pane with the keys has something that was not drawn yet.
func (m *Model) focusedPaneChanged() bool {
	p := m.screen.pane(m.screen.focus)
	if p == nil || p.Terminal == nil {
		return false
	}
	gen := p.Terminal.Gen()
	return gen != m.screen.drawnGen
}
