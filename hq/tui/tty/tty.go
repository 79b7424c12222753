// Package tty connects a Bubble Tea program to a terminal that may be far away.
//
// [Open] a [Terminal], give its [Terminal.Options] to the program, and call
// [Terminal.AwaitRoom] before each frame that you send it. Wrap every command that
// hands the terminal over, the one that quits included, in [Terminal.Release].
// [RunProgram] does all of that for a simple program.
//
// # Flow control
//
// Every terminal answers the query for its attributes (DA1), in the order in which
// it reads. So an answer proves that everything sent before the query has arrived:
//
//   - Only a limited number of frames is in flight. A slow link gets fewer frames,
//     and the echo of a key does not wait behind old ones.
//   - The program does not end before the last answer: it would be typed into the
//     shell.
//
// While nothing is drawn, no query is sent. A terminal that never answers gets
// every frame.
//
// # Input
//
// Links cut escape sequences in two. The reader passes on whole ones only, since
// the halves would be typed as text, and removes the answers to our queries.
package tty

import (
	"context"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Terminal is the terminal of one program: its two files, and what is under way to it.
// Its methods may be called from any goroutine.
type Terminal struct {
	in, out *os.File
	flow    *flowControl
	read    atomic.Int64 // bytes

	// Wrote sees each piece of output after it was written; nil: nothing does. Set it
	// before the program starts.
	Wrote func(output []byte)
}

// Open returns the terminal behind two files, which stay the caller's.
func Open(in, out *os.File) *Terminal { return &Terminal{in: in, out: out, flow: newFlowControl()} }

// Options connects a program to the terminal. The function gone is called, perhaps
// more than once, when the input has ended: the program cannot be used any more.
// Colours are left out where the environment wants none: NO_COLOR does so with any
// value, but Bubble Tea honors only "1" and "true".
func (t *Terminal) Options(environ func(name string) string, gone func()) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithInput(reader{t.in, t.flow, &t.read, gone}),
		tea.WithOutput(writer{t.out, t.flow, t.Wrote})}
	if environ("NO_COLOR") != "" {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	} else if colors, ok := xtermColors(environ); ok {
		options = append(options, tea.WithColorProfile(colors))
	}
	return options
}

// Read returns how many bytes of input were read so far, answers included.
func (t *Terminal) Read() int64 { return t.read.Load() }

// AwaitRoom returns when the terminal has room for a frame, or ctx is done. A
// terminal that has not answered yet is taken to be near.
func (t *Terminal) AwaitRoom(ctx context.Context) { t.flow.awaitRoom(ctx) }

// Drain stops asking and returns when every answer has come or is overdue. Call it
// before another program gets the terminal; [Terminal.Resume] asks again.
func (t *Terminal) Drain(ctx context.Context) { t.flow.drain(ctx) }

// Resume takes the terminal back after [Terminal.Drain].
func (t *Terminal) Resume() { t.flow.resume() }

// Release returns a command that drains the terminal and then runs next.
func (t *Terminal) Release(ctx context.Context, next tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		t.Drain(ctx)
		return next()
	}
}
