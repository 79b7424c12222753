package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Contents is what [Fill] makes a directory have. Paths have slashes.
type Contents struct {
	Files map[string][]byte // by their paths
	Dirs  []string          // besides the directories of the files
}

// Modes of what [Fill] makes: only you can read it.
const (
	fillFile = 0o600
	fillDir  = 0o700
)

// Fill makes a directory have some contents and nothing else, whatever commands have left in it. It follows no link.
// What is right is not written again, and what does not belong there becomes what is missing: on many file systems,
// making a file takes ten times as long as reading or renaming one.
func Fill(path string, c Contents) error {
	if err := fill(path, c); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func fill(path string, c Contents) error {
	parent, err := openDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer parent.Close()
	f := filling{Contents: c, dirs: map[string]bool{}, found: map[string]bool{}}
	for name := range c.Files {
		f.add(name)
	}
	for _, name := range c.Dirs {
		f.add(name + "/")
	}
	top, err := makePrivate(parent, filepath.Base(path))
	if err != nil {
		return err
	}
	defer top.Close()
	if err := f.compare(top, ""); err != nil {
		return err
	}
	return f.complete(top)
}

// filling is a Fill in progress.
type filling struct {
	Contents
	dirs  map[string]bool // what belongs there as a directory
	found map[string]bool // files and directories that are right
}

// add adds the directories that a path is in.
func (f *filling) add(path string) {
	for dir, _ := split(path); dir != "" && !f.dirs[dir]; dir, _ = split(dir) {
		f.dirs[dir] = true
	}
}

// makePrivate opens a directory that only you can use, and takes the place of whatever else has its name.
func makePrivate(d dir, name string) (dir, error) {
	sub, err := d.make(name)
	if err != nil {
		return dir{}, err
	}
	st, err := sub.status()
	if err == nil && uint32(st.Mode)&0o7777 != fillDir {
		err = unix.Fchmod(sub.fd(), fillDir)
	}
	if err != nil {
		sub.Close()
		return dir{}, err
	}
	return sub, nil
}

// compare removes from a directory what does not belong there, and corrects the rest.
func (f *filling) compare(d dir, path string) error {
	names, err := d.names()
	if err != nil {
		return err
	}
	files, dirs := f.missing(path, names)
	for _, name := range names {
		s, kind, err := d.stat(name)
		if err != nil {
			return err
		}
		switch {
		case f.belongs(join(path, name)):
		case kind == unix.S_IFREG && s.nlink == 1:
			name = d.rename(name, &files)
		case kind == unix.S_IFDIR:
			name = d.rename(name, &dirs)
		}
		full := join(path, name)
		content, isFile := f.Files[full]
		switch {
		case isFile && kind == unix.S_IFREG && s.nlink == 1:
			err = correct(d, name, s, content)
		case f.dirs[full] && kind == unix.S_IFDIR:
			err = f.enter(d, name, full)
		default:
			if err := d.removeAll(name); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		f.found[full] = true
	}
	return nil
}

// belongs reports whether a path is one of the contents'.
func (f *filling) belongs(path string) bool {
	_, isFile := f.Files[path]
	return isFile || f.dirs[path]
}

// missing returns the names that a directory must have and has not, in order.
func (f *filling) missing(path string, names []string) (files, dirs []string) {
	missing := func(full string, all []string) []string {
		if parent, name := split(full); parent == path && !slices.Contains(names, name) {
			return append(all, name)
		}
		return all
	}
	for full := range f.Files {
		files = missing(full, files)
	}
	for full := range f.dirs {
		dirs = missing(full, dirs)
	}
	slices.Sort(files)
	slices.Sort(dirs)
	return files, dirs
}

// rename gives something of yours the first of some names, and returns its name. That name is no longer one of them.
func (d dir) rename(name string, to *[]string) string {
	var st unix.Stat_t
	if len(*to) == 0 || unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil ||
		int(st.Uid) != os.Geteuid() || unix.Renameat(d.fd(), name, d.fd(), (*to)[0]) != nil {
		return name
	}
	name, *to = (*to)[0], (*to)[1:]
	return name
}

// enter compares a directory in another one.
func (f *filling) enter(d dir, name, full string) error {
	sub, err := makePrivate(d, name)
	if err != nil {
		return err
	}
	defer sub.Close()
	return f.compare(sub, full)
}

// correct writes a file where its content or its mode is another one.
func correct(d dir, name string, s stat, content []byte) error {
	if holdsText(d, name, s, string(content)) {
		return nil
	}
	if err := unix.Fchmodat(d.fd(), name, fillFile, 0); err != nil {
		return &fs.PathError{Op: "chmod", Path: name, Err: err}
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd(), name, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file := os.NewFile(uintptr(fd), name)
	_, err = file.WriteAt(content, 0)
	return errors.Join(err, file.Truncate(int64(len(content))), file.Close())
}

// holdsText reports whether a file that only you can read has a content, and no other name.
func holdsText(d dir, name string, s stat, text string) bool {
	if s.size != int64(len(text)) || s.perm&0o7777 != fillFile || s.nlink != 1 {
		return false
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return false
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	now := make([]byte, len(text))
	_, err = io.ReadFull(file, now)
	return err == nil && string(now) == text
}

// complete makes what is missing.
func (f *filling) complete(top dir) error {
	var missing []string
	for name := range f.Files {
		if !f.found[name] {
			missing = append(missing, name)
		}
	}
	for name := range f.dirs {
		if !f.found[name] {
			missing = append(missing, name+"/")
		}
	}
	slices.Sort(missing)
	for _, path := range missing {
		parent, name := split(path)
		d, err := top.descend(parent, makePrivate)
		if err == nil && name != "" {
			err = create(d, name, fillFile, func(to io.Writer) error {
				_, err := to.Write(f.Files[path])
				return err
			})
		}
		if err == nil {
			err = d.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
