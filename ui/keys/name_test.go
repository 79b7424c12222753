package keys

import "testing"

func TestKeysAreRead(t *testing.T) {
	for _, c := range []struct {
		in            Context
		written, want string // empty: refused
		label         string
	}{
		{AtPrompt, "Ctrl+G", "ctrl+g", "Ctrl+G"}, {AtPrompt, "shift+ctrl+alt+F5", "ctrl+alt+shift+f5",
			"Ctrl+Alt+Shift+F5"},
		{AtPrompt, "PageUp", "pgup", "PgUp"}, {AtPrompt, "ctrl++", "ctrl++", "Ctrl++"}, {AtPrompt, "x", "", ""},
		{AtPrompt, "X", "", ""}, {AtPrompt, "up", "", ""}, {AtPrompt, "shift+left", "", ""},
		{AtPrompt, "ctrl+i", "", ""},
		{AtPrompt, "ctrl+m", "", ""}, {AtPrompt, "ctrl+[", "", ""}, {AtPrompt, "hyperspace", "", ""},
		{AtPrompt, "f0", "", ""},
		{AtPrompt, "", "", ""}, {AfterLeader, "x", "x", "x"}, {AfterLeader, "X", "shift+x", "X"},
		{AfterLeader, "space", "space", "Space"}, {AfterLeader, "+", "+", "+"},
		{AfterLeader, "\u00e9", "\u00e9", "\u00e9"},
		{InPane, "ctrl+g", "ctrl+g", "Ctrl+G"}, {InPane, "ctrl+\\", "ctrl+\\", "Ctrl+\\"}, {InPane, "f9", "f9", "F9"},
		{InPane, "ctrl+c", "", ""}, {InPane, "esc", "", ""}, {InPane, "alt+x", "", ""}, {InPane, "q", "", ""},
		{InPane, "ctrl+1", "", ""}, {InPane, "f13", "", ""}, {InPane, "ctrl+shift+g", "", ""},
		{InPane, "ctrl+h", "", ""},
	} {
		got, err := Binding{In: c.in}.Read(c.written)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s, %q is read as %q, %v", c.in, c.written, got, err)
		}
		if c.want != "" && Label(got) != c.label {
			t.Errorf("%q is shown as %q", got, Label(got))
		}
	}
}
