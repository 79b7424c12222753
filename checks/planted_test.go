package checks

import (
	"os"
	"path/filepath"
	"testing"
)

// A program that can write into ferrus's own git directory has ferrus run nothing: of the files that git reads in such
// a directory ferrus uses its own.
func TestNothingOfThePrivateDirectoryRuns(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(w *work, evil string){
		"commondir": func(w *work, evil string) {
			w.write(".ferrus/run/git/commondir", evil+"\n")
		},
		"its files": func(w *work, evil string) {
			for _, name := range []string{"config", "config.worktree", "info/attributes"} {
				text, err := os.ReadFile(filepath.Join(evil, name))
				w.do(err)
				w.write(".ferrus/run/git/"+name, string(text))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWork(t)
			want := w.tree()
			w.gitIn(filepath.Join(w.dir, ".ferrus"), "init", "-q", "--bare", "evil")
			w.poison(".ferrus/evil")
			w.write(".ferrus/evil/config.worktree", "")
			plant(w, filepath.Join(w.dir, ".ferrus", "evil"))
			w.write("new.go", "package main\n")
			if w.tree() == want {
				t.Error("the tree does not have the new file")
			}
			w.do(os.Remove(filepath.Join(w.dir, "new.go")))
			if w.tree() != want {
				t.Error("the tree is another one")
			}
		})
	}
}
