package termtest

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// pollInterval is how often tmux is looked at, which does not report changes.
const pollInterval = 50 * time.Millisecond

// Tmux is a shell in a window of its own tmux, which ends with the test.
type Tmux struct {
	testing.TB
	socket string
}

// StartTmux starts tmux in a directory; without tmux the test is skipped.
func StartTmux(t testing.TB, dir string, columns, rows int) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	x := &Tmux{TB: t, socket: filepath.Join(dir, "tmux")}
	x.do("new-session", "-d", "-s", "termtest", "-c", dir, "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "sh")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() }) // the shell may have ended it
	return x
}

func (x *Tmux) do(args ...string) string {
	x.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		x.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// Type types text.
func (x *Tmux) Type(text string) {
	x.Helper()
	x.do("send-keys", "-t", "termtest", "-l", text)
}

// Press presses keys by the names that tmux has for them: Enter, F3, C-o, M-2.
func (x *Tmux) Press(keys ...string) {
	x.Helper()
	x.do(append([]string{"send-keys", "-t", "termtest"}, keys...)...)
}

// Paste pastes text, in brackets where the program asked for them.
func (x *Tmux) Paste(text string) {
	x.Helper()
	x.do("set-buffer", text)
	x.do("paste-buffer", "-p", "-t", "termtest")
}

// ScreenText returns what the window shows.
func (x *Tmux) ScreenText() string {
	x.Helper()
	return x.do("capture-pane", "-p", "-t", "termtest")
}

// WaitFor waits until the window shows words.
func (x *Tmux) WaitFor(words string) {
	x.Helper()
	x.wait(words, true)
}

// WaitGone waits until it does not.
func (x *Tmux) WaitGone(words string) {
	x.Helper()
	x.wait(words, false)
}

func (x *Tmux) wait(words string, shown bool) {
	x.Helper()
	tick, late := time.NewTicker(pollInterval), time.NewTimer(Patience)
	defer tick.Stop()
	defer late.Stop()
	for strings.Contains(x.ScreenText(), words) != shown {
		select {
		case <-tick.C:
		case <-late.C:
			x.Fatalf("waited for %q to be shown (%v):\n%s", words, shown, x.ScreenText())
		}
	}
}
