package conductor

import (
	"errors"
	"log/slog"

	"ferrus/hq/session"
)

// ErrClosed is returned by a conductor that has been closed.
var ErrClosed = errors.New("the conductor has ended")

// Options configure a conductor.
type Options struct {
	Ferrus        string // the program that agents start as their server; empty: this one
	Columns, Rows int    // of a pane until the first Resize; 0: 120 by 40
	Scrollback    int    // lines kept per pane; 0: 10,000
	StopOnExit    bool   // sessions end when this process dies
	Headless      bool   // no session gets its program's own screen, because there is no terminal to type in
	Notice        string // the first notice; empty: none
	// Debug gets what happens, for a report of a fault; nil: nothing does.
	Debug    *slog.Logger
	patience session.Patience
	launcher session.Launcher // nil: a host for each session, on this machine
}
