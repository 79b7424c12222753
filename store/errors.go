package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ErrNone is returned when a project has no .ferrus/STATE.json.
var ErrNone = errors.New("there is no .ferrus/STATE.json; run: ferrus init")

// ErrStale reports that a state was followed by others: its text is gone, or what was
// gathered for it may no longer be so. Load again.
var ErrStale = errors.New("the state moved on: load it again")

// NewerError is returned when a later version of ferrus wrote the state.
type NewerError struct {
	File          string
	Schema, Known int
}

func (n *NewerError) Error() string {
	return fmt.Sprintf("%s has schema %d and this ferrus knows up to %d: use the ferrus that wrote it, or a later one",
		n.File, n.Schema, n.Known)
}

// OlderError is returned when an earlier ferrus wrote the state; see [Import].
type OlderError struct {
	File   string
	Schema int
}

func (o *OlderError) Error() string {
	return fmt.Sprintf("%s has schema %d, which a ferrus wrote that kept no journal; run: ferrus init", o.File, o.Schema)
}

// DamagedError is returned when a file does not hold what ferrus wrote. Nothing was
// changed; Fix says what helps.
type DamagedError struct {
	File         string // absolute
	Line, Column int    // from 1; 0 when it is not about one place
	Why, Fix     string
}

func (d *DamagedError) Error() string {
	place := ""
	if d.Line > 0 {
		place = fmt.Sprintf(" at line %d, column %d", d.Line, d.Column)
	}
	return fmt.Sprintf("%s is damaged%s: %s; %s", d.File, place, d.Why, d.Fix)
}

// LockedError is returned when another process has a lock; PID is 0 when the other has
// not said yet who it is.
type LockedError struct {
	Name string // below run
	PID  int
}

func (h *LockedError) Error() string {
	if h.PID == 0 {
		return h.Name + " is held by another process"
	}
	return fmt.Sprintf("%s is held by process %d", h.Name, h.PID)
}

// What helps when a file is damaged.
const (
	fixState   = "move the file away and run: ferrus init"
	fixJournal = "move the file away, the next command begins a new one"
	fixDoc     = "put the text back as it was, or move STATE.json away and run: ferrus init"
)

// damagedState words an error of reading STATE.json, with the place if it has one.
func damagedState(data []byte, err error) *DamagedError {
	d := &DamagedError{File: stateName, Why: strings.TrimPrefix(err.Error(), "json: "), Fix: fixState}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		d.setPosition(data, syntax.Offset)
	case errors.As(err, &kind):
		d.Why = fmt.Sprintf("%s cannot be a %s", kind.Field, kind.Value)
		d.setPosition(data, kind.Offset)
	}
	return d
}

// setPosition turns an offset, which is after the wrong byte, into a line and a column.
func (d *DamagedError) setPosition(data []byte, offset int64) {
	before := data[:min(max(offset-1, 0), int64(len(data)))]
	d.Line = 1 + bytes.Count(before, []byte("\n"))
	d.Column = len(before) - bytes.LastIndexByte(before, '\n')
}

// named gives an error about a file below .ferrus its whole path.
func (d *Dir[T]) named(err error) error {
	var damaged *DamagedError
	var newer *NewerError
	var older *OlderError
	var file *fs.PathError
	switch {
	case errors.As(err, &file) && !path.IsAbs(file.Path):
		file.Path, file.Op = d.Path(file.Path), strings.TrimSuffix(file.Op, "at") // openat names an open
	case errors.As(err, &damaged) && !path.IsAbs(damaged.File):
		damaged.File = d.Path(d.spelled(damaged.File))
	case errors.As(err, &newer) && !path.IsAbs(newer.File):
		newer.File = d.Path(d.spelled(newer.File))
	case errors.As(err, &older) && !path.IsAbs(older.File):
		older.File = d.Path(d.spelled(older.File))
	}
	return err
}

// spelled returns the name that a file has in this directory.
func (d *Dir[T]) spelled(name string) string {
	if name == stateName {
		return d.files.state
	}
	return name
}
