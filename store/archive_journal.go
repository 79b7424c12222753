package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
)

// archiveJournal copies the entries of a task to a directory: from the newest one that
// gives the state this task, to the end. A line that is no entry ends the search, so
// that a damaged journal does not keep you from starting a new task.
func (w *writer[T]) archiveJournal(task, dir string) error {
	begin, err := taskStart(w.journal.file, w.journal.end, task)
	if err != nil {
		return err
	}
	to := path.Join(dir, journalName)
	if err := removeAny(w.folder, to); err != nil {
		return err
	}
	target, err := w.folder.create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, io.NewSectionReader(w.journal.file, begin, w.journal.end-begin))
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// taskStart returns the offset at which the entries of a task start; the end of the
// journal if there are none.
func taskStart(file io.ReaderAt, end int64, task string) (int64, error) {
	b := backwardReader{file: file, start: end}
	for {
		data, offset, err := b.previous()
		if errors.Is(err, io.EOF) {
			return end, nil
		} else if err != nil {
			return 0, err
		}
		line, ok := parseEntry(data)
		switch {
		case !ok:
			return end, nil
		case line.taskID() == task:
			return offset, nil
		}
	}
}

// backwardReader reads the lines of a file from its end.
type backwardReader struct {
	file  io.ReaderAt
	start int64  // of what is not read yet to the end of the file
	data  []byte // from start on; whole lines at its end were given out
}

// previous returns the line before the last returned one, without its newline, and
// its offset. io.EOF means the beginning of the file, or a line longer than lineLimit.
func (b *backwardReader) previous() ([]byte, int64, error) {
	for {
		if cut := bytes.TrimSuffix(b.data, []byte("\n")); len(cut) < len(b.data) {
			if at := bytes.LastIndexByte(cut, '\n'); at >= 0 || b.start == 0 {
				b.data = b.data[:at+1]
				return cut[at+1:], b.start + int64(at+1), nil
			}
		}
		if b.start == 0 || len(b.data) > lineLimit {
			return nil, 0, io.EOF
		}
		if err := b.more(); err != nil {
			return nil, 0, err
		}
	}
}

// more doubles what is read, so that a long line is copied only a few times.
func (b *backwardReader) more() error {
	n := min(int64(max(len(b.data), 64<<10)), b.start)
	grown := make([]byte, n, n+int64(len(b.data)))
	if _, err := b.file.ReadAt(grown, b.start-n); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the journal backwards: %w", err)
	}
	b.data, b.start = append(grown, b.data...), b.start-n
	return nil
}

// newLines returns a reader of lines between two offsets.
func newLines(file io.ReaderAt, start, end int64) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(file, start, end-start), 64<<10)
}
