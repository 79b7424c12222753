package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
)

// Inspect opens a .ferrus for diagnosis: it reads nothing yet, completes no writer's
// work, and succeeds also where STATE.json cannot be used.
func Inspect[T any](project string, heads ...Heads) (*Dir[T], error) {
	return InspectAt[T](filepath.Join(project, ".ferrus"), heads...)
}

// InspectAt is like [Inspect] for the directory of one task.
func InspectAt[T any](root string, heads ...Heads) (*Dir[T], error) {
	d, err := newDir[T](root, heads...)
	if err != nil {
		return nil, fmt.Errorf("inspect state: %w", err)
	}
	return d, nil
}

// ReadEntry returns the entry of a seq; false if the journal has none. Like
// [Dir.Journal] it reads only the part of the file that it needs.
func (d *Dir[T]) ReadEntry(seq uint64) (Entry, bool, error) {
	line, err := d.findEntry(seq)
	if err != nil {
		return Entry{}, false, fmt.Errorf("read journal: %w", d.named(err))
	}
	return line, seq > 0 && line.Seq == seq, nil
}

// findEntry returns the entry of a seq, or a later one; a zero one if there is none.
func (d *Dir[T]) findEntry(seq uint64) (Entry, error) {
	f, err := d.open()
	if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	doc, _, err := d.readUnchecked(f)
	if err != nil {
		return Entry{}, err
	}
	if newest := doc.lastEntry(); newest.Seq == seq {
		return newest, nil
	}
	file, err := f.open(journalName)
	if err != nil {
		return Entry{}, ignoreMissing(err)
	}
	defer file.Close()
	size, err := file.size()
	if err != nil {
		return Entry{}, err
	}
	size = logEnd(file, size)
	start, err := findOffset(file, size, max(seq, 1)-1)
	if err != nil {
		return Entry{}, err
	}
	return scanFor(file, start, size, seq)
}

// scanFor reads from an offset to the entry of a seq; a zero one if there is none.
func scanFor(file io.ReaderAt, start, size int64, seq uint64) (Entry, error) {
	reader := newLines(file, start, size)
	for {
		data, _, err := readLine(reader)
		if errors.Is(err, io.EOF) {
			return Entry{}, nil
		} else if err != nil {
			return Entry{}, err
		}
		if line, ok := parseEntry(data); ok && line.Seq >= seq {
			return line, nil
		}
	}
}

// Archived returns the journal entries that were archived with a task; none if it was
// archived without a journal.
func (d *Dir[T]) Archived(task string) ([]Entry, error) {
	if err := checkName(task); err != nil {
		return nil, err
	}
	archived := path.Join(archiveDir, task, journalName)
	lines, err := read(&d.Files, archived, func(f folder, name string) ([]Entry, error) {
		file, err := f.open(name)
		if err != nil {
			return nil, ignoreMissing(err)
		}
		defer file.Close()
		return scan(file, 0, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("read the archive of %s: %w", task, d.named(err))
	}
	return lines, nil
}

// taskID returns the id of the task that an entry's data gives: the member id of the
// member "task" of T.
func (l Entry) taskID() string {
	var data struct {
		Task struct {
			ID string `json:"id"`
		} `json:"task"`
	}
	if json.Unmarshal(l.Data, &data) != nil {
		return ""
	}
	return data.Task.ID
}
