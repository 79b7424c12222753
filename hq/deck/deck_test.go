package deck

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"ferrus/ui/vt"
)

// patience is how long a test waits for what must come.
const patience = 2 * time.Minute

// terminal is HQ in a terminal of ours.
type terminal struct {
	*testing.T
	command *exec.Cmd
	pty     *os.File
	log     string
	mu      sync.Mutex
	moved   *sync.Cond   // something came, or it ended
	screen  *vt.Terminal // guarded by mu
	raw     bytes.Buffer // guarded by mu
	ended   bool         // guarded by mu
}

func start(t *testing.T, scene string, environ ...string) *terminal {
	t.Parallel()
	h := &terminal{T: t, log: filepath.Join(t.TempDir(), "log"), screen: vt.New(120, 40, 0)}
	h.moved = sync.NewCond(&h.mu)
	h.command = exec.Command(os.Args[0])
	h.command.Env = append(os.Environ(), "DECK_PLAY="+scene, "DECK_LOG="+h.log, "TERM=xterm-256color", "TMUX=", "DISPLAY=", "WAYLAND_DISPLAY=") // no clipboard but that of the terminal
	h.command.Env = append(h.command.Env, environ...)
	var err error
	if h.pty, err = pty.StartWithSize(h.command, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	reading := make(chan struct{})
	go func() { defer close(reading); h.read() }()
	t.Cleanup(func() {
		_ = h.command.Process.Kill()
		_ = h.pty.Close()
		<-reading
	})
	return h
}

// read feeds the screen and answers what is asked of it, as terminals do.
func (h *terminal) read() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := h.pty.Read(buffer)
		h.mu.Lock()
		h.raw.Write(buffer[:n])
		_, _ = h.screen.Write(buffer[:n])
		replies := h.screen.Replies()
		h.ended = err != nil
		h.moved.Broadcast()
		h.mu.Unlock()
		if len(replies) > 0 {
			_, _ = h.pty.Write(replies)
		}
		if err != nil {
			return
		}
	}
}

// until waits for the screen to show words.
func (h *terminal) until(words string) {
	h.Helper()
	h.wait(words, func() bool { return strings.Contains(h.text(), words) })
}

func (h *terminal) wait(what string, done func() bool) {
	h.Helper()
	late := false
	timer := time.AfterFunc(patience, func() { h.mu.Lock(); late = true; h.moved.Broadcast(); h.mu.Unlock() })
	defer timer.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !done() {
		if late || h.ended {
			h.Fatalf("waited for %q, the screen is:\n%s\nraw: %q", what, h.text(), tail(h.raw.String()))
		}
		h.moved.Wait()
	}
}

func tail(s string) string { return s[max(len(s)-2000, 0):] }

func (h *terminal) text() string {
	var b strings.Builder
	_, rows := h.screen.Size()
	for y := range rows {
		b.WriteString(ansi.Strip(h.screen.Row(y)) + "\n")
	}
	return b.String()
}

func (h *terminal) keys(text string) {
	h.Helper()
	if _, err := h.pty.WriteString(text); err != nil {
		h.Fatal(err)
	}
}

// ends waits for HQ to end, and checks that the terminal was given back.
func (h *terminal) ends(code int) string {
	h.Helper()
	done := make(chan error, 1)
	go func() { done <- h.command.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			h.Fatal(err)
		}
	case <-time.After(patience):
		h.Fatal("HQ does not end")
	}
	h.mu.Lock()
	for !h.ended {
		h.moved.Wait()
	}
	defer h.mu.Unlock()
	if got := h.command.ProcessState.ExitCode(); got != code {
		h.Errorf("exit code %d, want %d: %s", got, code, h.text())
	}
	m := h.screen.Modes()
	if m.AltScreen || m.BracketedPaste || m.FocusEvents || m.Mouse != vt.MouseOff || m.Kitty != 0 || !h.screen.Cursor().Visible {
		h.Errorf("the terminal is left with %+v, cursor %+v", m, h.screen.Cursor())
	}
	return h.logged()
}

func (h *terminal) logged() string {
	h.Helper()
	data, err := os.ReadFile(h.log)
	if err != nil {
		h.Fatal(err)
	}
	return string(data)
}

func (h *terminal) has(log string, lines ...string) {
	h.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+log, "\n"+l+"\n") {
			h.Errorf("the engine was not asked %q:\n%s", l, log)
		}
	}
}

func TestTypingReachesTheAgentAndComesBack(t *testing.T) {
	h := start(t, "work")
	h.until("2 executor  demo")
	h.keys("\x0f2")
	h.until("keys go to 2 executor")
	h.keys("hello agent")
	h.until("│hello agent")
	h.keys("\x1d")
	h.until("Tab complete")
	h.keys("/stop\r")
	h.until("all sessions were told to end")
	h.keys("/reject too slow\r")
	h.until("/reject is off: there is no submission to judge")
	h.keys("\x15/model executor bad\r")
	h.until("edit ferrus.toml: there is no model bad")
	h.keys("\x15/check --force\r")
	h.until("no state was changed")
	h.keys("\x03")
	h.until("Ctrl+C again quits and ends 1 session")
	h.keys("\x03")
	log := h.ends(0)
	h.has(log, "force", "stop", "remember /stop", "close true", "resize executor 58x25")
	if strings.Count(log, "close") != 1 {
		t.Errorf("closed more than once:\n%s", log)
	}
}

func TestHistoryAndQuitFromIdle(t *testing.T) {
	h := start(t, "idle")
	h.until("no task yet")
	h.keys("\x1b[A")
	h.until("> /status")
	h.keys("\x15/task add a retry\r")
	h.until("a supervisor starts")
	h.keys("/quit\r")
	log := h.ends(0)
	h.has(log, "want task supervisor add a retry manual=false", "close true")
}

func TestAForcedCheckCanBeCancelled(t *testing.T) {
	h := start(t, "slow")
	h.until("2 executor  demo")
	h.keys("/check --force\r")
	h.until("check  running")
	h.keys("/check --cancel\r")
	h.until("the check is cancelled")
	h.keys("\x03\x03")
	if log := h.ends(0); strings.Contains(log, "\ncancel\n") {
		t.Errorf("the gate of the task was cancelled:\n%s", log)
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			h := start(t, "work")
			h.until("2 executor  demo")
			if err := h.command.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			h.has(h.ends(0), "leave")
		})
	}
}

func TestPanicsGiveTheTerminalBack(t *testing.T) {
	for scene, words := range map[string]string{"panic": "the stage falls down", "panic-typing": "the keyboard falls down"} {
		t.Run(scene, func(t *testing.T) {
			h := start(t, scene)
			h.until("2 executor  demo")
			if scene == "panic-typing" {
				h.keys("\x0f2")
				h.until("keys go to 2 executor")
				h.keys("x")
			} else {
				h.keys("/plan\r")
			}
			h.has(h.ends(1), "leave")
			if !strings.Contains(h.raw.String(), words) {
				t.Errorf("the panic is not told: %q", tail(h.raw.String()))
			}
		})
	}
}

func TestASmallTerminalWaitsForAResize(t *testing.T) {
	h := start(t, "work")
	h.until("2 executor  demo")
	resize := func(columns, rows int) {
		h.mu.Lock()
		h.screen.Resize(columns, rows)
		h.mu.Unlock()
		if err := pty.Setsize(h.pty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
			t.Fatal(err)
		}
	}
	resize(50, 15)
	h.until("this is 50x15")
	resize(80, 24)
	h.until("2 executor  demo")
	h.keys("\x03\x03")
	h.has(h.ends(0), "resize executor 78x12")
}

func TestTheWindowHasTheState(t *testing.T) {
	h := start(t, "work")
	h.until("2 executor  demo")
	h.wait("title", func() bool { return h.screen.Title() == "ferrus play: Executing" })
	h.keys("\x03\x03")
	h.ends(0)
}

// TestTheEditorWritesThePrompt opens what is typed in $EDITOR and takes it back.
func TestTheEditorWritesThePrompt(t *testing.T) {
	h := start(t, "idle", "VISUAL=", `EDITOR=sed -i 's/short/a longer text/'`)
	h.until("no task yet")
	h.keys("/task --now short")
	h.until("--now short")
	h.keys("\x0fe")
	h.until("--now a longer text")
	h.keys("\r")
	h.until("the task is created")
	h.keys("\x03\x03")
	h.has(h.ends(0), "do create_task a longer text by person")
}

// TestAFailedEditorLeavesThePrompt says what went wrong.
func TestAFailedEditorLeavesThePrompt(t *testing.T) {
	h := start(t, "idle", "VISUAL=no-such-editor")
	h.until("no task yet")
	h.keys("/plan this")
	h.until("/plan this")
	h.keys("\x0fe")
	h.until(`the editor "no-such-editor" ended with`)
	h.until("/plan this")
	h.keys("\x03\x03")
	h.ends(0)
}

// TestNobodyIsSuspendedForEver: without a shell above there is no way back.
func TestNobodyIsSuspendedForEver(t *testing.T) {
	h := start(t, "idle")
	h.until("no task yet")
	h.keys("\x1a")
	h.until("there is no shell to go back to")
	h.keys("\x03\x03")
	h.ends(0)
}
