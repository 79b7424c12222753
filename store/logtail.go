package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Tail reads the end of a log below .ferrus, at most limit bytes, and says whether
// something comes before it. A log that is not there is empty.
func (d *Dir[T]) Tail(name string, limit int64) (end []byte, more bool, err error) {
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

// openLog opens a file that others append to, and says how long it is now; nil when
// there is none.
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
