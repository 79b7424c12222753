// Package tui runs HQ: the screen of package ui over a conductor.
//
// Call [Run]. It redraws when the conductor's view changes, at most 120 times a second, and
// when a displayed duration reaches the next minute; an idle HQ does nothing. The human's
// commands go to the conductor on other goroutines, so the screen never waits: Update touches
// no disk, process or network.
//
// The terminal is given back after quitting, after a panic, and after SIGTERM or SIGHUP;
// losing the terminal ends HQ as SIGHUP does. Only quitting stops the sessions and sets
// the hold "quit": after anything else they keep running, and the next HQ takes them
// over and continues.
package tui

import (
	"context"
	"errors"
	"os"
	"time"

	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/tui/slash"
	"ferrus/ui/view"
)

// Engine is what the screen shows and types into. Its methods are called from several
// goroutines, and none by Update.
type Engine interface {
	slash.Viewer
	// Updates says that View has something new; it is coalesced.
	Updates() <-chan struct{}
	// Printed says that a terminal of View has something new; it is coalesced.
	Printed() <-chan struct{}
	Terminals
	Journal
	Workplace
	Closer
}

// Workplace knows where the selected task is worked on.
type Workplace interface {
	// WorkIn returns the directory, and what the environment of a command there has besides yours.
	WorkIn() (dir string, env []string, err error)
}

// Terminals are the sessions' terminals.
type Terminals interface {
	// Input is typed into a slot's session. One slot's calls come in order.
	Input(slot core.Slot, data []byte)
	// Resize is the size of a slot's terminal, also before its first session.
	Resize(slot core.Slot, columns, rows int)
}

// Journal reads what belongs to the task's past.
type Journal interface {
	// ReadEntry reads what belongs to an entry of the journal.
	ReadEntry(seq uint64) (journal.Detail, error)
	// Diff reads what the task changed up to now.
	Diff(ctx context.Context, round int) (project.CommentedDiff, error)
}

// Closer ends the engine. One of its methods is called once, after the terminal was given
// back.
type Closer interface {
	// Close stops all sessions. With hold, an open task or workflow is held until the human resumes.
	Close(hold bool) error
	// Detach leaves all sessions running; the next HQ takes them over.
	Detach() error
}

// Memory keeps what the human did for the next HQ. Its calls come one at a time.
type Memory interface {
	SaveHistory(line string)
	SaveLayout(layout view.SavedLayout)
}

// Settings is what the configuration says about the screen.
type Settings struct {
	Agents []string         // the names that /register takes
	Models []view.RoleModel // what each role runs on
	Notify string           // [hq] notify; empty: auto
	view.Preferences
}

// Options are what HQ is run with. Engine and Commands are needed.
type Options struct {
	Engine   Engine
	Commands *slash.Env
	History  []string                 // of the prompt, oldest first
	Layout   view.SavedLayout         // of the last time
	Memory   Memory                   // nil: nothing is kept
	Settings func(*core.Pin) Settings // where the selected task has pinned its agents; nil: there are none
	Environ  func(name string) string
	Now      func() time.Time

	Via     string        // as journals name this terminal
	Clients <-chan Client // other HQs of the project, attached to this one; nil: there are none
	// Another returns what one more of them works with; nil: the engine of this one, with its selection.
	Another func() Screen

	// IdleMark returns what to write to the terminal when nothing is under way and so
	// many bytes of input were read, for tests; see package termtest. Nil: nothing.
	IdleMark func(read int64) string
}

// Run shows HQ until the human quits, a signal ends it, or ctx is done, and then closes
// or leaves the engine.
func Run(ctx context.Context, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Environ == nil {
		o.Environ = os.Getenv
	}
	if o.Settings == nil {
		o.Settings = func(*core.Pin) Settings { return Settings{} }
	}
	ctx, cancel := context.WithCancel(ctx)
	a := newApp(ctx, o)
	a.start()
	_, err := a.program.Run()
	cancel()
	return errors.Join(a.end(err)...)
}
