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

// FileIssue is a file below .ferrus that is not as ferrus makes its files.
type FileIssue struct {
	Name  string      // below .ferrus; "." is .ferrus itself
	Why   string      // in a sentence, without a capital and a period
	Mode  os.FileMode // the mode that it should have; 0: the mode is right
	Worse bool        // other users can write it, or another user owns it
}

// foreign lists the directories whose files git makes.
var foreign = []string{"run/git", "worktrees"}

// CheckFiles reports files that are links, have another owner, or a mode that lets other
// users in. With fix it corrects the modes; nothing else is changed.
func (d *Dir[T]) CheckFiles(fix bool) ([]FileIssue, error) {
	f, err := d.open()
	if err != nil {
		return nil, fmt.Errorf("check the files of .ferrus: %w", err)
	}
	defer f.Close()
	real, ok := f.(osFolder)
	if !ok {
		return nil, errors.New("check the files of .ferrus: they are not on a disk")
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

// checkFiles checks a file and, in a directory, all below it. It follows no link.
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

// vanished reports a file that cannot be read; a file that was removed meanwhile is no
// issue.
func vanished(name string, err error) []FileIssue {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return []FileIssue{{Name: name, Why: fmt.Sprintf("cannot be read: %v", err), Worse: true}}
}

// checkFile checks one file.
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
