package ui

import (
	"ferrus/ui/style"
	"ferrus/ui/view"
	"strings"
	"testing"
)

// FuzzTyped gives the prompt any line, the keys any name, and the changes any
// patch: it never panics, and completing goes on from what was typed.
func FuzzTyped(f *testing.F) {
	for _, line := range []string{"/", "/task x", "/model executor ", "/tell executor hello", "/attach x", "/re", "/nothing at all", "ctrl+alt+x", "f25", "ctrl++", "@@ -1 +1 @@\n+x\n-y\n @", "@@ -99999999999999999999 + @@\n\\ No newline"} {
		f.Add(line)
	}
	v := &view.View{Commands: view.Commands{Models: []view.RoleModel{{Role: "executor", Known: []string{"a"}}}}}
	f.Fuzz(func(t *testing.T, text string) {
		Parse(v, text) //nolint:errcheck // it may refuse
		for _, c := range choices(v, text) {
			if strings.Contains(c.text, "\n") && !strings.Contains(text, "\n") {
				t.Errorf("%q completes %q", c.text, text)
			}
		}
		for _, k := range Keys {
			if name, err := k.Read(text); err == nil {
				if again, err := k.Read(name); err != nil || again != name {
					t.Errorf("%q is %q, and that is %q, %v", text, name, again, err)
				}
			}
		}
		theme := style.NewTheme(true)
		for _, line := range patchLines(theme, &view.FilePatch{Path: "a.go", Patch: text}, 40) {
			if strings.Contains(line, "\n") {
				t.Errorf("%q is one line", line)
			}
		}
	})
}
