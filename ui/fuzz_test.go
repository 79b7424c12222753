package ui

import "testing"

// FuzzReadKey gives actions any key: what Read returns, Read accepts again.
func FuzzReadKey(f *testing.F) {
	for _, key := range []string{"ctrl+alt+x", "f25", "ctrl++", "X", "é"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range Keys {
			name, err := k.Read(text)
			if err != nil {
				continue
			}
			if again, err := k.Read(name); err != nil || again != name {
				t.Errorf("%q is %q, and that is %q, %v", text, name, again, err)
			}
		}
	})
}
