// Package termtest plays a person at a terminal, for tests of programs that have a
// screen.
//
// [Open] starts a program in a pseudo-terminal; [Terminal.Type] sends it keys as a
// terminal would, [Terminal.See] and [Terminal.Gone] wait for what is on its
// screen, and [Terminal.Over] for its end. Nothing sleeps: each wait ends as soon
// as the screen is right, and fails its test with the screen when it never is.
// [Tmux] is the same person in a window of tmux.
//
// Only tests import it.
package termtest

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"ferrus/ui/vt"
)

// Patience is how long a person waits for what must come. A machine may be slow, and
// half a story has three starts of a client that takes a quarter of a minute.
const Patience = 4 * time.Minute

// grace is what a program has to end by itself after its test.
const grace = 20 * time.Second

// Terminal is a program in a pseudo-terminal.
type Terminal struct {
	testing.TB
	Screen  *vt.Locked
	Command *exec.Cmd
	File    *os.File
	Moved   chan struct{} // the screen changed; coalesced
	Ended   chan struct{} // closed when the program is gone and its last byte drawn
	mu      sync.Mutex
	raw     bytes.Buffer // guarded by mu
}

// Open starts a program on a screen of a size. When the test ends, so does the
// program: by SIGTERM, so that it ends what it started.
func Open(t testing.TB, command *exec.Cmd, columns, rows int) *Terminal {
	t.Helper()
	file, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	return At(t, command, file, columns, rows)
}

// At is a person at the terminal of a program that was started already: what it
// writes is read from a file, which is closed when the test ends.
func At(t testing.TB, command *exec.Cmd, file *os.File, columns, rows int) *Terminal {
	t.Helper()
	x := &Terminal{TB: t, Screen: vt.NewLocked(columns, rows, 100), Command: command, File: file, Moved: make(chan struct{}, 1), Ended: make(chan struct{})}
	go x.draw()
	t.Cleanup(x.close)
	return x
}

// draw is the terminal's side: it draws, and answers what it is asked.
func (x *Terminal) draw() {
	defer close(x.Ended)
	buffer := make([]byte, 1<<16)
	for {
		n, err := x.File.Read(buffer)
		x.mu.Lock()
		x.raw.Write(buffer[:n])
		x.mu.Unlock()
		_, _ = x.Screen.Write(buffer[:n]) // never fails
		if reply := x.Screen.Replies(); len(reply) > 0 {
			_, _ = x.File.Write(reply) // the program may be gone
		}
		select {
		case x.Moved <- struct{}{}:
		default: // a notice is waiting already
		}
		if err != nil {
			_ = x.Command.Wait() // Over looks at its code
			return
		}
	}
}

func (x *Terminal) close() {
	_ = x.Command.Process.Signal(syscall.SIGTERM) // usually ended
	select {
	case <-x.Ended:
	case <-time.After(grace):
		_ = x.Command.Process.Kill()
		x.Error("the program did not end")
	}
	_ = x.File.Close()
}

// Text is what the screen shows, a line for each row.
func (x *Terminal) Text() string {
	var b strings.Builder
	x.Screen.With(func(v *vt.Terminal) {
		_, rows := v.Size()
		for y := range rows {
			b.WriteString(ansi.Strip(v.Row(y)) + "\n")
		}
	})
	return b.String()
}

// Cell is where the screen shows a text now, from 1, as a mouse tells it.
func (x *Terminal) Cell(text string) (column, row int) {
	x.Helper()
	for y, line := range strings.Split(x.Text(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			return ansi.StringWidth(before) + 1, y + 1
		}
	}
	x.Fatalf("no %q on the screen:\n%s", text, x.Text())
	return 0, 0
}

// Raw is every byte that came.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// Wait waits until something is so that changes with the screen only.
func (x *Terminal) Wait(what string, is func() bool) {
	x.Helper()
	late := time.NewTimer(Patience)
	defer late.Stop()
	for !is() {
		select {
		case <-x.Moved:
		case <-x.Ended:
			if !is() { // the last bytes may have made it so
				x.Fatalf("the program ended without %s:\n%s", what, x.Text())
			}
			return
		case <-late.C:
			x.Fatalf("there never was %s:\n%s", what, x.Text())
		}
	}
}

// See waits until the screen shows one of the words, and returns it.
func (x *Terminal) See(words ...string) (seen string) {
	x.Helper()
	x.Wait(strings.Join(quoted(words), " or "), func() bool {
		shown := x.Text()
		i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(shown, w) })
		if i >= 0 {
			seen = words[i]
		}
		return i >= 0
	})
	return seen
}

// Gone waits until the screen does not show the words.
func (x *Terminal) Gone(words string) {
	x.Helper()
	x.Wait("a screen without "+quoted([]string{words})[0], func() bool { return !strings.Contains(x.Text(), words) })
}

// Type sends keys as the bytes of a terminal.
func (x *Terminal) Type(keys string) {
	x.Helper()
	if _, err := x.File.WriteString(keys); err != nil {
		x.Fatal(err)
	}
}

// Resize gives the terminal another size.
func (x *Terminal) Resize(columns, rows int) {
	x.Helper()
	x.Screen.Resize(columns, rows)
	if err := pty.Setsize(x.File, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		x.Fatal(err)
	}
}

// End waits until the program is gone.
func (x *Terminal) End() {
	x.Helper()
	select {
	case <-x.Ended:
	case <-time.After(Patience):
		x.Fatalf("the program does not end:\n%s", x.Text())
	}
}

// Over waits for the end and looks at what it left: its exit code, a terminal as
// it was, and no process in the directory it was started in.
func (x *Terminal) Over(code int) {
	x.Helper()
	x.End()
	if got := x.Command.ProcessState.ExitCode(); got != code {
		x.Errorf("the exit code is %d, not %d:\n%s", got, code, x.Text())
	}
	x.Screen.With(func(v *vt.Terminal) {
		if m := v.Modes(); m.AltScreen || m.BracketedPaste || m.FocusEvents || m.Mouse != vt.MouseOff || m.Kitty != 0 || !v.Cursor().Visible {
			x.Errorf("the terminal was not given back: %+v, cursor %+v", m, v.Cursor())
		}
	})
	if left := WorkingIn(x.Command.Dir); left != "" {
		x.Errorf("left behind: %s", left)
	}
}
