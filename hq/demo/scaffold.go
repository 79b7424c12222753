package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ferrus/checks/git"
)

// Checks are the check commands of the repository.
var Checks = []string{"go vet ./...", "go test ./..."}

// Scaffold makes the repository at dir and commits it. A repository of the demo
// that is there already is left as it is; any other folder with something in it
// is refused.
func Scaffold(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	if exists(dir) && committed(dir) {
		return nil
	}
	if err := empty(dir); err != nil {
		return err
	}
	for name, text := range initialFiles() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the demo's files: %w", err)
		}
	}
	return commit(dir)
}

// initialFiles is the repository as the demo starts with it.
func initialFiles() version {
	return version{
		"go.mod": script("go.mod.txt"), "README.md": script("README.md.txt"), "ferrus.toml": script("ferrus.toml.txt"),
		"fetch.go": begun["fetch.go"], "fetch_test.go": begun["fetch_test.go"], ".gitignore": ".ferrus/\n",
	}
}

// empty refuses a folder that holds anything but the remains of an
// interrupted Scaffold.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the demo's folder: %w", err)
	}
	ours := initialFiles()
	for _, entry := range entries {
		if _, ok := ours[entry.Name()]; !ok && entry.Name() != ".git" {
			return fmt.Errorf("make the demo's repository: %s is not empty: it holds %s; use an empty folder", dir, entry.Name())
		}
	}
	if committed(dir) {
		return errors.New("make the demo's repository: " + dir + " is another git repository; use an empty folder")
	}
	return nil
}

// committed reports whether dir itself is a repository with a commit.
func committed(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return false
	}
	return git.In(dir).Do(context.Background(), "rev-parse", "--verify", "--quiet", "HEAD") == nil
}

func commit(dir string) error {
	for _, arguments := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		{"-c", "user.name=ferrus demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false",
			"commit", "--quiet", "--no-verify", "--message", "orders: call the service"},
	} {
		if err := git.In(dir).Do(context.Background(), arguments...); err != nil {
			return fmt.Errorf("make the demo's repository: %w", err)
		}
	}
	return nil
}
