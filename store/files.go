package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// WriteFile replaces a file below .ferrus, durably, and makes the directories above it.
// A crash leaves the old file or the new one. The name is a path with slashes, whose parts
// are letters, digits, dot, underscore and dash; the store's own files, such as STATE.json,
// are refused. Data of more than 16 MiB can be written, but not read with [Files.ReadFile].
func (d *Files) WriteFile(name string, data []byte) error {
	if err := d.change(&newFile{name, data}, nil); err != nil {
		return fmt.Errorf("write %s: %w", name, d.named(err))
	}
	return nil
}

// WriteTransient replaces a file that counts only while the process that it describes is running. No
// reader sees a part of it; after a power failure it may be the old file, an empty one, or none.
func (d *Files) WriteTransient(name string, data []byte) error {
	err := d.with(name, func(f folder) error {
		if isBound(name) {
			return errors.New("its hash is kept")
		}
		return replace(f, name, data, false)
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, d.named(err))
	}
	return nil
}

// Remove removes files, durably. One that does not exist is no error.
func (d *Files) Remove(names ...string) error {
	if err := d.change(nil, names); err != nil {
		return fmt.Errorf("remove %s: %w", strings.Join(names, " and "), d.named(err))
	}
	return nil
}

// WriteFileAndRemove replaces a file, as [Files.WriteFile] does, and then removes others. It takes about as long as the
// first alone. A crash leaves some of the others only where the file is the new one, or all of them.
func (d *Files) WriteFileAndRemove(name string, data []byte, others ...string) error {
	if err := d.change(&newFile{name, data}, others); err != nil {
		return fmt.Errorf("write %s and remove %s: %w", name, strings.Join(others, " and "), d.named(err))
	}
	return nil
}

// newFile is a file that is to be replaced.
type newFile struct {
	name string
	data []byte
}

// change replaces one file, unless it is nil, and then removes others, with one change of the hashes that are kept.
func (d *Files) change(write *newFile, remove []string) error {
	next := map[string]string{}
	for _, name := range remove {
		if err := checkFree(name); err != nil {
			return err
		}
		if isBound(name) {
			next[name] = noFile
		}
	}
	first := ""
	if write != nil {
		if first = write.name; isBound(first) {
			next[first] = sha(write.data)
		}
	} else if len(remove) > 0 {
		first = remove[0]
	}
	return d.with(first, func(f folder) error {
		change := func() error {
			if write != nil {
				if err := replace(f, write.name, write.data, true); err != nil {
					return err
				}
			}
			return removeAll(f, remove)
		}
		if len(next) == 0 || write == nil && d.areAbsent(f, remove) {
			return change()
		}
		return d.rebind(f, next, change)
	})
}

// areAbsent reports that files are not there, and that nothing says that they were: no hash changes with them.
func (d *Files) areAbsent(f folder, names []string) bool {
	s, err := d.readKeptSums(f)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		_, err := f.stat(name)
		return len(s.Files[name]) > 0 || !isMissing(err)
	})
}

// removeAll removes files, durably.
func removeAll(f folder, names []string) error {
	var dirs []string
	for _, name := range names {
		if err := removeAny(f, name); err != nil {
			return err
		}
		dirs = append(dirs, path.Dir(name))
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if err := ignoreMissing(f.syncDir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// Append opens a log to write at its end, and makes it and the directories above it if
// they are missing. It syncs nothing: a power failure can take the log, or its end. The
// caller closes the file.
func (d *Files) Append(name string) (*os.File, error) {
	var log *os.File
	err := d.with(name, func(f folder) (err error) {
		if err := makeDirs(f, path.Dir(name)); err != nil {
			return err
		}
		log, err = f.raw(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open log %s: %w", name, d.named(err))
	}
	return log, nil
}

// OpenFile opens a file of any size below .ferrus for reading. The error is
// fs.ErrNotExist if there is none. Its content is not compared with what ferrus wrote. The
// caller closes the file.
func (d *Files) OpenFile(name string) (*os.File, error) {
	file, err := read(d, name, func(f folder, name string) (*os.File, error) { return f.raw(name, os.O_RDONLY) })
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, d.named(err))
	}
	return file, nil
}

// with runs a function on a file that is not one of the store's own.
func (d *Files) with(name string, do func(folder) error) error {
	if err := checkFree(name); err != nil {
		return err
	}
	f, err := d.open()
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// ReadFile reads a file of at most 16 MiB below .ferrus. The error is fs.ErrNotExist if
// there is none.
func (d *Files) ReadFile(name string) ([]byte, error) {
	data, err := read(d, name, func(f folder, name string) ([]byte, error) {
		data, err := readWhole(f, name)
		if isBound(name) {
			return d.checkBound(f, name, data, err)
		}
		return data, err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, d.named(err))
	}
	return data, nil
}

// List returns the sorted names in a directory below .ferrus, without temporary files;
// "." is .ferrus itself. A directory that does not exist is empty.
func (d *Files) List(dir string) ([]string, error) {
	names, err := read(d, dir, listAny)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, d.named(err))
	}
	kept := names[:0]
	for _, name := range names {
		if !strings.HasPrefix(name, tempPrefix) {
			kept = append(kept, name)
		}
	}
	return kept, nil
}

// read runs a function on a file or directory that may be one of the store's own.
func read[R any](d *Files, name string, do func(folder, string) (R, error)) (R, error) {
	var none R
	if name != "." {
		if err := checkName(name); err != nil {
			return none, err
		}
	}
	f, err := d.open()
	if err != nil {
		return none, err
	}
	defer f.Close()
	return do(f, name)
}

// replaceBound replaces a file, and its hash if that is kept.
func (d *Files) replaceBound(f folder, name string, data []byte) error {
	change := func() error { return replace(f, name, data, true) }
	if !isBound(name) {
		return change()
	}
	return d.rebind(f, map[string]string{name: sha(data)}, change)
}

// replace writes a file under a unique temporary name and renames it. A crash before
// the rename leaves the temporary file, which prepare removes.
func replace(f folder, name string, data []byte, durable bool) error {
	temp := tempName()
	if err := writeNew(f, temp, data, durable); err != nil {
		return err
	}
	err := f.rename(temp, name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDirs(f, path.Dir(name)); err == nil {
			err = f.rename(temp, name)
		}
	}
	if err != nil {
		return errors.Join(err, removeAny(f, temp))
	}
	if durable {
		return syncAbove(f, name)
	}
	return nil
}

// tempName returns a name below run, so that a watcher of .ferrus sees only the rename.
// It starts with the pid, which tells sweepTemps whose file it is.
func tempName() string {
	var random [8]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails
	return fmt.Sprintf("%s/%s%d-%s", runDir, tempPrefix, os.Getpid(), hex.EncodeToString(random[:]))
}
