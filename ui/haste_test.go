package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Text typed at the prompt is drawn at once; text typed into a pane is drawn with the agent's echo,
// which comes before the output of other panes.
func TestHaste(t *testing.T) {
	v := work()
	b := openAt(t, v, 120, 40)
	letter := tea.KeyPressMsg{Code: 'a', Text: "a"}
	haste := func(msg tea.Msg) Haste {
		b.send(msg)
		return b.m.Haste(msg)
	}
	if h := haste(letter); h != HasteNow {
		t.Errorf("a key at the prompt: %d", h)
	}
	if h := haste(ViewMsg{v}); h != HasteSoon {
		t.Errorf("a view without news for the prompt: %d", h)
	}
	b.send(tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: '2', Text: "2"})
	b.m.View() // it has the focus now
	if h := haste(letter); h != HasteLater {
		t.Errorf("a key into a pane: %d", h)
	}
	if h := haste(ViewMsg{v}); h != HasteSoon {
		t.Errorf("a view without an echo: %d", h)
	}
	if _, err := v.Panes[1].Terminal.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if h := haste(ViewMsg{v}); h != HasteNow {
		t.Errorf("an echo: %d", h)
	}
	b.m.View()
	if h := haste(ViewMsg{v}); h != HasteSoon {
		t.Errorf("a view after the echo was drawn: %d", h)
	}
	if h := haste(tea.KeyPressMsg{Code: ']', Mod: tea.ModCtrl}); h != HasteNow {
		t.Errorf("the key that leaves the pane: %d", h)
	}
}
