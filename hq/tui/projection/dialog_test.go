package projection

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/ui"
	"ferrus/ui/dialog"
)

// TestDialogs compares the frames of every dialog, and of everything else that keys change.
func TestDialogs(t *testing.T) {
	t.Parallel()
	var seen []dialog.Kind
	for i, s := range dialogScenes(t) {
		seen = append(seen, s.over)
		if testing.Short() && i%12 != 0 { // a sample
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			frames(t, func(w, h int, light bool) *ui.Model { return s.play(t, w, h, light) }, under(t, s.state))
		})
	}
	for _, d := range dialog.Kinds() {
		if !slices.Contains(seen, d) {
			t.Errorf("the dialog %s has no frames", d)
		}
	}
}

// play runs the keys of the case.
func (s frameCase) play(t *testing.T, w, h int, light bool) *ui.Model {
	t.Helper()
	m := screen(t, s.state, w, h, light)
	s.act(t, m)
	if got := m.Dialog(); got != s.over {
		t.Errorf("the dialog is %s, not %s", got, s.over)
	}
	return m
}

// act is what the human does, and what is read meanwhile.
func (s frameCase) act(t *testing.T, m *ui.Model) {
	press(m, s.keys...)
	if s.msg != nil {
		m.Update(s.msg)
	}
	if s.runs != "" {
		m.Update(dialogOf(t, s.runs))
	}
	m.View() // what is drawn is what keys move in
	press(m, s.then...)
	for _, msg := range s.mouse {
		m.Update(msg)
	}
}

// TestNoFrameIsLeftOver finds golden files of tests that no longer exist.
func TestNoFrameIsLeftOver(t *testing.T) {
	scenes := map[string]bool{}
	for _, s := range dialogScenes(t) {
		scenes[s.name+".golden"] = true
	}
	files, err := os.ReadDir(filepath.Join("testdata", "TestDialogs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !scenes[f.Name()] {
			t.Errorf("testdata/TestDialogs/%s belongs to no case: %s", f.Name(),
				strings.TrimSuffix(f.Name(), ".golden"))
		}
	}
}
