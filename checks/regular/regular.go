// Package regular reads files that a program in a sandbox may replace at any
// moment.
//
// Between examining a file and opening it, the file may become another one: a pipe, on which the reader waits
// forever, a device, or a link to one. [Read] examines what it has opened, never waits, and reads no more
// than a limit. [ReadIn] also never leaves a directory, whatever links are in it.
//
// [Create], [Replace], [MakeDir] and [Remove] change a checkout, and refuse links that lead out of it.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrKind says that a name does not lead to a regular file.
var ErrKind = errors.New("it is not a regular file")

// flags do not wait for the writer of a pipe.
const flags = os.O_RDONLY | unix.O_NONBLOCK

// Read returns the content of a regular file of at most some bytes.
func Read(name string, most int64) ([]byte, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	return readAll(file, most)
}

// Open opens a regular file. Who reads from it must bound what is read: a file takes no space for its holes.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	return open(info, err, func() (*os.File, error) { return os.OpenFile(name, flags, 0) })
}

// ReadIn is Read for a name in a directory, which no link leads out of.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	file, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	return readAll(file, most)
}

// OpenIn opens a regular file in a directory, which no link leads out of.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	return open(info, err, func() (*os.File, error) { return root.OpenFile(name, flags, 0) })
}

// open looks before it opens, because opening a device can have effects, and after.
func open(info fs.FileInfo, err error, opened func() (*os.File, error)) (*os.File, error) {
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", info.Name(), ErrKind)
	}
	if err != nil {
		return nil, err
	}
	file, err := opened()
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", info.Name(), ErrKind)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// believed is how many bytes are allocated at once because a file says that it has them: the size of one with holes
// says little.
const believed = 1 << 20

// readAll reads a file to its end, and closes it.
func readAll(file *os.File, most int64) ([]byte, error) {
	defer file.Close()
	var data bytes.Buffer
	if info, err := file.Stat(); err == nil {
		data.Grow(int(min(info.Size(), most, believed)) + bytes.MinRead) // The last read finds the end.
	}
	_, err := data.ReadFrom(io.LimitReader(file, most+1))
	if err == nil && int64(data.Len()) > most {
		err = fmt.Errorf("%s has more than %d bytes", file.Name(), most)
	}
	if err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}
