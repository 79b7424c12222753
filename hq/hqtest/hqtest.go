// Package hqtest makes projects for tests: a directory with files in a git repository,
// and the state of a project in which nothing has happened yet.
//
// Only tests import it.
package hqtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// Files are the texts of files by their paths, with slashes.
type Files map[string]string

// NewProject makes a project in a directory of its own, with the files in its first
// commit, and opens it for the agents. A .gitignore that leaves .ferrus out is there
// unless the files have another one.
func NewProject(t testing.TB, files Files, agents ...string) *project.Task {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	Must(t, err)
	Write(t, dir, ".gitignore", ".ferrus/\n")
	for name, text := range files {
		Write(t, dir, name, text)
	}
	gittest.Commit(t, dir)
	return Open(t, dir, agents...)
}

// Open makes the state in a directory, and opens the project there.
func Open(t testing.TB, dir string, agents ...string) *project.Task {
	t.Helper()
	_, err := store.Create(t.Context(), dir, core.New(time.Now()))
	Must(t, err)
	p, err := project.Open(dir, agents...)
	Must(t, err)
	return p
}

// Write writes a file below a directory, and makes the directories above it.
func Write(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	Must(t, os.WriteFile(name, []byte(text), 0o644))
}

// Contents returns the kind and hash of each file below a directory, by its path there. The directories
// of git and ferrus are left out.
func Contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	Must(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if err == nil && (e.Name() == ".git" || e.Name() == ".ferrus") {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(name)
		below, _ := filepath.Rel(dir, name)
		all[below] = fmt.Sprintf("%v %x", e.Type(), sha256.Sum256(data))
		return err
	}))
	return all
}

// Must ends a test with an error; nil is none.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Until waits until a condition holds, at most a minute. What names it in the failure.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

// Do carries out a command, which may not be refused.
func Do(t testing.TB, p *project.Task, c core.Command) core.Result {
	t.Helper()
	r, err := p.Do(t.Context(), store.Call{}, c)
	if err != nil {
		t.Fatalf("%s: %v", c.Kind, err)
	}
	return r
}

// World returns the present state.
func World(t testing.TB, p *project.Task) core.World {
	t.Helper()
	s, err := p.World()
	Must(t, err)
	return s.World
}

// Executor returns an executor's session that works on the task.
func Executor() core.Actor {
	return core.Actor{Role: machine.Executor, ID: "executor:x:1", Session: "e", Mode: core.ModeWork}
}
