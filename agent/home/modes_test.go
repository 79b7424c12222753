package home

import (
	"os"
	"path/filepath"
	"testing"
)

// A session may take any mode from what is its own, and put anything in the place of what the next one needs.
func TestWhatASessionClosedIsOpenedAgain(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	h := s.home("executor")
	t.Cleanup(func() {
		_ = filepath.WalkDir(h.Dir, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	shut := func(below string, mode os.FileMode) {
		s.Helper()
		s.must(os.Chmod(filepath.Join(h.Dir, below), mode))
	}
	for name, spoil := range map[string]func(){
		"the home":     func() { shut(".", 0) },
		"not readable": func() { shut(".", 0o300) },
		"not writable": func() { shut(".", 0o500) },
		"a directory":  func() { shut(".vendor/skills/one", 0) },
		"a file":       func() { shut(".vendor/settings.json", 0); shut(".vendor/auth.json", 0) },
		"in the way": func() {
			for _, name := range []string{".ferrus-new", "ended"} {
				s.write(h.Dir, name+"/in/file", "x")
				shut(name+"/in", 0)
			}
			s.must(os.RemoveAll(filepath.Join(h.Dir, "tmp")))
			s.write(h.Dir, "tmp", "x")
		},
	} {
		spoil()
		if err := h.Fill(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.must(Remove(h.Dir, "ended"))
		s.must(MakeDir(h.Dir, "tmp"))
		for _, below := range []string{".", ".vendor/skills/one", "tmp"} {
			if info, err := os.Stat(filepath.Join(h.Dir, below)); err != nil || info.Mode() != os.ModeDir|0o700 {
				t.Errorf("%s: %s is %v, %v", name, below, info.Mode(), err)
			}
		}
		for below, want := range map[string]string{".vendor/settings.json": `{"hooks":[]}`, ".vendor/auth.json": auth("me", 1)} {
			if got := s.read(h.Dir, below); got != want {
				t.Errorf("%s: %s has %s", name, below, got)
			}
		}
	}
}
