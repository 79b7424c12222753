//go:build e2e

package e2e

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"ferrus/ui/termtest"
)

// patience is the time that a client gets: its start alone takes a quarter of a minute, and some
// tests start three.
const patience = 4 * time.Minute

// screen is a client in a terminal.
type screen struct{ *termtest.Terminal }

func open(t testing.TB, command *exec.Cmd, columns, rows int) *screen {
	t.Helper()
	x := termtest.Start(t, command, columns, rows)
	x.Patience = patience
	return &screen{x}
}

// typeLine types a text, waits until its end is on the screen, and presses Enter.
func (s *screen) typeLine(text string) {
	s.Helper()
	s.Type(text)
	words := strings.Fields(text)
	s.WaitFor(words[len(words)-1])
	s.Type("\r")
}

// again is the time until Enter is pressed again, because some clients take an Enter right after a
// text for part of a paste.
const again = 3 * time.Second

// ask types a line and presses Enter until the screen shows the expected result.
func (s *screen) ask(text, answer string) {
	s.Helper()
	s.typeLine(text)
	enters := time.NewTicker(again)
	defer enters.Stop()
	over := time.After(patience)
	for !strings.Contains(s.ScreenText(), answer) {
		select {
		case <-s.Changed:
		case <-enters.C:
			s.Type("\r")
		case <-s.Ended:
			s.Fatalf("the program ended and never showed %q:\n%s", answer, s.ScreenText())
		case <-over:
			s.Fatalf("the program never showed %q:\n%s", answer, s.ScreenText())
		}
	}
}
