package tui

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"ferrus/ui/termtest"
	"ferrus/ui/vt"
)

// hqTest is HQ in our terminal, with a stage of fakes.
type hqTest struct {
	*termtest.Terminal
	log string
}

func start(t *testing.T, scene string, environ ...string) *hqTest {
	t.Parallel()
	h, command := prepare(t, scene, environ...)
	h.Terminal = termtest.Start(t, command, 120, 40)
	return h
}

// ends waits for HQ to end, checks that the terminal was restored, and returns the calls to the
// engine.
func (h *hqTest) ends(code int) string {
	h.Helper()
	h.WaitExit(code)
	return h.logged()
}

// shows reports whether the screen shows words now.
func (h *hqTest) shows(words string) bool { return strings.Contains(h.ScreenText(), words) }

func (h *hqTest) logged() string {
	h.Helper()
	data, err := os.ReadFile(h.log)
	if err != nil {
		h.Fatal(err)
	}
	return string(data)
}

func (h *hqTest) has(log string, lines ...string) {
	h.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+log, "\n"+l+"\n") {
			h.Errorf("the engine was not asked %q:\n%s", l, log)
		}
	}
}

func TestTypingReachesTheAgentAndComesBack(t *testing.T) {
	h := start(t, "work")
	h.WaitFor("2 executor  demo")
	h.Type("\x0f2")
	h.WaitFor("Keys go to 2 executor")
	h.Type("hello agent")
	h.WaitFor("│hello agent")
	h.Type("\x1d")
	h.WaitFor("/ commands")
	h.Type("/stop\r")
	h.WaitFor("Stop?")
	h.Type("y")
	h.WaitFor("Stopping all sessions")
	h.Type("/reject too slow\r")
	h.WaitFor("/reject is not available: there is no submission to review")
	h.Type("\x15/model executor bad\r")
	h.WaitFor("Edit ferrus.toml: there is no model bad")
	h.Type("\x15/check --force\r")
	h.WaitFor("Check finished")
	h.Type("\x03")
	h.WaitFor("Ctrl+C again quits and stops 1 session")
	h.Type("\x03")
	log := h.ends(0)
	h.has(log, "force", "stop", "history /stop", "close true", "resize executor 118x25")
	if strings.Count(log, "close") != 1 {
		t.Errorf("closed more than once:\n%s", log)
	}
}

func TestHistoryAndQuitFromIdle(t *testing.T) {
	h := start(t, "idle")
	h.WaitFor("No task yet")
	h.Type("\x1b[A")
	h.WaitFor("> /status")
	h.Type("\x15/task add a retry\r")
	h.WaitFor("A supervisor starts")
	h.Type("/quit\r")
	log := h.ends(0)
	h.has(log, "want task supervisor add a retry manual=false", "close true")
}

func TestAForcedCheckCanBeCancelled(t *testing.T) {
	h := start(t, "slow")
	h.WaitFor("2 executor  demo")
	h.Type("/check --force\r")
	h.WaitFor("check  running")
	h.Type("/check --cancel\r")
	h.WaitFor("The check is cancelled")
	h.Type("\x03\x03")
	if log := h.ends(0); strings.Contains(log, "\ncancel\n") {
		t.Errorf("the gate of the task was cancelled:\n%s", log)
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it starts HQ")
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			h := start(t, "work")
			h.WaitFor("2 executor  demo")
			if err := h.Command.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			h.has(h.ends(0), "detach")
		})
	}
}

func TestPanicsGiveTheTerminalBack(t *testing.T) {
	for scene, words := range map[string]string{"panic": "the engine falls down",
		"panic-typing": "the keyboard falls down"} {
		t.Run(scene, func(t *testing.T) {
			h := start(t, scene)
			h.WaitFor("2 executor  demo")
			if scene == "panic-typing" {
				h.Type("\x0f2")
				h.WaitFor("Keys go to 2 executor")
				h.Type("x")
			} else {
				h.Type("/plan\r")
			}
			h.has(h.ends(1), "detach")
			if !strings.Contains(h.Raw(), words) {
				t.Errorf("the panic is not told: %q", h.Raw())
			}
		})
	}
}

func TestASmallTerminalWaitsForAResize(t *testing.T) {
	h := start(t, "work")
	h.WaitFor("2 executor  demo")
	h.Resize(50, 15)
	h.WaitFor("this is 50x15")
	h.Resize(80, 24)
	h.WaitFor("2 executor  demo")
	h.Type("\x03\x03")
	h.has(h.ends(0), "resize executor 78x12")
}

func TestTheWindowHasTheState(t *testing.T) {
	h := start(t, "work")
	h.WaitFor("2 executor  demo")
	h.Wait("the title", func() (is bool) {
		h.Screen.With(func(v *vt.Terminal) { is = v.Title() == "ferrus play: Executing" })
		return is
	})
	h.Type("\x03\x03")
	h.ends(0)
}

// TestTheEditorWritesThePrompt opens the prompt's text in $EDITOR and takes the result.
func TestTheEditorWritesThePrompt(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	h := start(t, "idle", "VISUAL=", `EDITOR=sed -i 's/short/a longer text/'`)
	h.WaitFor("No task yet")
	h.Type("/task --now short")
	h.WaitFor("--now short")
	h.Type("\x0fe")
	h.WaitFor("--now a longer text")
	h.Type("\r")
	h.WaitFor("Created")
	h.Type("\x03\x03")
	h.has(h.ends(0), "do create_task a longer text by human")
}

// TestAFailedEditorLeavesThePrompt checks that the prompt is kept and the error shown.
func TestAFailedEditorLeavesThePrompt(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	h := start(t, "idle", "VISUAL=no-such-editor")
	h.WaitFor("No task yet")
	h.Type("/plan this")
	h.WaitFor("/plan this")
	h.Type("\x0fe")
	h.WaitFor(`The editor "no-such-editor" ended with`)
	h.WaitFor("/plan this")
	h.Type("\x03\x03")
	h.ends(0)
}

// TestNobodyIsSuspendedForEver checks that HQ is not suspended without a parent shell that could
// continue it.
func TestNobodyIsSuspendedForEver(t *testing.T) {
	h := start(t, "idle")
	h.WaitFor("No task yet")
	h.Type("\x1a")
	h.WaitFor("here is no shell to return to")
	h.Type("\x03\x03")
	h.ends(0)
}

// TestTheKeysOfTheLinuxConsole opens the help with the console's F1.
func TestTheKeysOfTheLinuxConsole(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	h := start(t, "idle", "TERM=linux")
	h.WaitFor("No task yet")
	h.Type("\x1b[[A")
	h.WaitFor("a supervisor plans: specs and tasks")
	h.Type("\x1b")
	h.WaitGone("a supervisor plans: specs and tasks")
	h.Type("x")
	h.WaitFor("> x")
	h.Type("\x03\x03")
	h.ends(0)
}
