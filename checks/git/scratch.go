package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Hooks returns the directory in which git looks for hooks: core.hooksPath, or hooks in the git directory.
func (r Repository) Hooks() (string, error) {
	path, set, err := r.Setting("core.hookspath")
	switch below, home := strings.CutPrefix(path, "~/"); {
	case err != nil:
		return "", err
	case !set || path == "":
		return filepath.Join(r.Common, "hooks"), nil
	case home:
		return filepath.Join(os.Getenv("HOME"), below), nil
	}
	return within(r.Top, path), nil
}

// SignsOff reports whether format.signOff has you sign off what you send.
func (r Repository) SignsOff() (bool, error) {
	value, set, err := r.Setting("format.signoff")
	return set && isTrue(value), err
}

// Setting returns the last value of a key, everywhere and here; a key without a value is true.
func (r Repository) Setting(key string) (value string, set bool, err error) {
	values, err := r.values()
	for v := range configured(values) {
		if v.key == key && v.scope != "command" { // not ours
			if value, set = v.value, true; !v.set {
				value = "true"
			}
		}
	}
	return value, set, err
}

// Scratch is a repository in a directory of its own, for a program that expects to be run by a commit. It has one
// branch, reads the objects of another repository, and nothing that happens in it reaches that one.
type Scratch struct {
	Dir    string // the git directory
	Work   string // the files of the tree
	Stores []string

	branch, tree, head string
}

// Scratch makes one in an empty directory, with a branch at a commit, and a tree in its index and files, as
// before a commit. An empty commit is none.
func (r Repository) Scratch(ctx context.Context, dir, branch, commit, tree string) (s Scratch, err error) {
	store := filepath.Join(r.Common, "objects")
	s = Scratch{Dir: filepath.Join(dir, "git"), Work: filepath.Join(dir, "work"),
		Stores: append([]string{store}, Alternates(store)...), branch: branch, tree: tree, head: commit}
	for _, below := range []string{"git/objects/info", "git/refs/heads", "git/info", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(below)), 0o700); err != nil {
			return s, fmt.Errorf("make a repository for a hook: %w", err)
		}
	}
	text, _, err := r.insideConfiguration()
	if err != nil {
		return s, err
	}
	files := map[string]string{"HEAD": "ref: refs/heads/" + branch + "\n", "config": text,
		"objects/info/alternates": strings.Join(s.Stores, "\n") + "\n"}
	if commit != "" {
		files["packed-refs"] = "# pack-refs with: sorted \n" + commit + " refs/heads/" + branch + "\n"
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(s.Dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return s, fmt.Errorf("make a repository for a hook: %w", err)
		}
	}
	g := s.git()
	err = g.Do(ctx, "read-tree", tree)
	if err == nil {
		err = g.Do(ctx, "checkout-index", "--all", "--quiet")
	}
	return s, err
}

// git returns a Git that works on it.
func (s Scratch) git() Git { return Git{Dir: s.Work, Env: append(Environment(), s.Env()...)} }

// Env returns the variables that make git work on the scratch repository, as it sets them for a hook.
func (s Scratch) Env() []string {
	return []string{"GIT_DIR=" + s.Dir, "GIT_WORK_TREE=" + s.Work, "GIT_INDEX_FILE=" + filepath.Join(s.Dir, "index"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_EDITOR=:",
		"GIT_TERMINAL_PROMPT=0", "GIT_PREFIX="}
}

// ErrTouched means that a program changed what would be committed, or where: it may not.
var ErrTouched = errors.New("it changed more than the message")

// Verify returns [ErrTouched] if the index or the branch has changed. Nothing of it is run: its configuration
// is written again before.
func (s Scratch) Verify(ctx context.Context, r Repository) error {
	head, err := readFile(filepath.Join(s.Dir, "HEAD"))
	if err != nil || string(head) != "ref: refs/heads/"+s.branch+"\n" {
		return fmt.Errorf("%w: HEAD", ErrTouched)
	}
	text, _, err := r.insideConfiguration()
	if err != nil {
		return err
	}
	config := filepath.Join(s.Dir, "config")
	if err := errors.Join(os.RemoveAll(config), os.WriteFile(config, []byte(text), 0o600)); err != nil {
		return err
	}
	g := s.git()
	if at, _ := g.Output(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+s.branch); at != s.head {
		return fmt.Errorf("%w: the branch", ErrTouched)
	}
	if tree, err := g.Output(ctx, "write-tree"); err != nil || tree != s.tree {
		return fmt.Errorf("%w: the index", ErrTouched)
	}
	return nil
}
