//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/hq/e2e/model"
)

// bench is one repository with two clients, a scripted model and ferrus.
type bench struct {
	t      *testing.T
	ferrus string
	dir    string
	env    []string
	server *model.Server
}

// The story of the demo, told by the vendors' own programs: the gate fails once,
// the executor consults, the reviewer rejects once, the person is asked, and the
// task is complete. Each supervisor is tried with each executor in FERRUS_E2E, a
// list of supervisor+executor.
func TestLoop(t *testing.T) {
	ferrus := build(t)
	for _, pair := range strings.Fields(pairs()) {
		supervisor, executor, _ := strings.Cut(pair, "+")
		t.Run(pair, func(t *testing.T) {
			b := newBench(t, ferrus, clients[supervisor], clients[executor])
			code, out := b.run("run", model.TaskText)
			if code != 3 || !strings.Contains(out, "Which mark ends the last line?") {
				t.Fatalf("the person was not asked: exit %d\n%s\n%s", code, out, b.evidence())
			}
			if code, out := b.run("answer", "!"); code != 0 {
				t.Fatalf("answer: exit %d\n%s", code, out)
			}
			if code, out = b.run("run"); code != 0 {
				t.Fatalf("the loop did not end well: exit %d\n%s\n%s", code, out, b.evidence())
			}
			b.verify()
		})
	}
}

// pairs is what FERRUS_E2E asks for; without it one that uses two vendors.
func pairs() string {
	if s := os.Getenv("FERRUS_E2E"); s != "" {
		return s
	}
	return "claude-code+codex"
}

func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ferrus")
	if out, err := exec.Command("go", "build", "-o", path, "ferrus").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

func newBench(t *testing.T, ferrus string, supervisor, executor client) *bench {
	t.Helper()
	server, err := model.Start(model.Story)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	root := t.TempDir()
	b := &bench{t: t, ferrus: ferrus, dir: filepath.Join(root, "greeter"), server: server}
	home := filepath.Join(root, "home")
	path := []string{}
	b.env = []string{"HOME=" + home, "TMPDIR=" + filepath.Join(root, "tmp"), "TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CACHE_HOME=" + filepath.Join(root, "cache")}
	for _, c := range []client{supervisor, executor} {
		path = append(path, c.install(t))
		b.env = append(b.env, c.prepare(t, home, server.URL, b.dir)...)
	}
	b.env = append(b.env, "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)))
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.repository(supervisor.name, executor.name)
	t.Cleanup(func() { b.alone(root) })
	return b
}

func (b *bench) repository(supervisor, executor string) {
	b.t.Helper()
	write(b.t, filepath.Join(b.dir, "README.md"), "# Greeter\n")
	write(b.t, filepath.Join(b.dir, "ferrus.toml"), fmt.Sprintf(`[checks]
commands = ["grep -qx 'hello ferrus' greeting.txt"]
[hq.supervisor]
agent = %q
[hq.executor]
agent = %q
`, supervisor, executor))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "start"}} {
		if out, err := exec.Command("git", append([]string{"-C", b.dir}, args...)...).CombinedOutput(); err != nil {
			b.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if code, out := b.run("init", "--yes"); code != 0 {
		b.t.Fatalf("ferrus init: exit %d\n%s", code, out)
	}
}

// run is ferrus in the repository; its exit code and all it printed.
func (b *bench) run(args ...string) (int, string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.ferrus, args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), out.String()
	} else if err != nil {
		b.t.Fatalf("ferrus %v: %v\n%s", args, err, out.String())
	}
	return 0, out.String()
}

// verify looks at what came of it.
func (b *bench) verify() {
	b.t.Helper()
	if _, out := b.run("status", "--json"); !strings.Contains(out, `"Complete"`) {
		b.t.Errorf("the task is not Complete:\n%s", out)
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "greeting.txt"))
	if err != nil || string(text) != "hello ferrus\ngoodbye!\n" {
		b.t.Errorf("greeting.txt is %q, %v", text, err)
	}
	_, log := b.run("log")
	for _, event := range []string{"FAIL", "consult", "respond_consult", "reject", "ask_human", "answer", "approve"} {
		if !strings.Contains(log, event) {
			b.t.Errorf("the journal has no %s:\n%s", event, log)
		}
	}
	if complaints := b.server.Complaints(); len(complaints) > 0 {
		b.t.Errorf("the model missed something:\n%s", strings.Join(complaints, "\n"))
	}
}

// evidence is what helps when the story stops.
func (b *bench) evidence() string {
	var s strings.Builder
	fmt.Fprintf(&s, "complaints: %q\nrequests: %d\n", b.server.Complaints(), len(b.server.Requests()))
	logs, _ := filepath.Glob(filepath.Join(b.dir, ".ferrus", "logs", "*"))
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&s, "--- %s\n%s\n", filepath.Base(path), text[max(0, len(text)-3000):])
	}
	return s.String()
}

// alone fails when a process of this bench is left: all of them have its HOME.
func (b *bench) alone(root string) {
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, path := range entries {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte("HOME="+root)) {
			continue // another user's, or gone
		}
		pid := filepath.Base(filepath.Dir(path))
		command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		b.t.Errorf("process %s is left: %q", pid, command)
		if n, err := strconv.Atoi(pid); err == nil {
			if process, err := os.FindProcess(n); err == nil {
				process.Kill()
			}
		}
	}
}
