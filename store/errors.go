package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// ErrNone reports that a project has no .ferrus/STATE.json.
var ErrNone = errors.New("there is no .ferrus/STATE.json; run: ferrus init")

// ErrStale reports that a state is no longer the newest: its text is gone, or facts that
// were gathered for it may no longer be true. Load again.
var ErrStale = errors.New("the state has changed: load it again")

// NewerError reports that a later version of ferrus wrote the state. Nothing was changed.
type NewerError struct {
	File          string // absolute
	Schema, Known int    // the file's, and the newest that this ferrus reads
}

func (n *NewerError) Error() string {
	return fmt.Sprintf("%s has schema %d and this ferrus knows up to %d: use the ferrus that wrote it, or a later one",
		n.File, n.Schema, n.Known)
}

// OlderError reports that an earlier ferrus wrote the state; see [Import]. Nothing was
// changed.
type OlderError struct {
	File   string // absolute
	Schema int    // the file's
}

func (o *OlderError) Error() string {
	return fmt.Sprintf("%s has schema %d, written by a ferrus that kept no journal; run: ferrus init",
		o.File, o.Schema)
}

// DamagedError reports that a file does not contain what ferrus wrote. Nothing was
// changed; Fix says what to do.
type DamagedError struct {
	File         string // absolute
	Line, Column int    // from 1, the column in bytes; 0: the whole file
	Why, Fix     string // in a sentence each, without a capital and a period
}

func (d *DamagedError) Error() string {
	place := ""
	if d.Line > 0 {
		place = fmt.Sprintf(" at line %d, column %d", d.Line, d.Column)
	}
	return fmt.Sprintf("%s is damaged%s: %s; %s", d.File, place, d.Why, d.Fix)
}

// ReplacedError reports that something else is where ferrus keeps a file or a directory.
type ReplacedError struct {
	File string // absolute
	By   string // what it is: a link
}

func (r *ReplacedError) Error() string {
	return fmt.Sprintf("%s is %s, which ferrus did not create: remove it", r.File, r.By)
}

// LockedError reports that another process holds the lock. PID is 0 until the holder
// has written it.
type LockedError struct {
	Name string // below run; for [TryLockFile], the name that it was given
	PID  int
}

func (h *LockedError) Error() string {
	if h.PID == 0 {
		return h.Name + " is held by another process"
	}
	return fmt.Sprintf("%s is held by process %d", h.Name, h.PID)
}

// What to do when a file is damaged.
const (
	fixState  = "run: ferrus doctor --repair; or move the file away and run: ferrus init"
	fixRepair = "run: ferrus doctor --repair"
	fixDoc    = "restore the text, or move STATE.json away and run: ferrus init"
)

// damagedState describes an error of decoding STATE.json, with its position if it has
// one.
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

// setPosition sets line and column from an offset, which is after the wrong byte.
func (d *DamagedError) setPosition(data []byte, offset int64) {
	before := data[:min(max(offset-1, 0), int64(len(data)))]
	d.Line = 1 + bytes.Count(before, []byte("\n"))
	d.Column = len(before) - bytes.LastIndexByte(before, '\n')
}

// named completes the path in an error about a file below .ferrus.
func (d *Files) named(err error) error {
	var damaged *DamagedError
	var newer *NewerError
	var older *OlderError
	var file *fs.PathError
	var moved *os.LinkError
	switch {
	case errors.As(err, &moved) && !path.IsAbs(moved.New):
		moved.Old, moved.New, moved.Op = d.Path(moved.Old), d.Path(moved.New), strings.TrimSuffix(moved.Op, "at")
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
func (d *Files) spelled(name string) string {
	if name == stateName {
		return d.names.state
	}
	return name
}
