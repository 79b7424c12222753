// Package home gives a session a home of its own.
//
// A vendor's directory in your home decides what its program does the next time you start it:
// settings name hooks, and hooks are programs. So a session does not write there. [Home.Fill]
// copies in what its [List] names; where settings name a path in the vendor's directory, the
// copy names the same place in the private home. Conversations and whatever else the program
// writes stay there, for the next session of its slot.
//
// Logins are the exception, because a program renews its tokens and the old ones become
// invalid. [Home.Sync] carries renewed tokens to your home, and tokens that another
// session or you renewed to the private one. It holds a lock per login file, compares
// before it writes, and copies only the values of known fields.
//
// A session may do anything to its private home, so no path in it is followed out of
// it, and nothing in it is trusted.
package home

import (
	"crypto/rand"
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

// Of returns a home without a place of its own: what a program would have of yours, where your variables say
// that it is.
func Of(real string, list List) Home {
	h := Home{Real: real, List: list}
	for _, d := range list.Dirs {
		h.addVariable(d.Variable)
	}
	for _, name := range list.Named {
		h.addVariable(name)
	}
	return h
}

func (h *Home) addVariable(name string) {
	if value := os.Getenv(name); name != "" && value != "" && h.variable(name) == "" {
		h.Vars = append(h.Vars, name+"="+value)
	}
}

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
	for _, d := range h.List.Dirs {
		names := d.Show
		if d.Hashed {
			names = append(h.names(d), names...)
		}
		for _, name := range names {
			if file := filepath.Join(h.real(d), name); exists(file) {
				files = append(files, file)
			}
		}
	}
	return files
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Has reports whether a program that uses this home finds your file here, by where it is in your home.
func (h Home) Has(file string) bool {
	for _, d := range h.List.Dirs {
		for _, name := range append(h.names(d), d.Show...) {
			below, err := filepath.Rel(filepath.Join(h.real(d), name), file)
			if err == nil && filepath.IsLocal(below) {
				return true
			}
		}
	}
	return false
}

// Fill makes the home, or brings settings and instructions in it up to date.
func (h Home) Fill() error {
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return fmt.Errorf("make a private home: %w", err)
	}
	root, err := open(h.Dir)
	if err != nil {
		return fmt.Errorf("make a private home: %w", err)
	}
	defer root.Close()
	for _, d := range h.List.Dirs {
		for _, name := range h.names(d) {
			if err := h.copyIn(root, d, filepath.Join(h.real(d), name), filepath.Join(h.private(d), name)); err != nil {
				return fmt.Errorf("copy %s into a private home: %w", name, err)
			}
		}
		for _, name := range d.Show {
			if err := link(root, filepath.Join(h.real(d), name), filepath.Join(h.private(d), name)); err != nil {
				return fmt.Errorf("show %s in a private home: %w", name, err)
			}
		}
	}
	return h.sync(true)
}

// isShut reports whether the mode of a directory, which a session may have changed, keeps you out.
func isShut(info fs.FileInfo) bool { return info.Mode()&0o700 != 0o700 }

// open opens a directory that sessions write, whatever mode one of them gave it.
func open(dir string) (*os.Root, error) {
	if info, err := os.Stat(dir); err == nil && isShut(info) {
		if err := os.Chmod(dir, 0o700); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(dir)
}

// remove removes a name. What a session made such that it cannot be removed is moved aside, and goes with the home.
func remove(root *os.Root, name string) error {
	if root.RemoveAll(name) == nil {
		return nil
	}
	return root.Rename(name, filepath.Join(filepath.Dir(name), ".ferrus-old-"+rand.Text()))
}

// Remove removes a name in a directory that sessions write.
func Remove(dir, name string) error {
	root, err := open(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return remove(root, name)
}

// MakeDir makes a directory below one that sessions write, in the place of anything that one of them left there.
func MakeDir(dir, name string) error {
	root, err := open(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return makeDir(root, name)
}

// replace writes a file of the home. What a session has put in its place or in its way is
// removed.
func replace(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	if err := makeDir(root, filepath.Dir(name)); err != nil {
		return err
	}
	const temporary = ".ferrus-new"
	if err := remove(root, temporary); err != nil {
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
		if err := remove(root, name); err != nil {
			return err
		}
	}
	return root.Rename(temporary, name)
}

// Write writes a file below a directory that sessions write, in the place of anything that one of them left there.
func Write(dir, name string, data []byte) error {
	root, err := open(dir)
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
	root, err := open(h.Dir)
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
			err = remove(root, at)
			info = nil
		}
		switch {
		case info == nil:
			err = root.Mkdir(at, 0o700)
		case err == nil && isShut(info):
			err = root.Chmod(at, 0o700)
		}
		if err != nil {
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
