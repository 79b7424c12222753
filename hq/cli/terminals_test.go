package cli

import (
	"regexp"
	"strings"
	"testing"

	"ferrus/store/longtest"
	"ferrus/ui/vt"
)

// TestTerminalsThatCannotDraw checks that such terminals are refused with what to do, and that
// nothing is drawn.
func TestTerminalsThatCannotDraw(t *testing.T) {
	t.Parallel()
	for terminal, why := range map[string]string{"dumb": "TERM=dumb cannot", "": "TERM is not set"} {
		x := openWith(t, t.TempDir(), 100, 24, []string{"TERM=" + terminal})
		x.WaitEnd()
		if code := x.Command.ProcessState.ExitCode(); code != 1 {
			t.Errorf("the exit code is %d", code)
		}
		x.WaitFor("HQ needs a terminal that can position the cursor, and " + why)
		x.WaitFor("TERM=xterm-256color ferrus")
		x.WaitFor(`ferrus run "task text" works without one`)
	}
}

// TestOtherTerminals runs the story where a terminal has few characters or few colors, and examines
// the screen that remains.
func TestOtherTerminals(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for _, c := range []struct {
		name        string
		environ     []string
		has, hasNot string
		frame       string
	}{
		{"the Linux console", []string{"TERM=linux"}, "─│•", "╭╮╰╯●…▸", "┌"},
		{"no UTF-8", []string{"TERM=xterm", "LC_ALL=C"}, "-|*", "─│╭●…", "+"},
		{"16 colours", []string{"TERM=xterm", "COLORTERM="}, "─│●", "�", "╭"},
		{"no colour", []string{"NO_COLOR=please"}, "─│●", "�", "╭"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			createAskedTask(t, dir)
			x := openWith(t, dir, 100, 30, c.environ)
			x.WaitFor("executor asks: Should retries apply to POST too?")
			text := x.ScreenText()
			if i := strings.IndexAny(text, c.hasNot); i >= 0 {
				t.Errorf("it shows %q:\n%s", text[i:i+3], text)
			}
			for _, r := range c.has + c.frame {
				if !strings.ContainsRune(text, r) {
					t.Errorf("it does not show %q:\n%s", r, text)
				}
			}
			x.Screen.With(func(s *vt.Terminal) { shades(t, s, c.name == "no colour") })
			if i := strings.Index(x.Raw(), "\x1b]"); i >= 0 && c.name == "the Linux console" {
				t.Errorf("it is sent %q", x.Raw()[i:min(i+20, len(x.Raw()))])
			}
			x.Type("No, only GET and HEAD.\r")
			x.Wait("the executor submits", func() bool { return state(t, dir).Submission != nil })
			x.Type("\x03\x03")
			x.WaitExit(0)
		})
	}
}

var (
	colour = regexp.MustCompile(`\x1b\[[0-9;]*\b[34]8;[0-9;]*`)
	few    = regexp.MustCompile(`^\x1b\[[0-9;]*\b[34]8;5;(1[0-5]|[0-9])$`)
)

// shades finds colors that the terminal does not have.
func shades(t *testing.T, s *vt.Terminal, none bool) {
	_, rows := s.Size()
	for y := range rows {
		for _, c := range colour.FindAllString(s.Row(y), -1) {
			if none || !few.MatchString(c) {
				t.Errorf("a colour that is not there: %q in %q", c, s.Row(y))
			}
		}
	}
}
