package git

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"ferrus/checks/regular"
)

// Bounds of the objects that are read without git: how large one may be, and how many are looked for at
// once. For more than that a process of git costs little.
const (
	directBytes = 4 << 20
	directCount = 256
)

// errAskGit means that only git can tell what an object is.
var errAskGit = errors.New("it cannot be read without git")

// stores read objects without git, from directories of objects, in their order.
type stores struct {
	dirs  []string
	packs *packs // nil: not listed yet
}

// packed returns the packs.
func (s *stores) packed() *packs {
	if s.packs == nil {
		s.packs = findPacks(s.dirs)
	}
	return s.packs
}

// has reports whether an object is there.
func (s *stores) has(id string) bool {
	if len(id) < 3 {
		return false
	}
	if hasLoose(s.dirs, id) {
		return true
	}
	p, _ := s.packed().find(id)
	return p != nil
}

// read returns an object, after comparing it with its name. Every error means: ask git.
func (s *stores) read(kind, id string) ([]byte, error) {
	if content, err := readLoose(s.dirs, kind, id); err == nil {
		return content, nil
	}
	return s.packed().read(kind, id)
}

// close closes every file. It is used no more.
func (s *stores) close() {
	if s.packs != nil {
		s.packs.close()
	}
}

// readLoose returns an object that is a file of its own below one of the directories, after comparing it
// with its name. Every error means: ask git.
func readLoose(dirs []string, kind, id string) ([]byte, error) {
	for _, dir := range dirs {
		if content, err := readLooseFile(filepath.Join(dir, id[:2], id[2:]), kind); err == nil &&
			Hash(id, kind, content) == id {
			return content, nil
		}
	}
	return nil, errAskGit
}

// hasLoose reports whether an object may be a file of its own.
func hasLoose(dirs []string, id string) bool {
	for _, dir := range dirs {
		if _, err := os.Lstat(filepath.Join(dir, id[:2], id[2:])); err == nil {
			return true
		}
	}
	return false
}

// readLooseFile reads the content of an object: compressed, and behind its kind and size.
func readLooseFile(name, kind string) ([]byte, error) {
	file, err := regular.Read(name, directBytes)
	if err != nil {
		return nil, errAskGit
	}
	var all []byte
	err = inflate(bytes.NewReader(file), func(from io.Reader) (err error) {
		all, err = io.ReadAll(io.LimitReader(from, directBytes+1))
		return err
	})
	head, content, _ := bytes.Cut(all, []byte{0})
	if err != nil || len(all) > directBytes || string(head) != kind+" "+strconv.Itoa(len(content)) {
		return nil, errAskGit
	}
	return content, nil
}

// deflaters are used again: one takes 800 KB.
var deflaters = sync.Pool{New: func() any {
	to, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // There is such a level.
	return to
}}

// storedBytes is the size of the largest object that is not compressed: compression would save a few disk blocks at
// most.
const storedBytes = 16 << 10

// LooseObject returns the name of an object, in the format of another name, and the file that has it.
func LooseObject(like, kind string, content []byte) (id string, file []byte) {
	id = Hash(like, kind, content)
	head := fmt.Appendf(nil, "%s %d\x00", kind, len(content))
	if len(content) <= storedBytes {
		return id, stored(append(head, content...))
	}
	var deflated bytes.Buffer
	to := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(to)
	to.Reset(&deflated)
	_, _ = to.Write(head) // A buffer takes all.
	_, _ = to.Write(content)
	_ = to.Close()
	return id, deflated.Bytes()
}

// WriteObject writes an object as a file of its own below a directory of objects, and returns its name, in the format
// of another name. No reader sees a part of it.
func WriteObject(dir, like, kind string, content []byte) (id string, err error) {
	id, file := LooseObject(like, kind, content)
	err = os.MkdirAll(filepath.Join(dir, id[:2]), 0o700)
	if err == nil {
		err = writeWhole(filepath.Join(dir, id[:2], id[2:]), file)
	}
	if err != nil {
		return "", fmt.Errorf("write %s %s: %w", kind, id, err)
	}
	return id, nil
}

// CopyLoose copies the objects that are files of their own to another directory of objects.
func CopyLoose(from, to string) error {
	names, err := filepath.Glob(filepath.Join(escapeGlob(from), "??", "*"))
	for _, name := range names {
		var data []byte
		if data, err = regular.Read(name, math.MaxInt32); err == nil {
			dir := filepath.Join(to, filepath.Base(filepath.Dir(name)))
			if err = os.MkdirAll(dir, 0o700); err == nil {
				err = writeWhole(filepath.Join(dir, filepath.Base(name)), data)
			}
		}
		if err != nil {
			return fmt.Errorf("copy objects: %w", err)
		}
	}
	return err
}

// writeWhole writes a file under another name first.
func writeWhole(name string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), "tmp_obj_") // git gc removes what is left of these
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o400), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
