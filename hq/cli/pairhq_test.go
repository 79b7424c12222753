package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ferrus/store/longtest"
)

// pairRepository returns a repository with two agents that only read and print. A file named hold
// keeps them waiting; each records its prompts.
func pairRepository(t *testing.T) (dir string, env []string) {
	t.Helper()
	root := t.TempDir()
	dir = filepath.Join(root, "app")
	files := map[string]string{
		"app/ferrus.toml": `[checks]
commands = ["test -s work.txt"]
[session]
grace_secs = 1
[hq.executor]
agent = "one"
[hq.supervisor]
agent = "other"
[agent.one]
command = ["sh", "../agent.sh", "one", "{prompt}"]
[agent.other]
command = ["sh", "../agent.sh", "other", "{prompt}"]
`,
		"agent.sh": `n=$(($(cat ../$1.n 2>/dev/null || echo 0) + 1))
echo $n >../$1.n
printf '%s\n' "$2" >../$1.$n.prompt
echo "$1 sits in turn $n"
while test -e ../hold; do sleep 0.1; done
nonce=$(printf '%s\n' "$2" | sed -n 's/^- .[A-Z]* \([0-9a-f]*\).*/\1/p' | head -n 1)
case $1 in
one) echo good >work.txt; echo DONE $nonce ;;
other) echo PASS $nonce ;;
esac
`,
		"hold": "",
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env = []string{"XDG_STATE_HOME=" + filepath.Join(root, "state"), "XDG_CONFIG_HOME=" + filepath.Join(root, "config")}
	for _, args := range [][]string{{"git", "init", "--quiet"}, {"ferrus", "init", "--yes"},
		{"ferrus", "trust", "--yes"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return dir, env
}

// TestHQPlaysAPair starts a pair, sends it a message, kills it together with HQ, continues it,
// stops it and continues it again, all by typing.
func TestHQPlaysAPair(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := pairRepository(t)
	first := openWith(t, dir, 120, 40, env)
	first.WaitFor("No task yet")
	first.Type("/pair Write work.txt.\r")
	first.WaitFor("● pair working")
	first.WaitFor("one sits in turn 1")
	first.WaitFor("waits for its turn")
	first.Type("/tell primary Mind the gap.\r")
	first.WaitFor("Message sent; the primary reads it in its next turn")
	first.Type("/task --now Another.\r")
	first.WaitFor("/task is not available: a pair is running")
	first.Type("\x15/executor\r")
	first.WaitFor("A pair is already running here: process " + strconv.Itoa(first.Command.Process.Pid))
	if err := first.Command.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-first.Ended

	second := openWith(t, dir, 120, 40, env)
	second.WaitFor("Resumed the interrupted pair")
	second.WaitFor("one sits in turn 2")
	second.WaitFor("init -> working")
	second.Type("/stop\r")
	second.WaitFor("Stop?")
	second.Type("y")
	second.WaitFor("the pair was stopped; its run is kept")
	second.WaitFor("● pair stopped")
	second.Type("/resume\r")
	second.WaitFor("one sits in turn 3")
	if err := os.Remove(filepath.Join(dir, "..", "hold")); err != nil {
		t.Fatal(err)
	}
	second.WaitFor("other sits in turn 1")
	second.WaitFor("● pair complete")
	second.WaitFor("iteration 1/20  PASS")
	second.Type("/status\r")
	second.WaitFor("state       complete, iteration 1 of 20")
	second.Type("\x03\x03")
	second.WaitExit(0)
	for n, times := range map[string]int{"one.1": 0, "one.2": 1, "one.3": 1, "other.1": 0} {
		prompt, err := os.ReadFile(filepath.Join(dir, "..", n+".prompt"))
		if err != nil || strings.Count(string(prompt), "Mind the gap.") != times {
			t.Errorf("%s got the message %d times (%v)", n, strings.Count(string(prompt), "Mind the gap."), err)
		}
	}
}

// TestHQBesideAPair checks that HQ is refused beside a running pair and names its process.
func TestHQBesideAPair(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := pairRepository(t)
	pair := openWith(t, dir, 120, 40, env, "pair", "Write work.txt.")
	pair.WaitFor("one sits in turn 1")
	screen := openWith(t, dir, 120, 40, env)
	screen.WaitFor("a pair is already running here: process " + strconv.Itoa(pair.Command.Process.Pid))
	<-screen.Ended
	if code := screen.Command.ProcessState.ExitCode(); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
	pair.Type("\x03")
	pair.WaitExit(130)
}
