// Package store keeps one value of a program's state on disk, so that a crash
// at any instant leaves either the old value or the new one, whole.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrNone is returned when a project has no .ferrus/STATE.json.
var ErrNone = errors.New("there is no .ferrus/STATE.json here; run: ferrus init")

// Newer is returned when a later version of ferrus wrote the state.
type Newer struct {
	File          string
	Schema, Known int
}

func (n *Newer) Error() string {
	return fmt.Sprintf("%s has schema %d, this ferrus knows up to %d: use a newer ferrus", n.File, n.Schema, n.Known)
}

// Damaged is returned when a file does not hold what ferrus wrote.
type Damaged struct {
	File         string // absolute
	Line, Column int    // from 1; 0 when it is not about a place
	Why, Fix     string
}

func (d *Damaged) Error() string { return d.File + " is damaged: " + d.Why + "; " + d.Fix }

// Held is returned when another process has a lock; PID is 0 when it is not known.
type Held struct {
	Name string
	PID  int
}

func (h *Held) Error() string { return fmt.Sprintf("%s is held by process %d", h.Name, h.PID) }

// Dir is the .ferrus directory of a project, with one state of type T.
type Dir[T any] struct{ root string }

// State is a value with its place in the order of all values.
type State[T any] struct {
	Schema    int
	Seq       uint64
	UpdatedAt time.Time
	OwnerPID  int
	Docs      map[string]Doc
	World     T
}

// Doc names the file that holds a text.
type Doc struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Call says who asks for an update.
type Call struct {
	ID      string // goes to the journal
	Session string
	Key     string // session, tool and arguments; an equal call right after is answered again. Empty: never
}

// Outcome is what an update came to.
type Outcome[T any] struct {
	State      State[T]
	Result     json.RawMessage
	Replayed   bool
	Unfinished error // what could not be done after the commit; the next writer does it
}

// Line is one line of the journal.
type Line struct {
	Seq      uint64          `json:"seq"`
	At       time.Time       `json:"at"`
	Event    string          `json:"event"`
	By       string          `json:"by"`
	Session  string          `json:"session"`
	Call     string          `json:"call"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Why      string          `json:"why"`
	Data     json.RawMessage `json:"data"`
	StateSHA string          `json:"state_sha"`
}

// Tx is an update in the making.
type Tx[T any] struct {
	Seq   uint64 // of the next state
	World T      // change it
}

// Text returns a text as it will be.
func (tx *Tx[T]) Text(name string) (string, error) { return "", errors.ErrUnsupported }

// SetText gives a text; the empty one removes it.
func (tx *Tx[T]) SetText(name, text string) {}

// Record commits World with a line in the journal.
func (tx *Tx[T]) Record(event, by, session, why string) {}

// Renew commits World without a line.
func (tx *Tx[T]) Renew() {}

// SetResult keeps what the caller is answered.
func (tx *Tx[T]) SetResult(v any) {}

// Archive copies the texts of before to archive/<task> before the commit.
func (tx *Tx[T]) Archive(task string) {}

// Create makes .ferrus in a project with first as its state; an existing state stays.
func Create[T any](ctx context.Context, project string, first T) (*Dir[T], error) {
	return nil, errors.ErrUnsupported
}

// Open opens the .ferrus of a project.
func Open[T any](project string) (*Dir[T], error) { return nil, errors.ErrUnsupported }

// Path is where a file below .ferrus is.
func (d *Dir[T]) Path(elem ...string) string {
	return filepath.Join(append([]string{d.root}, elem...)...)
}

// Load returns the state as it is now. It takes no lock.
func (d *Dir[T]) Load() (State[T], error) { return State[T]{}, errors.ErrUnsupported }

// Text returns a text of a state, and nothing when it has none.
func (d *Dir[T]) Text(s State[T], name string) (string, error) { return "", errors.ErrUnsupported }

// Update changes the state.
func (d *Dir[T]) Update(ctx context.Context, call Call, f func(tx *Tx[T]) error) (Outcome[T], error) {
	return Outcome[T]{}, errors.ErrUnsupported
}

// Journal returns the lines after a seq.
func (d *Dir[T]) Journal(after uint64) ([]Line, error) { return nil, errors.ErrUnsupported }

// Watch says when it is time to load again.
func (d *Dir[T]) Watch(ctx context.Context, also ...string) (<-chan struct{}, error) {
	return nil, errors.ErrUnsupported
}

// WriteFile replaces a file below .ferrus, atomically and durably.
func (d *Dir[T]) WriteFile(name string, data []byte) error { return errors.ErrUnsupported }

// ReadFile reads a file below .ferrus.
func (d *Dir[T]) ReadFile(name string) ([]byte, error) { return nil, errors.ErrUnsupported }

// Remove takes a file away; one that is not there is no error.
func (d *Dir[T]) Remove(name string) error { return errors.ErrUnsupported }

// List names what is in a directory below .ferrus; one that is not there is empty.
func (d *Dir[T]) List(dir string) ([]string, error) { return nil, errors.ErrUnsupported }

// Append opens a log.
func (d *Dir[T]) Append(name string) (*os.File, error) { return nil, errors.ErrUnsupported }

// Lock is a lock under run that this process holds.
type Lock struct{}

// Close gives the lock back.
func (l *Lock) Close() error { return nil }

// TryLock takes run/<name>, or returns a *Held.
func (d *Dir[T]) TryLock(name string) (*Lock, error) { return nil, errors.ErrUnsupported }

// Holder says who has run/<name>.
func (d *Dir[T]) Holder(name string) (pid int, held bool, err error) {
	return 0, false, errors.ErrUnsupported
}
