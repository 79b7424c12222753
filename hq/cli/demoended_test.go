package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDemoHintsAtWhatIsLeft says only of a repository that is kept how to continue in it.
func TestDemoHintsAtWhatIsLeft(t *testing.T) {
	for keep, want := range map[bool]string{
		true:  "continue with: ferrus run",
		false: "ferrus demo starts another; with --keep its repository stays",
	} {
		d := demonstration{keep: keep}
		f := toExitError(d.ended(signalled(false)))
		if f.code != codeInterrupted || len(f.hints) != 1 || f.hints[0] != want {
			t.Errorf("keep %v: %+v, want the hint %q", keep, f, want)
		}
	}
	if d := (demonstration{}); d.ended(nil) != nil {
		t.Error("a demo that ended well fails")
	}
}

// TestAnEmptyCacheIsEmpty: a build cache with files keeps the demo from announcing a long compilation.
func TestAnEmptyCacheIsEmpty(t *testing.T) {
	dir := t.TempDir()
	if !isEmpty(dir) || !isEmpty(filepath.Join(dir, "missing")) {
		t.Error("a directory without files is not empty")
	}
	if err := os.WriteFile(filepath.Join(dir, "README"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if isEmpty(dir) {
		t.Error("a directory with a file is empty")
	}
}
