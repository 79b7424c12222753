package regular

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ErrLink says that a name leads where nothing of a checkout belongs: a repository that you cloned can have a link
// for any file, to any file of yours.
var ErrLink = errors.New("it is a symbolic link out of the project, or into .git or .ferrus; " +
	"replace it with a file or directory")

// maxLinks is how many links the kernel follows.
const maxLinks = 40

// Resolve returns where in a directory a name leads, past all links; what is not there yet has none.
func Resolve(root *os.Root, name string) (string, error) {
	at, left, links := ".", strings.Split(filepath.ToSlash(name), "/"), 0
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		if part == "" || part == "." {
			continue
		}
		if part == ".." && at == "." {
			return "", fmt.Errorf("%s: %w", name, ErrLink)
		}
		next := path.Join(at, part)
		info, err := root.Lstat(next)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		case err != nil || info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		target, err := root.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			if target, err = below(root, target); err != nil {
				return "", fmt.Errorf("%s: %w", name, ErrLink)
			}
			at = "."
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: %w", name, ErrLink)
		}
		left = append(strings.Split(filepath.ToSlash(target), "/"), left...)
	}
	if links > 0 && isRecord(at) {
		return "", fmt.Errorf("%s: %w", name, ErrLink)
	}
	return at, nil
}

// below returns the name in a directory of what is at a path.
func below(root *os.Root, target string) (string, error) {
	dir, err := filepath.EvalSymlinks(root.Name())
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(dir, target)
	if err == nil && !filepath.IsLocal(name) {
		err = ErrLink
	}
	return name, err
}

// isRecord reports whether a path is git's, or ferrus's own.
func isRecord(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, ".ferrus") {
			return true
		}
	}
	return false
}

// Create writes a new file of a checkout, with its directories. It reports false if the name exists.
func Create(dir, name, text string) (made bool, err error) {
	err = in(dir, func(root *os.Root) error {
		folder, err := makeDir(root, path.Dir(filepath.ToSlash(name)))
		if err != nil {
			return err
		}
		file, err := root.OpenFile(path.Join(folder, path.Base(name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
		made = true
		_, err = file.WriteString(text)
		return errors.Join(err, file.Close())
	})
	return made, err
}

// Replace gives a file of a checkout another content, at once or not at all; a link within the checkout stays.
func Replace(dir, name string, data []byte, mode fs.FileMode) error {
	return in(dir, func(root *os.Root) error {
		name, err := Resolve(root, name)
		if err != nil {
			return err
		}
		if _, err := makeDir(root, path.Dir(name)); err != nil {
			return err
		}
		draft := path.Join(path.Dir(name), ".ferrus-"+path.Base(name)+"."+rand.Text())
		file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
		if err == nil {
			err = root.Rename(draft, name)
		}
		if err != nil {
			err = errors.Join(err, root.Remove(draft))
		}
		return err
	})
}

// MakeDir makes a directory of a checkout.
func MakeDir(dir, name string) error {
	return in(dir, func(root *os.Root) error {
		_, err := makeDir(root, name)
		return err
	})
}

// Remove removes a file of a checkout, or an empty directory.
func Remove(dir, name string) error {
	return in(dir, func(root *os.Root) error {
		folder, err := Resolve(root, path.Dir(filepath.ToSlash(name)))
		if err != nil {
			return err
		}
		return root.Remove(path.Join(folder, path.Base(name)))
	})
}

// in does something in a directory. No link that is made meanwhile leads out of it.
func in(dir string, do func(root *os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// makeDir makes a directory, and returns where it is.
func makeDir(root *os.Root, name string) (string, error) {
	name, err := Resolve(root, name)
	if err != nil || name == "." {
		return name, err
	}
	return name, root.MkdirAll(name, 0o755)
}
