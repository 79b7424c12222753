package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ferrus/hq/core"
	"ferrus/store"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

func open120(t testing.TB, dir string, args ...string) *termtest.Terminal {
	t.Helper()
	return openSized(t, dir, 120, 40, args...)
}

func openSized(t testing.TB, dir string, columns, rows int, args ...string) *termtest.Terminal {
	t.Helper()
	return openWith(t, dir, columns, rows, nil, args...)
}

// openWith adds to the environment.
func openWith(t testing.TB, dir string, columns, rows int, env []string, args ...string) *termtest.Terminal {
	t.Helper()
	if testing.Short() && t.Name() != "TestHQPlaysTheStory" && t.Name() != "TestGuideSetsUp" {
		t.Skip("short: it opens a screen, for which TestHQPlaysTheStory and TestGuideSetsUp stand")
	}
	command := exec.Command("ferrus", args...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "FERRUS_PROJECT=",
		"FERRUS_NONCE="), env...)
	return termtest.Start(t, command, columns, rows)
}

// state returns the task's state on disk.
func state(t *testing.T, dir string) core.World {
	t.Helper()
	d, err := store.Open[core.World](dir, store.UserHeads())
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
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	x := open120(t, dir, "demo", "--dir", ".", "--speed", "0")
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.Type("No, only GET and HEAD.\r")
	x.WaitFor("● Complete")
	x.Type("\x03\x03")
	x.WaitExit(0)
	if w := state(t, dir); w.State != "Complete" || w.Hold != nil {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}
}

// TestHQAnswersByItself runs the demo with --auto: nothing is typed until the end.
func TestHQAnswersByItself(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	x := open120(t, t.TempDir(), "demo", "--dir", ".", "--speed", "0", "--auto")
	x.WaitFor("● Complete")
	x.Type("\x03\x03") // it would ask while the reviewer still ends
	x.WaitExit(0)
}

// TestHQGivesTheTerminalBackOnSIGTERM ends HQ as a machine that shuts down would: the task stays
// open, without a hold.
func TestHQGivesTheTerminalBackOnSIGTERM(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	x := open120(t, dir)
	x.WaitFor("executor asks:")
	if err := x.Command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	x.WaitExit(0)
	if w := state(t, dir); w.State != "AwaitingHuman" || w.Hold != nil {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}

	// The next HQ continues by itself; quitting it puts the task on hold.
	x = open120(t, dir)
	x.WaitFor("executor asks:")
	x.Type("/quit\r")
	x.Type("y")
	x.WaitExit(0)
	if w := state(t, dir); w.State != "AwaitingHuman" || w.Hold == nil || w.Hold.Reason != "quit" {
		t.Errorf("the task is %s, held %v", w.State, w.Hold)
	}
}

// TestHQGoesOnWhenFerrusComesBack removes .ferrus while HQ runs; HQ says so, and
// continues once it is back.
func TestHQGoesOnWhenFerrusComesBack(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	x := open120(t, dir)
	x.WaitFor("executor asks: Should retries apply to POST too?")
	ferrus := filepath.Join(dir, ".ferrus")
	if err := os.Rename(ferrus, ferrus+".away"); err != nil {
		t.Fatal(err)
	}
	x.WaitFor(".ferrus/STATE.json; run: ferrus") // and init, on the next line where the name is long
	x.WaitFor("PROBLEM")
	if err := os.Rename(ferrus+".away", ferrus); err != nil {
		t.Fatal(err)
	}
	x.WaitFor("executor asks: Should retries apply to POST too?")
	x.Type("No, only GET and HEAD.\r")
	x.Wait("the executor submits", func() bool { return state(t, dir).Submission != nil })
	x.Type("\x03\x03")
	x.WaitExit(0)
}

// TestHQThroughTmux reads a question from another terminal's screen, and answers it there.
func TestHQThroughTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads the screen through tmux")
	}
	t.Parallel()
	dir := t.TempDir()
	ferrus, err := exec.LookPath("ferrus")
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "project")
	createAskedTask(t, project)
	x := termtest.StartTmux(t, dir, 100, 30)
	x.Type("(cd " + project + " && exec " + ferrus + ")\n")
	x.WaitFor("executor asks:")
	x.Press("C-z")
	x.WaitFor("Stopped")
	x.Type("fg; echo it ended with $?\n")
	x.WaitFor("executor asks:")
	x.Type("No, only GET and HEAD.")
	x.Press("Enter")
	x.WaitFor("Answered")
	x.Press("C-c", "C-c")
	x.WaitFor("it ended with 0")
	if left := termtest.ProcessIn(project); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// HQ's debug log says what happened, and contains no secret, not even from an agent's last output.
func TestDebugLogOfHQ(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	secret := `pass "word" of 5f3a91c2`
	dir, env := echoProject(t, "")
	toml := strings.Replace(content(dir, "ferrus.toml"), "[session]", "[session]\nmax_consecutive_errors = 1", 1)
	agent := "echo \"the password is $SERVICE_PASSWORD\"; exit 7\n"
	for name, text := range map[string]string{"ferrus.toml": toml, "../agent.sh": agent} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := openWith(t, dir, 120, 40, append(env, "SERVICE_PASSWORD="+secret), "--debug")
	x.WaitFor("No task yet")
	x.Type("/task --now Do the work for acme\r")
	x.WaitFor("HOLD")
	x.Type("\x03\x03")
	x.WaitExit(0)
	x.WaitFor("debug log: .ferrus/logs/debug_")
	logs, err := filepath.Glob(filepath.Join(dir, ".ferrus", "logs", "debug_*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("the logs are %v, %v", logs, err)
	}
	text := content(filepath.Dir(logs[0]), filepath.Base(logs[0]))
	for _, words := range []string{"msg=start", "event=create_task", "slot=executor", "the password is [redacted]",
		"msg=end"} {
		if !strings.Contains(text, words) {
			t.Errorf("the log lacks %q:\n%s", words, text)
		}
	}
	for _, words := range []string{"5f3a91c2", "acme"} {
		if strings.Contains(text, words) {
			t.Errorf("the log has %q:\n%s", words, text)
		}
	}
}
