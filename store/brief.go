package store

import (
	"bytes"
	"path"
	"time"
)

// ArchivedBrief returns the entries of an archived task as [Dir.Archived] does, but only
// with At, Event, To and Data. It is meant for adding up thousands of journals, so it
// checks only what it reads.
func (d *Dir[T]) ArchivedBrief(task string) ([]Entry, error) {
	if err := checkName(task); err != nil {
		return nil, err
	}
	journal := path.Join(archiveDir, task, journalName)
	lines, err := read(&d.Files, journal, func(f folder, name string) ([]Entry, error) {
		data, err := readWhole(f, name)
		return briefs(data), err
	})
	if err != nil || lines == nil {
		return d.Archived(task) // with its error, or line by line
	}
	return lines, nil
}

// briefs reads the lines of a journal that ferrus wrote; nil if one of them is anything
// else. The entries share data.
func briefs(data []byte) []Entry {
	lines := make([]Entry, 0, bytes.Count(data, []byte("\n")))
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		l, ok := brief(line)
		if !whole || !ok {
			return nil
		}
		lines, data = append(lines, l), rest
	}
	return lines
}

// brief reads a line with no white space between its members.
func brief(line []byte) (l Entry, ok bool) {
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return l, false
	}
	for at := 1; ; at++ { // behind a brace or a comma
		name := valueLength(line[at:])
		value := at + name + 1
		if name < 2 || line[at] != '"' || value >= len(line) || line[value-1] != ':' {
			return l, false
		}
		end := value + valueLength(line[value:])
		if end == value || end >= len(line) {
			return l, false
		}
		if ok := l.set(string(line[at:at+name]), line[value:end]); !ok {
			return l, false
		}
		if at = end; at == len(line)-1 {
			return l, len(l.Data) > 0 && !l.At.IsZero()
		}
		if line[at] != ',' {
			return l, false
		}
	}
}

// set sets the member with a quoted name, if a brief entry has it.
func (l *Entry) set(name string, value []byte) (ok bool) {
	switch name {
	case `"at"`:
		var at string
		if at, ok = plain(value); ok {
			var err error
			l.At, err = time.Parse(time.RFC3339Nano, at)
			ok = err == nil
		}
	case `"event"`:
		l.Event, ok = plain(value)
	case `"to"`:
		l.To, ok = plain(value)
	case `"data"`:
		l.Data, ok = value, value[0] == '{'
	default:
		ok = true
	}
	return ok
}

// plain returns a JSON string that needs no decoding.
func plain(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

// valueLength returns the length of the JSON value that b begins with; 0 if it does not end.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			length := stringLength(b[i:])
			if length == 0 {
				return 0
			}
			if i += length - 1; depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of the object around a number
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// stringLength returns the length of the JSON string that b begins with; 0 if it does not
// end.
func stringLength(b []byte) int {
	for i := 1; ; {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			return 0
		}
		i += quote
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if i++; escapes%2 == 0 {
			return i
		}
	}
}
