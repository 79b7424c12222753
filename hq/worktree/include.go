package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ferrus/checks/git"
)

// IncludeFile lists, in the syntax of .gitignore, which ignored files are copied into a
// worktree. It is at the top of the repository.
const IncludeFile = ".worktreeinclude"

// include copies the ignored files that IncludeFile names.
func include(ctx context.Context, home git.Repository, p Place) error {
	if info, err := os.Lstat(filepath.Join(home.Top, IncludeFile)); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	named, err := home.Git().List(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+IncludeFile)
	if err != nil || len(named) == 0 {
		return err
	}
	ignored := map[string]bool{} // What is not ignored is an uncommitted change.
	err = home.Git().Each(ctx, func(name string) {
		ignored[name] = true
	}, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
	if err != nil {
		return err
	}
	from, err := os.OpenRoot(home.Top)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(p.Top())
	if err != nil {
		return err
	}
	defer to.Close()
	for _, name := range named {
		if !ignored[name] || strings.HasPrefix(name, ".ferrus/") || strings.Contains(name, "/.ferrus/") {
			continue
		}
		if err := copyFile(from, to, name); err != nil {
			return fmt.Errorf("copy %s, which %s names: %w", name, IncludeFile, err)
		}
	}
	return ctx.Err()
}

// copyFile copies a file or a link with its mode, unless the name exists.
func copyFile(from, to *os.Root, name string) error {
	info, err := from.Lstat(name)
	if err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return ignoreGone(err)
	}
	if err := to.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := from.Readlink(name)
		if err == nil {
			err = to.Symlink(target, name)
		}
		return ignoreThere(err)
	}
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return ignoreThere(err)
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func ignoreThere(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
