package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Checks of npm whose packages no lock file names need them installed, too.
func TestProposedSetup(t *testing.T) {
	t.Parallel()
	const needs = `{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29"}}`
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a lock file":     {map[string]string{"package.json": needs, "package-lock.json": "{}"}, []string{"npm ci"}},
		"no lock file":    {map[string]string{"package.json": needs}, []string{"npm install --no-package-lock"}},
		"another manager": {map[string]string{"package.json": needs[:1] + `"packageManager": "yarn@4",` + needs[1:]}, nil},
		"no packages":     {map[string]string{"package.json": `{"scripts": {"test": "node --test"}}`}, nil},
		"no checks":       {map[string]string{"package.json": `{"dependencies": {"left-pad": "1"}}`}, nil},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := ProposeSetup(dir); !slices.Equal(got, c.want) {
			t.Errorf("%s: proposed %q, want %q", name, got, c.want)
		}
	}
}
