package pager

import (
	"strings"
	"testing"

	"ferrus/ui/style"
	"ferrus/ui/view"
)

// FuzzDrawPatch draws any patch: every row is one line.
func FuzzDrawPatch(f *testing.F) {
	for _, patch := range []string{"@@ -1 +1 @@\n+x\n-y\n @", "@@ -99999999999999999999 + @@\n\\ No newline"} {
		f.Add(patch)
	}
	theme := style.NewTheme(true)
	f.Fuzz(func(t *testing.T, patch string) {
		file := view.FilePatch{Path: "a.go", Patch: patch}
		for _, line := range drawPatch(theme, &file, nil, moves{}, 40, patchComments{}).Rows {
			if strings.Contains(line, "\n") {
				t.Errorf("%q is one line", line)
			}
		}
	})
}
