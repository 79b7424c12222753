package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"ferrus/hq"
	"ferrus/hq/demo"
	"ferrus/store"
	"ferrus/ui/vt"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// terminal is ferrus in a pseudo-terminal that the test reads and types into.
type terminal struct {
	t       testing.TB
	screen  *vt.Locked
	file    *os.File
	command *exec.Cmd
	wrote   chan struct{} // the screen changed; coalesced
	ended   chan error    // the command's end, after its last byte
}

func open120(t testing.TB, dir string, args ...string) *terminal {
	t.Helper()
	return openSized(t, dir, 120, 40, args...)
}

func openSized(t testing.TB, dir string, columns, rows int, args ...string) *terminal {
	t.Helper()
	return openWith(t, dir, columns, rows, nil, args...)
}

// openWith adds to the environment.
func openWith(t testing.TB, dir string, columns, rows int, env []string, args ...string) *terminal {
	t.Helper()
	x := &terminal{t: t, screen: vt.NewLocked(columns, rows, 100), wrote: make(chan struct{}, 1), ended: make(chan error, 1)}
	x.command = exec.Command("ferrus", args...)
	x.command.Dir = dir
	x.command.Env = append(os.Environ(), "TERM=xterm-256color", "FERRUS_PROJECT=", "FERRUS_NONCE=")
	x.command.Env = append(x.command.Env, env...)
	var err error
	if x.file, err = pty.StartWithSize(x.command, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	go x.copy()
	t.Cleanup(func() {
		x.command.Process.Kill() //nolint:errcheck // usually ended
		x.file.Close()
	})
	return x
}

// copy is the terminal's end: it draws, and answers what it is asked.
func (x *terminal) copy() {
	buffer := make([]byte, 1<<16)
	for {
		n, err := x.file.Read(buffer)
		x.screen.Write(buffer[:n]) //nolint:errcheck // never fails
		if reply := x.screen.Replies(); len(reply) > 0 {
			x.file.Write(reply) //nolint:errcheck // the program may be gone
		}
		select {
		case x.wrote <- struct{}{}:
		default:
		}
		if err != nil {
			x.ended <- x.command.Wait()
			return
		}
	}
}

func (x *terminal) text() string {
	var b strings.Builder
	x.screen.With(func(s *vt.Terminal) {
		_, rows := s.Size()
		for y := range rows {
			b.WriteString(ansi.Strip(s.Row(y)) + "\n")
		}
	})
	return b.String()
}

// see waits until the screen says something.
func (x *terminal) see(words string) {
	x.t.Helper()
	end := time.After(patience)
	for !strings.Contains(x.text(), words) {
		select {
		case <-x.wrote:
		case err := <-x.ended:
			x.t.Fatalf("ferrus ended (%v) and never showed %q:\n%s", err, words, x.text())
		case <-end:
			x.t.Fatalf("the screen never showed %q:\n%s", words, x.text())
		}
	}
}

func (x *terminal) typed(keys string) {
	x.t.Helper()
	if _, err := x.file.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// over waits for the end and looks at what it left: a terminal as it was, and
// no process.
func (x *terminal) over(code int) {
	x.t.Helper()
	select {
	case <-x.ended:
	case <-time.After(patience):
		x.t.Fatalf("ferrus does not end:\n%s", x.text())
	}
	if got := x.command.ProcessState.ExitCode(); got != code {
		x.t.Errorf("the exit code is %d, not %d:\n%s", got, code, x.text())
	}
	x.screen.With(func(s *vt.Terminal) {
		if m := s.Modes(); m.AltScreen || m.BracketedPaste || m.FocusEvents || m.Mouse != vt.MouseOff || m.Kitty != 0 || !s.Cursor().Visible {
			x.t.Errorf("the terminal was not given back: %+v, cursor %+v", m, s.Cursor())
		}
	})
	if left := workingIn(x.command.Dir); left != "" {
		x.t.Errorf("left behind: %s", left)
	}
}

// state is the task's state on disk.
func state(t *testing.T, dir string) hq.World {
	t.Helper()
	d, err := store.Open[hq.World](dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s.World
}

// TestHQPlaysTheStory drives the demo to Complete by typing.
func TestHQPlaysTheStory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	x.see("executor asks: Should retries apply to POST too?")
	x.typed("No, only GET and HEAD.\r")
	x.see("● Complete")
	x.typed("\x03\x03")
	x.over(0)
	if w := state(t, dir); w.State != "Complete" || w.Hold != nil {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}
}

// TestHQAnswersByItself is the demo with --auto: nothing is typed until the end.
func TestHQAnswersByItself(t *testing.T) {
	t.Parallel()
	x := open120(t, t.TempDir(), "demo", "--dir", ".", "--speed", "0", "--auto")
	x.see("● Complete")
	x.typed("\x03\x03") // it would ask while the reviewer still ends
	x.over(0)
}

// TestHQGivesTheTerminalBackOnSIGTERM ends HQ as a closing machine would: the
// task stays open and nothing holds it.
func TestHQGivesTheTerminalBackOnSIGTERM(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	x.see("executor asks:")
	if err := x.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	x.over(0)
	if w := state(t, dir); w.State != "AwaitingHuman" || w.Hold != nil {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}

	// The next HQ goes on by itself; leaving it holds the task.
	x = open120(t, dir)
	x.see("executor asks:")
	x.typed("/quit\r")
	x.typed("y")
	x.over(0)
	if w := state(t, dir); w.State != "AwaitingHuman" || w.Hold == nil || w.Hold.Reason != "quit" {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}
}

// TestHQGoesOnWhenFerrusComesBack takes .ferrus away under HQ, which says so, and
// goes on where it was when it is there again.
func TestHQGoesOnWhenFerrusComesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	x.see("executor asks: Should retries apply to POST too?")
	ferrus := filepath.Join(dir, ".ferrus")
	if err := os.Rename(ferrus, ferrus+".away"); err != nil {
		t.Fatal(err)
	}
	x.see("there is no .ferrus/STATE.json")
	x.see("PROBLEM")
	if err := os.Rename(ferrus+".away", ferrus); err != nil {
		t.Fatal(err)
	}
	x.see("executor asks: Should retries apply to POST too?")
	x.typed("No, only GET and HEAD.\r")
	x.see("● Complete")
	x.typed("\x03\x03")
	x.over(0)
	if w := state(t, dir); w.State != "Complete" || w.Hold != nil {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}
}

// TestSecondHQIsRefused names the first by its number.
func TestSecondHQIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := demo.Scaffold(dir); err != nil {
		t.Fatal(err)
	}
	first := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	first.see("executor asks:")
	second := open120(t, dir)
	second.see("HQ or ferrus run is already running here: process " + strconv.Itoa(first.command.Process.Pid))
	<-second.ended
	if code := second.command.ProcessState.ExitCode(); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
	first.typed("\x03\x03")
	first.over(0)
}

// TestHQThroughTmux reads the same story off another terminal's screen.
func TestHQThroughTmux(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir := t.TempDir()
	ferrus, err := exec.LookPath("ferrus")
	if err != nil {
		t.Fatal(err)
	}
	tmux := func(args ...string) string {
		c := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "tmux"), "-f", "/dev/null"}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	see := func(words string) {
		t.Helper()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for end := time.After(patience); ; {
			shown := tmux("capture-pane", "-p", "-t", "hq")
			if strings.Contains(shown, words) {
				return
			}
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("tmux never showed %q:\n%s", words, shown)
			}
		}
	}
	story := filepath.Join(dir, "story")
	tmux("new-session", "-d", "-s", "hq", "-x", "100", "-y", "30", "sh")
	t.Cleanup(func() { exec.Command("tmux", "-S", filepath.Join(dir, "tmux"), "kill-server").Run() }) //nolint:errcheck // ends with the session
	tmux("send-keys", "-t", "hq", "-l", ferrus+" demo --dir "+story+" --speed 0")
	tmux("send-keys", "-t", "hq", "Enter")
	see("executor asks:")
	tmux("send-keys", "-t", "hq", "C-z")
	see("Stopped")
	tmux("send-keys", "-t", "hq", "-l", "fg; echo it ended with $?")
	tmux("send-keys", "-t", "hq", "Enter")
	see("executor asks:")
	tmux("send-keys", "-t", "hq", "-l", "No, only GET and HEAD.")
	tmux("send-keys", "-t", "hq", "Enter")
	see("● Complete")
	tmux("send-keys", "-t", "hq", "C-c", "C-c")
	see("it ended with 0")
	if w := state(t, story); w.State != "Complete" {
		t.Errorf("the task is %s", w.State)
	}
	if left := workingIn(story); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// workingIn names a process that works in a directory.
func workingIn(dir string) string {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, d := range all {
		if at, err := os.Readlink(d); err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(d), "cmdline"))
			return filepath.Dir(d) + " " + string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return ""
}
