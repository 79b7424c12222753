package register

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/checks/regular"
)

// maxFile bounds a file of settings, in bytes.
const maxFile = 16 << 20

// isEmpty reports whether nothing is left in a file that ferrus made.
func isEmpty(data []byte) bool {
	left := strings.Join(strings.Fields(string(data)), "")
	return left == "" || left == "{}"
}

// projectFile is a file of the project before and after the edits.
type projectFile struct {
	name             string
	existed          bool
	before           []byte
	exists           bool
	after            []byte
	mode             fs.FileMode
	entry            *file
	isNew, hasBackup bool // the entry is new; a backup exists
}

func (f *projectFile) read(dir string) error {
	path := filepath.Join(dir, f.name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read %s: %w", f.name, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read %s: it is not a file", f.name)
	}
	if f.before, err = regular.Read(path, maxFile); err != nil {
		return fmt.Errorf("read %s: %w", f.name, err)
	}
	f.existed, f.mode = true, info.Mode().Perm()
	_, err = os.Lstat(path + Backup)
	f.hasBackup = err == nil
	return nil
}

// resolve returns the name of a file without symbolic links. A link that leads out of the
// project is refused.
func resolve(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	real, err := regular.Resolve(root, name)
	if err != nil {
		return "", fmt.Errorf("edit %w", err)
	}
	if _, err := root.Lstat(real); real != path.Clean(filepath.ToSlash(name)) && errors.Is(err, fs.ErrNotExist) {
		if _, err := root.Lstat(name); err == nil {
			return "", fmt.Errorf("edit %s: it is a broken link", name)
		}
	}
	return real, nil
}

// missingDirs returns the directories that a file needs, innermost first.
func missingDirs(dir, name string) (all []string) {
	for d := filepath.Dir(name); d != "."; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(dir, d)); err == nil {
			break
		}
		all = append(all, filepath.ToSlash(d))
	}
	return all
}

// record records an edit. What existed before and is not ours is not recorded.
func (f *projectFile) record(e agent.Edit, owner, was string, changed bool) {
	n := f.entry.find(e)
	switch {
	case n >= 0 && e.Kind == roleKind:
		f.entry.Edits[n].Value, f.entry.Edits[n].Owners = e.Value, []string{owner}
	case n >= 0:
		m := &f.entry.Edits[n]
		if changed || m.Kind == agent.Section || m.Kind == agent.Line {
			m.Value = e.Value
		}
		if !slices.Contains(m.Owners, owner) {
			m.Owners = append(m.Owners, owner)
		}
	case changed:
		f.entry.Edits = append(f.entry.Edits, recordedEdit{Edit: e, Owners: []string{owner}, Old: was})
	}
}

// undo restores the exact bytes if the file has not changed since, or says nothing else, and
// undoes the edits in any other.
func (f *projectFile) undo(kept, gone []recordedEdit) (err error) {
	r := f.entry
	if r.isUntouched(f.after) {
		f.after, err = r.replay(kept)
		f.exists = !r.New || len(kept) > 0
		return err
	}
	if f.after, err = undoAll(f.after, gone); err != nil {
		return err
	}
	if len(kept) == 0 && saysTheSame(f.name, f.after, r.Before, gone) { // the client rewrote it, and no more
		f.after = r.Before
	}
	f.exists = !r.New || len(kept) > 0 || !isEmpty(f.after)
	return nil
}

// Backup is the suffix of the copy that is made before the first edit of a file.
const Backup = ".ferrus-backup"
