// Package home gives a session a home of its own.
//
// A vendor's directory in your home decides what the program does the next time that you
// start it: settings name hooks, and hooks are programs. So a session does not write there.
// [Home.Fill] copies in what its [List] names. Conversations and whatever else the program
// writes stay in the private home, for the next session of its slot.
//
// Logins are the exception, because a program renews its tokens and the old ones become
// invalid. [Home.Sync] carries renewed tokens to your home, and tokens that another
// session or you renewed to the private one. It holds a lock per login file, compares
// before it writes, and takes over nothing but the values of known fields.
//
// A session may do anything to its private home, so no path in it is followed to the
// outside, and nothing in it is believed.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/regular"
)

// Home is the private home of one slot.
type Home struct {
	Dir   string   `json:"dir"`   // absolute; the session may write it
	State string   `json:"state"` // a file outside of it: which logins were equal last
	Locks string   `json:"locks"` // a directory for the locks of logins
	Real  string   `json:"real"`  // your home
	Vars  []string `json:"vars"`  // the variables that say where directories are: NAME=value
	List  List     `json:"list"`
}

// maxCopied bounds what is copied of one name in a list, in bytes.
const maxCopied = 64 << 20

// variable returns the value of your variable.
func (h Home) variable(name string) string {
	for _, entry := range h.Vars {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && name != "" {
			return value
		}
	}
	return ""
}

// real returns where a directory is in your home, and private where it is in this one, relative
// to its Dir.
func (h Home) real(d Dir) string {
	top := h.variable(d.Variable)
	if !filepath.IsAbs(top) {
		top = filepath.Join(h.Real, d.Default)
	}
	return filepath.Join(top, d.Below)
}

func (h Home) private(d Dir) string { return filepath.Join(d.Default, d.Below) }

// Env returns the variables with which a program finds this home.
func (h Home) Env() []string {
	env := []string{"HOME=" + h.Dir}
	for _, d := range h.List.Dirs {
		if h.variable(d.Variable) != "" {
			env = append(env, d.Variable+"="+filepath.Join(h.Dir, d.Default))
		}
	}
	return env
}

// Readable returns the files outside the home that the program reads.
func (h Home) Readable() (files []string) {
	files = slices.Clone(h.List.Files)
	for _, name := range h.List.Named {
		if file := h.variable(name); filepath.IsAbs(file) {
			files = append(files, file)
		}
	}
	return files
}

// Fill makes the home, or brings settings and instructions in it up to date.
func (h Home) Fill() error {
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return fmt.Errorf("make a private home: %w", err)
	}
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return fmt.Errorf("make a private home: %w", err)
	}
	defer root.Close()
	for _, d := range h.List.Dirs {
		for _, name := range d.Copy {
			if err := copyIn(root, filepath.Join(h.real(d), name), filepath.Join(h.private(d), name)); err != nil {
				return fmt.Errorf("copy %s into a private home: %w", name, err)
			}
		}
	}
	return h.sync(true)
}

// copyIn replaces a file or a directory of the home by one of yours. What is not there stays
// away.
func copyIn(root *os.Root, from, to string) error {
	left := int64(maxCopied)
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil || e.IsDir() && name == from {
			return err
		}
		info, err := os.Stat(name) // your files may be links
		if err != nil || !info.Mode().IsRegular() {
			return nil // a link to nothing, a socket, or a directory that the walk comes to
		}
		if left -= info.Size(); left < 0 {
			return fmt.Errorf("%s is larger than %d MiB", from, maxCopied>>20)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return replace(root, filepath.Join(to, below), data, info.Mode().Perm()&0o700)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// replace writes a file of the home. What a session has put in its place or in its way is
// removed.
func replace(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	if err := makeDir(root, filepath.Dir(name)); err != nil {
		return err
	}
	const temporary = ".ferrus-new"
	if err := root.RemoveAll(temporary); err != nil {
		return err
	}
	file, err := root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode|0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	return root.Rename(temporary, name)
}

// Write writes a file below a directory that sessions write, in the place of anything that one of them left there.
func Write(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		err = replace(root, name, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s in a private home: %w", filepath.Base(name), err)
	}
	return nil
}

// Add writes a file of the home, by its path there, unless there is one: what a session made of it stays.
func (h Home) Add(name string, data []byte) error {
	root, err := os.OpenRoot(h.Dir)
	if err == nil {
		defer root.Close()
		if _, err = root.Lstat(name); err == nil {
			return nil
		}
		err = replace(root, name, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("add %s to a private home: %w", filepath.Base(name), err)
	}
	return nil
}

// makeDir makes a directory with its parents, in the place of anything that is no directory.
func makeDir(root *os.Root, dir string) error {
	at := ""
	for part := range strings.SplitSeq(filepath.Clean(dir), string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := root.Lstat(at)
		if err == nil && !info.IsDir() {
			err = root.RemoveAll(at)
			info = nil
		}
		if info == nil {
			if err := root.Mkdir(at, 0o700); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// read reads a file of the home that is a file.
func read(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name)
	}
	if err != nil {
		return nil, err
	}
	return regular.ReadIn(root, name, most)
}
