package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
)

// FileIssue is a file below .ferrus that is not as ferrus makes them.
type FileIssue struct {
	Name  string // below .ferrus; "." is itself
	Why   string
	Mode  os.FileMode // that it should have; 0 when the mode is right
	Worse bool        // others can write it, or it is not ours
}

// foreign are the directories whose files other programs make.
var foreign = []string{"run/git", "worktrees"}

// CheckFiles looks at every file for links, other owners and modes that let others
// in, and with fix sets the modes that are wrong.
func (d *Dir[T]) CheckFiles(fix bool) ([]FileIssue, error) {
	f, err := d.open()
	if err != nil {
		return nil, fmt.Errorf("look at the files of .ferrus: %w", err)
	}
	defer f.Close()
	real, ok := f.(osFolder)
	if !ok {
		return nil, errors.New("look at the files of .ferrus: they are on no disk")
	}
	all := real.checkFiles(".")
	if !fix {
		return all, nil
	}
	for _, o := range all {
		if o.Mode != 0 {
			err = errors.Join(err, real.root.Chmod(o.Name, o.Mode))
		}
	}
	return all, err
}

// checkFiles walks a directory and follows nothing.
func (f osFolder) checkFiles(name string) []FileIssue {
	info, err := f.root.Lstat(name)
	if err != nil {
		return vanished(name, err)
	}
	if info.IsDir() && slices.Contains(foreign, name) {
		return nil
	}
	var all []FileIssue
	if o := checkFile(name, info); o.Why != "" {
		all = append(all, o)
	}
	if !info.IsDir() {
		return all
	}
	dir, err := f.root.Open(name)
	if err != nil {
		return append(all, vanished(name, err)...)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		all = append(all, vanished(name, err)...)
	}
	slices.Sort(names)
	for _, below := range names {
		all = append(all, f.checkFiles(path.Join(name, below))...)
	}
	return all
}

// vanished is nothing for a file that somebody took away meanwhile.
func vanished(name string, err error) []FileIssue {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return []FileIssue{{Name: name, Why: fmt.Sprintf("cannot be read: %v", err), Worse: true}}
}

// checkFile looks at one file.
func checkFile(name string, info fs.FileInfo) FileIssue {
	o := FileIssue{Name: name}
	want := os.FileMode(0o600)
	if info.IsDir() {
		want = 0o700
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir() && !info.Mode().IsRegular():
		o.Why, o.Worse = "is "+kind(info.Mode())+", which ferrus did not make", true
	case known && int(stat.Uid) != os.Geteuid():
		o.Why, o.Worse = fmt.Sprintf("belongs to user %d, and this is user %d", stat.Uid, os.Geteuid()), true
	case info.Mode().Perm() != want:
		o.Why = fmt.Sprintf("has mode %04o, not %04o", info.Mode().Perm(), want)
		o.Mode, o.Worse = want, info.Mode().Perm()&0o022 != 0 || info.Mode().Perm()&want != want
	}
	return o
}
