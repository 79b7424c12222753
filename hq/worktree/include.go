package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// IncludeFile lists, in the syntax of .gitignore, which ignored files are copied into a
// worktree. It is at the top of the repository.
const IncludeFile = ".worktreeinclude"

// Included returns the ignored files of a checkout that IncludeFile names, relative to
// its top.
func Included(ctx context.Context, home git.Repository) ([]string, error) {
	if info, err := os.Lstat(filepath.Join(home.Top, IncludeFile)); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	named, err := home.Git().List(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+IncludeFile)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	ignored := map[string]bool{} // What is not ignored is an uncommitted change.
	err = home.Git().Each(ctx, func(name string) {
		ignored[name] = true
	}, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
	return slices.DeleteFunc(named, func(name string) bool {
		return !ignored[name] || strings.HasPrefix(name, ".ferrus/") || strings.Contains(name, "/.ferrus/")
	}), err
}

// Include copies those files to the top of another directory. Existing files stay.
func Include(ctx context.Context, home git.Repository, top string) error {
	named, err := Included(ctx, home)
	if err != nil || len(named) == 0 {
		return err
	}
	err = between(home.Top, top, func(from, to *os.Root) error {
		for _, name := range named {
			if err := includeFile(from, to, name); err != nil {
				return fmt.Errorf("copy %s, which %s names: %w", name, IncludeFile, err)
			}
		}
		return nil
	})
	return errors.Join(err, ctx.Err())
}

// between opens two directories: no link leads out of them.
func between(from, to string, do func(from, to *os.Root) error) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	return do(source, target)
}

// includeFile copies a file or a link with its mode, unless the name exists.
func includeFile(from, to *os.Root, name string) error {
	info, err := from.Lstat(name)
	if err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return ignoreGone(err)
	}
	if err := to.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return copyLink(from, to, name)
	}
	_, err = copyContent(from, to, name, info.Mode().Perm())
	return err
}

// copyLink copies a link, unless the name exists.
func copyLink(from, to *os.Root, name string) error {
	target, err := from.Readlink(name)
	if err == nil {
		err = to.Symlink(target, name)
	}
	return ignoreThere(ignoreGone(err))
}

// copyContent copies a file with some mode, unless the name exists; made says whether it has. Where
// the file system can, both have the same blocks.
func copyContent(from, to *os.Root, name string, mode fs.FileMode) (made bool, err error) {
	in, err := regular.OpenIn(from, name)
	if err != nil {
		return false, ignoreGone(err)
	}
	defer in.Close()
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return false, ignoreThere(err)
	}
	if shareBlocks(in, out) != nil {
		err = copyBytes(in, out)
	}
	if err = errors.Join(err, out.Close()); err != nil { // the next attempt would keep a file that is there
		return false, errors.Join(err, to.Remove(name))
	}
	return true, nil
}

// copyBytes copies as much as the file has now, if the disk has room for it: another program may still write it.
func copyBytes(from, to *os.File) error {
	info, err := from.Stat()
	if err == nil {
		err = checkRoom(to, info.Size())
	}
	if err == nil {
		_, err = io.Copy(to, io.LimitReader(from, info.Size()))
	}
	return err
}

// ignoreGone also ignores what is no file any more.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrKind) {
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

// IncludeKey returns a hash of the files that [Included] returns; empty: there are none.
func IncludeKey(ctx context.Context, home git.Repository) (string, error) {
	return includeKey(ctx, home, home.Top)
}

// includeKey is [IncludeKey] for the files of the same names below another directory.
func includeKey(ctx context.Context, home git.Repository, top string) (string, error) {
	names, err := Included(ctx, home)
	if err != nil || len(names) == 0 {
		return "", err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", err
	}
	defer root.Close()
	sum := sha256.New()
	for _, name := range names {
		if err := addIncluded(sum, root, name); err != nil {
			return "", fmt.Errorf("read %s, which %s names: %w", name, IncludeFile, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// IncludeOnly is [Include] if the copies have a hash.
func IncludeOnly(ctx context.Context, home git.Repository, top, key string) error {
	if err := Include(ctx, home, top); err != nil {
		return err
	}
	copied, err := includeKey(ctx, home, top)
	if err == nil && copied != key {
		err = fmt.Errorf("files that %s names changed while they were copied", IncludeFile)
	}
	return err
}

// addIncluded adds a file or a link to a hash. Anything else is not copied either.
func addIncluded(sum io.Writer, root *os.Root, name string) error {
	target, err := root.Readlink(name)
	if err == nil {
		_, err = fmt.Fprintf(sum, "%q %d\n%s", name, len(target), target)
		return err
	}
	file, err := regular.OpenIn(root, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrKind) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		_, err = fmt.Fprintf(sum, "%q %d\n", name, info.Size())
	}
	if err == nil {
		_, err = io.Copy(sum, io.LimitReader(file, info.Size()))
	}
	return err
}
