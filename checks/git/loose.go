package git

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Bounds of the objects that are read without git: how large one may be, and how many are looked for at
// once. For more than that a process of git costs little.
const (
	looseBytes = 4 << 20
	looseCount = 256
)

// errNotLoose means that only git can tell what an object is.
var errNotLoose = errors.New("it is not a file of its own that can be read")

// readLoose returns an object that is a file of its own below one of the directories, after comparing it
// with its name. Every error means: ask git.
func readLoose(dirs []string, kind, id string) ([]byte, error) {
	for _, dir := range dirs {
		if content, err := readLooseFile(filepath.Join(dir, id[:2], id[2:]), kind); err == nil &&
			Hash(id, kind, content) == id {
			return content, nil
		}
	}
	return nil, errNotLoose
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
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errNotLoose
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > looseBytes {
		return nil, errNotLoose
	}
	inflated, err := zlib.NewReader(file)
	if err != nil {
		return nil, errNotLoose
	}
	all, err := io.ReadAll(io.LimitReader(inflated, looseBytes+1))
	head, content, _ := bytes.Cut(all, []byte{0})
	if err != nil || len(all) > looseBytes || string(head) != kind+" "+strconv.Itoa(len(content)) {
		return nil, errNotLoose
	}
	return content, nil
}

// WriteObject writes an object as a file of its own below a directory of objects that only the caller writes
// to, and returns its name, in the format of another name.
func WriteObject(dir, like, kind string, content []byte) (id string, err error) {
	id = Hash(like, kind, content)
	var deflated bytes.Buffer
	to, err := zlib.NewWriterLevel(&deflated, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(to, "%s %d\x00", kind, len(content))
	_, err = to.Write(content)
	err = errors.Join(err, to.Close(), os.MkdirAll(filepath.Join(dir, id[:2]), 0o700))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, id[:2], id[2:]), deflated.Bytes(), 0o400)
	}
	if err != nil {
		return "", fmt.Errorf("write %s %s: %w", kind, id, err)
	}
	return id, nil
}
