package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
)

// archiveJournal copies the lines of a task, durably but for the directory: from
// the newest that gives the state this task to the end. What is no line ends
// the search: a damaged journal keeps nobody from beginning a new task.
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

// taskStart is where the lines of a task begin; the end of the journal when
// there are none.
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

// previous returns the line before the last one, without its end, and where it
// begins. io.EOF is the beginning of the file, or more than any line of ours.
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

// more reads as much again as there is, so that a long line is not copied often.
func (b *backwardReader) more() error {
	n := min(int64(max(len(b.data), 64<<10)), b.start)
	grown := make([]byte, n, n+int64(len(b.data)))
	if _, err := b.file.ReadAt(grown, b.start-n); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the journal backwards: %w", err)
	}
	b.data, b.start = append(grown, b.data...), b.start-n
	return nil
}

// newLines reads lines forward from a place.
func newLines(file io.ReaderAt, start, end int64) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(file, start, end-start), 64<<10)
}
