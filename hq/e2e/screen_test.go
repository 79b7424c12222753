//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"ferrus/ui/vt"
)

// patience is how long a test waits for what must come to the screen.
const patience = 90 * time.Second

// screen is a program in a pseudo-terminal that a test reads and types into, as a
// person would.
type screen struct {
	t        testing.TB
	terminal *vt.Locked
	file     *os.File
	command  *exec.Cmd
	wrote    chan struct{} // the screen changed; coalesced
	ended    chan struct{} // closed when the program is gone and its last byte drawn
}

func open(t testing.TB, command *exec.Cmd, columns, rows int) *screen {
	t.Helper()
	s := &screen{t: t, terminal: vt.NewLocked(columns, rows, 100), command: command, wrote: make(chan struct{}, 1), ended: make(chan struct{})}
	var err error
	if s.file, err = pty.StartWithSize(command, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	go s.draw()
	t.Cleanup(func() {
		s.close()
		s.file.Close()
	})
	return s
}

// draw is the terminal's side: it draws, and answers what it is asked.
func (s *screen) draw() {
	defer close(s.ended)
	buffer := make([]byte, 1<<16)
	for {
		n, err := s.file.Read(buffer)
		s.terminal.Write(buffer[:n]) //nolint:errcheck // never fails
		if reply := s.terminal.Replies(); len(reply) > 0 {
			s.file.Write(reply) //nolint:errcheck // the program may be gone
		}
		select {
		case s.wrote <- struct{}{}:
		default: // a notice is waiting already
		}
		if err != nil {
			s.command.Wait() //nolint:errcheck // its exit code is looked at
			return
		}
	}
}

// close ends a program that still runs, so that it ends what it started.
func (s *screen) close() {
	s.command.Process.Signal(syscall.SIGTERM) //nolint:errcheck // usually ended
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		s.command.Process.Kill() //nolint:errcheck // it did not listen
		s.t.Error("the program did not end")
	}
}

func (s *screen) text() string {
	var b strings.Builder
	s.terminal.With(func(v *vt.Terminal) {
		_, rows := v.Size()
		for y := range rows {
			b.WriteString(ansi.Strip(v.Row(y)) + "\n")
		}
	})
	return b.String()
}

// see waits until the screen shows one of the words, and returns it.
func (s *screen) see(words ...string) string {
	s.t.Helper()
	over := time.After(patience)
	for {
		shown := s.text()
		for _, w := range words {
			if strings.Contains(shown, w) {
				return w
			}
		}
		select {
		case <-s.wrote:
		case <-s.ended:
			s.t.Fatalf("ended, and never showed %q:\n%s", words, s.text())
		case <-over:
			s.t.Fatalf("never showed %q:\n%s", words, s.text())
		}
	}
}

// gone waits until the screen no longer shows the words.
func (s *screen) gone(words string) {
	s.t.Helper()
	over := time.After(patience)
	for strings.Contains(s.text(), words) {
		select {
		case <-s.wrote:
		case <-s.ended:
			s.t.Fatalf("ended, and showed %q to the end:\n%s", words, s.text())
		case <-over:
			s.t.Fatalf("still shows %q:\n%s", words, s.text())
		}
	}
}

// keys sends bytes as a terminal would.
func (s *screen) keys(keys string) {
	s.t.Helper()
	if _, err := s.file.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// line types a text, waits until its end is on the screen, and sends it.
func (s *screen) line(text string) {
	s.t.Helper()
	s.keys(text)
	words := strings.Fields(text)
	s.see(words[len(words)-1])
	s.keys("\r")
}

// again is how long a client has to take an Enter before it is pressed again: some
// take one that comes right after a text for a part of something pasted.
const again = 3 * time.Second

// ask types a line and presses Enter until the screen shows what must come of it.
func (s *screen) ask(text, answer string) {
	s.t.Helper()
	s.line(text)
	enters := time.NewTicker(again)
	defer enters.Stop()
	over := time.After(patience)
	for !strings.Contains(s.text(), answer) {
		select {
		case <-s.wrote:
		case <-enters.C:
			s.keys("\r")
		case <-s.ended:
			s.t.Fatalf("ended, and never showed %q:\n%s", answer, s.text())
		case <-over:
			s.t.Fatalf("never showed %q:\n%s", answer, s.text())
		}
	}
}
