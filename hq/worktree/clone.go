package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ferrus/checks/git"
)

// Clone copies a file or directory of a checkout that git ignores, such as node_modules, to the top
// of another directory, with modes, times and links. The name is relative to both. Where the file
// system can share the blocks of two files, a copy takes no space until it is changed. What is there
// stays, and what the checkout does not have, or git knows, is left out.
func Clone(ctx context.Context, home git.Repository, top, name string) error {
	err := errors.New("it is not inside the project")
	if filepath.IsLocal(name) && name != "." {
		var ignored bool
		if ignored, err = isIgnored(ctx, home, name); err == nil && ignored {
			err = between(home.Top, top, func(from, to *os.Root) error { return cloneTree(ctx, from, to, name) })
		}
	}
	if err != nil {
		return fmt.Errorf("copy %s, which [hq] clone names: %w", name, err)
	}
	return nil
}

// progressKey is the key of the function of a context that learns how far a copy is.
type progressKey struct{}

// WithProgress returns a context in which [Make] says what it copies for [hq] clone: the name, and how
// many files of it are there. It calls f on its own goroutine, once per 256 files.
func WithProgress(ctx context.Context, f func(name string, files int)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// copied says that one more file of a name was copied.
func copied(ctx context.Context, name string, files *int) {
	if f, ok := ctx.Value(progressKey{}).(func(string, int)); ok && *files%256 == 0 {
		f(name, *files)
	}
	*files++
}

// isIgnored reports whether git ignores a file or directory, and has no file below it: what it
// knows is in the worktree already. One behind a link is an error: it may be outside the checkout.
func isIgnored(ctx context.Context, home git.Repository, name string) (bool, error) {
	path := filepath.Join(home.Top, name)
	if _, err := os.Lstat(path); err != nil {
		return false, ignoreGone(err)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err != nil || real != filepath.Dir(path) {
		return false, errors.Join(errors.New("it is behind a link"), err)
	}
	tracked, err := home.Git().List(ctx, "ls-files", "-z", "--", ":(literal)"+filepath.ToSlash(name))
	if err != nil || len(tracked) > 0 {
		return false, err
	}
	seen, err := home.Git().List(ctx, "ls-files", "-z", "--others", "--exclude-standard", "--",
		":(literal)"+filepath.ToSlash(name))
	return len(seen) == 0, err
}

// cloneTree copies a file, or a directory with all that is in it.
func cloneTree(ctx context.Context, from, to *os.Root, name string) error {
	if err := to.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	files := 0
	var dirs []string // which get their modes and times when nothing is written there any more
	err := fs.WalkDir(from.FS(), filepath.ToSlash(name), func(path string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(ignoreGone(err), ctx.Err())
		}
		switch {
		case e.IsDir():
			dirs = append(dirs, path)
			return ignoreThere(to.Mkdir(path, 0o700))
		case e.Type()&fs.ModeSymlink != 0:
			return copyLink(from, to, path)
		case e.Type().IsRegular():
			copied(ctx, name, &files)
			return cloneFile(from, to, path)
		}
		return nil // sockets and pipes of programs that run there
	})
	for _, dir := range slices.Backward(dirs) {
		err = errors.Join(err, copyModeAndTime(from, to, dir))
	}
	return err
}

// cloneFile copies a file with its mode and time, unless the name exists.
func cloneFile(from, to *os.Root, name string) error {
	made, err := copyContent(from, to, name, 0o600)
	if err != nil || !made {
		return err
	}
	return copyModeAndTime(from, to, name)
}

func copyModeAndTime(from, to *os.Root, name string) error {
	info, err := from.Stat(name)
	if err != nil {
		return ignoreGone(err)
	}
	if err := to.Chmod(name, info.Mode().Perm()); err != nil {
		return err
	}
	return to.Chtimes(name, info.ModTime(), info.ModTime())
}
