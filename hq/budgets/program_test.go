package budgets

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks/git/gittest"
	"ferrus/hq/benchtest"
	"ferrus/hq/host/hosttest"
)

func TestMain(m *testing.M) {
	sandbox.Main(os.Args[1:])
	if lines, ok := os.LookupEnv(agentEnv); ok {
		if err := play(lines); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if how := os.Getenv(relayEnv); how != "" {
		os.Exit(relay(how))
	}
	if os.Getenv(emptyEnv) != "" {
		_ = serveNothing() // it ends with its input
		os.Exit(0)
	}
	code := hosttest.M{Tests: m}.Run()
	if built != "" {
		_ = os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(code)
}

var (
	built     string // the program, once it is built
	buildOnce sync.Once
)

// programEnv names a program to measure instead, such as one from another commit, or one with
// symbols for a profiler.
const programEnv = "FERRUS_BUDGET_PROGRAM"

// program builds ferrus as released and returns its path.
func program(b testing.TB) string {
	b.Helper()
	if other := os.Getenv(programEnv); other != "" {
		return other
	}
	buildOnce.Do(func() {
		dir, err := os.MkdirTemp("", "ferrus-budgets-")
		if err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(dir, "ferrus")
		build := exec.Command("go", "build", "-trimpath", "-tags", "nethttpomithttp2",
			"-ldflags", "-s -w", "-o", path, "ferrus")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("go build: %v\n%s", err, out)
		}
		built = path
	})
	return built
}

// newProject creates a repository whose agents first print some lines. Mode is the sandbox's. The
// benchmarks measure the real program, so `ferrus init` sets the project up, and not package
// hqtest.
func newProject(b testing.TB, lines int, mode string) string {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "p")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	toml := fmt.Sprintf(`[checks]
commands = ["true"]
protect = false
[limits]
max_review_cycles = 1000
[sandbox]
mode = %q
[hq.supervisor]
agent = "printer"
interactive = true
[hq.executor]
agent = "printer"
interactive = true
[agent.printer]
command = ["true", "{prompt}"]
interactive_command = ["env", "%s=%d", %q]
`, mode, agentEnv, lines, os.Args[0])
	if err := os.WriteFile(filepath.Join(dir, "ferrus.toml"), []byte(toml), 0o644); err != nil {
		b.Fatal(err)
	}
	gittest.Commit(b, dir)
	run(b, dir, program(b), "init", "--yes")
	trust := open(b, dir, program(b), "trust", "--yes")
	_ = trust.command.Wait() // HQ reports a failure
	gittest.Commit(b, dir)
	return dir
}

// run runs a command that must succeed, and returns its duration.
func run(b testing.TB, dir, name string, args ...string) time.Duration {
	b.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	began := time.Now()
	out, err := command.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		b.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return took
}

// openHQ opens HQ with two sessions that are ready.
func openHQ(b testing.TB, dir string) *screen {
	b.Helper()
	b.Cleanup(func() { endHosts(b) })
	s := open(b, dir, program(b))
	s.await("F1 help")
	s.send("/supervisor\r")
	s.await("ready")
	s.send("\x1d/executor\r")
	s.awaitTwice("ready")
	s.send("\x1d")
	return s
}

// endHosts ends the sessions that a killed HQ left running.
func endHosts(b testing.TB) {
	for _, pid := range benchtest.Running(program(b)) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // its terminal's end ends the agent
	}
}

// awaitTwice waits until both panes show a word.
func (s *screen) awaitTwice(word string) {
	s.Helper()
	for strings.Count(s.read(), word) < 2 {
		select {
		case <-s.changed:
		case <-time.After(20 * time.Second):
			s.Fatalf("the screen does not show %q twice:\n%s", word, s.read())
		}
	}
}

// socketName is the name of this process's tmux server.
func socketName() string { return fmt.Sprintf("budgets-%d", os.Getpid()) }

// openTmux opens tmux with two panes side by side.
func openTmux(b testing.TB, lines int) *screen {
	b.Helper()
	agent := fmt.Sprintf("exec env %s=%d %s", agentEnv, lines, os.Args[0])
	b.Cleanup(func() { _ = exec.Command("tmux", "-L", socketName(), "kill-server").Run() })
	s := open(b, "/", "tmux", "-L", socketName(), "-f", "/dev/null", "set", "-g", "history-limit", "10000", ";",
		"new-session", agent, ";", "split-window", "-h", agent)
	s.awaitTwice("ready")
	return s
}

// openRaw opens an agent directly on the pseudo-terminal.
func openRaw(b testing.TB) *screen {
	b.Helper()
	s := open(b, "/", "env", agentEnv+"=0", os.Args[0])
	s.await("ready")
	return s
}

// tmuxMemory returns the memory of the server and its client, in MB.
func tmuxMemory() (mb float64) {
	path, _ := exec.LookPath("tmux")
	for _, pid := range benchtest.Running(path) {
		mb += benchtest.Proportional(pid)
	}
	return mb
}

// middle returns the median.
func middle(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
