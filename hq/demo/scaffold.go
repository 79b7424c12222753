package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ferrus/checks/git"
)

// Checks are what the gate of the repository runs, as a definition lists it.
var Checks = []string{"go vet ./...", "go test ./...", "env: GOCACHE"}

// TasksChecks are the same for several tasks, with what else needs your trust.
var TasksChecks = append(slices.Clone(Checks), "merge.auto = true", "merge.follow = true")

// Scaffold creates the repository at dir and commits it. It leaves an existing repository of
// the demo unchanged, and refuses any other directory that is not empty.
func Scaffold(dir string) error { return scaffold(dir, initialFiles()) }

// ScaffoldTasks is Scaffold for several tasks at the same time.
func ScaffoldTasks(dir string) error {
	files := initialFiles()
	files["ferrus.toml"] += script("ferrus_tasks.toml.txt")
	return scaffold(dir, files)
}

func scaffold(dir string, files version) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the demo's directory: %w", err)
	}
	if exists(dir) && committed(dir) {
		return nil
	}
	if err := empty(dir); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the demo's files: %w", err)
		}
	}
	return commit(dir)
}

// initialFiles returns the files of the repository at the start of the demo.
func initialFiles() version {
	return version{
		"go.mod": script("go.mod.txt"), "README.md": script("README.md.txt"), "ferrus.toml": script("ferrus.toml.txt"),
		"fetch.go": begun["fetch.go"], "fetch_test.go": begun["fetch_test.go"], ".gitignore": ".ferrus/\n",
	}
}

// empty returns an error if dir has anything but the remains of an interrupted Scaffold.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the demo's directory: %w", err)
	}
	ours := initialFiles()
	for _, entry := range entries {
		if _, ok := ours[entry.Name()]; !ok && entry.Name() != ".git" {
			const taken = "make the demo's repository: %s is not empty: it has %s; use an empty directory"
			return fmt.Errorf(taken, dir, entry.Name())
		}
	}
	if committed(dir) {
		return errors.New("make the demo's repository: " + dir + " is another git repository; use an empty directory")
	}
	return nil
}

// committed reports whether dir itself is a repository that has a commit.
func committed(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return false
	}
	return git.In(dir).Do(context.Background(), "rev-parse", "--verify", "--quiet", "HEAD") == nil
}

func commit(dir string) error {
	for _, arguments := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "ferrus demo"}, // you may have no name in git yet
		{"config", "user.email", "demo@localhost"},
		{"config", "commit.gpgsign", "false"},
		{"add", "--all"},
		{"commit", "--quiet", "--no-verify", "--message", "orders: call the service"},
	} {
		if err := git.In(dir).Do(context.Background(), arguments...); err != nil {
			return fmt.Errorf("make the demo's repository: %w", err)
		}
	}
	return nil
}
