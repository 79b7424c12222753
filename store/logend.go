package store

import (
	"io"

	"golang.org/x/sys/unix"
)

// wholeLimit is the size up to which a log is read with its holes, in bytes.
const wholeLimit = 1 << 30

// logEnd returns the size of a log, without the first hole and what follows it where the log is huge: ferrus leaves
// none, and a file of nothing but a hole (truncate -s 1T) would be read for hours. A file system that knows no holes
// has none.
func logEnd(log io.ReaderAt, size int64) int64 {
	on, ok := log.(osFile)
	if !ok || size <= wholeLimit {
		return size
	}
	hole, err := unix.Seek(int(on.Fd()), 0, unix.SEEK_HOLE)
	if err != nil {
		return size
	}
	return min(hole, size)
}
