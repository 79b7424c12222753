package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/ui/termtest"
)

// asking starts ferrus at a terminal that already has typed as input.
func asking(t *testing.T, dir, typed string, args ...string) *termtest.Terminal {
	t.Helper()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	signal := filepath.Join(t.TempDir(), "go")
	script := `echo ready; until test -e "$0"; do sleep 0.01; done; exec ferrus "$@"`
	command := exec.Command("sh", append([]string{"-c", script, signal}, args...)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "TERM=xterm-256color", "FERRUS_PROJECT=", "FERRUS_NONCE=")
	x := termtest.Start(t, command, 120, 40)
	x.WaitFor("ready")
	if typed != "" {
		x.Type(typed)
		x.WaitFor(strings.TrimSpace(typed)) // the terminal echoes what it has
	}
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return x
}

// A line typed before a question does not answer it, and a line that is neither yes nor no repeats
// the question.
func TestATypedLineAnswersNoLaterQuestion(t *testing.T) {
	t.Parallel()
	dir, _ := fresh(t)
	x := asking(t, dir, "n\r", "init")
	x.WaitFor("use them? [Y/n]")
	x.Type("/task --now fix it\r")
	x.WaitFor("please answer y or n")
	x.Type("y\r")
	x.WaitExit(0)
	if text := content(dir, "ferrus.toml"); !strings.Contains(text, `"go vet ./..."`) {
		t.Errorf("a typed line said no:\n%s", text)
	}
	toml := []byte("[checks]\ncommands = [\"true\"]\n")
	if err := os.WriteFile(filepath.Join(dir, "ferrus.toml"), toml, 0o600); err != nil {
		t.Fatal(err)
	}
	x = asking(t, dir, "y\r", "trust")
	x.WaitFor("trust these commands? [y/N]")
	x.Type("\x1b[?62;22c\x1b]11;rgb:0000/0000/0000\x1b\\\x1bP>|term 1\x1b\\n\r") // what a terminal answers late
	x.WaitExit(3)
	x.WaitFor("the check commands are not trusted")
}

// If you refuse the proposed check commands, none are written.
func TestInitAsksForTheChecks(t *testing.T) {
	t.Parallel()
	dir, _ := fresh(t)
	x := asking(t, dir, "", "init")
	x.WaitFor("use them? [Y/n]")
	x.Type("n\r")
	x.WaitExit(0)
	if text := content(dir, "ferrus.toml"); !strings.Contains(text, "commands = []") {
		t.Errorf("refused checks were written:\n%s", text)
	}
}

// Ctrl+C at a question ends the program, also where it would otherwise only cancel what is under way.
func TestCtrlCAtAQuestion(t *testing.T) {
	t.Parallel()
	dir, _ := fresh(t)
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	gittest.Commit(t, dir)
	gittest.Run(t, dir, "update-ref", "refs/ferrus/kept/t-gone", "HEAD")
	x := asking(t, dir, "", "init", "--yes")
	x.WaitExit(0)
	x = asking(t, dir, "", "gc")
	x.WaitFor("free it? [y/N]")
	x.Type("\x03")
	x.WaitEnd()
	status, ok := x.Command.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, want by SIGINT", x.Command.ProcessState)
	}
	gittest.Run(t, dir, "rev-parse", "--verify", "--quiet", "refs/ferrus/kept/t-gone")
}
