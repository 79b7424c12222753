package hq_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// top is what may be at the root of the repository.
var top = []string{
	"main.go", "hq", "agent", "machine", "store", "checks", "ui", "go.mod", "go.sum", "Taskfile.yml",
	"README.md", "LICENSE", "CHANGELOG.md",
}

func TestTopLevel(t *testing.T) {
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || slices.Contains(top, name) || matches(string(ignored), e) {
			continue
		}
		t.Errorf("%s does not belong at the top of the repository", name)
	}
}

// matches reports whether .gitignore names an entry of the root.
func matches(ignored string, e fs.DirEntry) bool {
	for line := range strings.Lines(ignored) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if ok, _ := path.Match(pattern, e.Name()); ok && pattern != "" {
			return true
		}
	}
	return false
}
