package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Tail returns the last bytes of a log below .ferrus, at most limit, and whether there
// are more before them. It may cut a line, or a character, in two. A log that does not exist
// is empty.
func (d *Files) Tail(name string, limit int64) (end []byte, more bool, err error) {
	end, err = read(d, name, func(f folder, name string) ([]byte, error) {
		file, size, err := openLog(f, name)
		if err != nil || file == nil {
			return nil, err
		}
		defer file.Close()
		start := max(size-limit, 0)
		more = start > 0
		return io.ReadAll(io.NewSectionReader(file, start, size-start))
	})
	if err != nil {
		return nil, false, fmt.Errorf("read the end of %s: %w", name, d.named(err))
	}
	return end, more, nil
}

// openLog opens a file that others append to, and returns its present size; nil if there
// is none.
func openLog(f folder, name string) (file, int64, error) {
	log, err := f.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	size, err := log.size()
	if err != nil {
		return nil, 0, errors.Join(err, log.Close())
	}
	return log, size, nil
}
