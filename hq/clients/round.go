package clients

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
	"syscall"
	"time"

	"github.com/creack/pty"

	"ferrus/agent"
	"ferrus/agent/program"
	"ferrus/checks/git"
	"ferrus/hq/clients/model"
	"ferrus/hq/core"
	"ferrus/machine/task"
	"ferrus/store"
)

// round is a repository with a home, in which ferrus runs one client.
type round struct {
	ferrus, root string
	env          []string
	model        *model.Server
	result       *Result
}

// play fills a result.
func play(ctx context.Context, o Options, result *Result) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	defer func() { result.Took = seconds(time.Since(began)) }()
	server, err := model.Start(model.Round)
	if err != nil {
		result.Failure = err.Error()
		return
	}
	defer server.Close()
	root, err := os.MkdirTemp("", "ferrus-clients-")
	if err != nil {
		result.Failure = err.Error()
		return
	}
	defer os.RemoveAll(root) // what a client left running there may still write
	dog := newWatchdog(o.Limit)
	server.Tap(func(string) { dog.called() })
	go dog.watch(ctx, cancel)
	r := &round{ferrus: o.Ferrus, root: root, model: server, result: result}
	r.env = []string{
		"HOME=" + r.home(), "TMPDIR=" + filepath.Join(root, "tmp"), "PATH=" + program.Path(), "LANG=C.UTF-8",
		"TERM=xterm-256color", "XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR"),
	}
	if err := r.prepare(ctx); err != nil {
		result.Failure = err.Error()
		return
	}
	version := make(chan string, 1)
	go func() { version <- r.version(ctx) }() // it takes as long as the client's start
	out := r.run(ctx)
	result.Version = <-version
	r.judge(ctx, out)
}

func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

func (r *round) dir() string  { return filepath.Join(r.root, "greeter") }
func (r *round) home() string { return filepath.Join(r.root, "home") }

// version returns what the client says of itself.
func (r *round) version(ctx context.Context) string {
	out, _ := r.command(ctx, r.result.Program, "--version").Output() // the round says what it cannot do
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line[:min(len(line), 80)]
}

// prepare writes the home and the repository. The round ends before a reviewer would
// start.
func (r *round) prepare(ctx context.Context) error {
	trial, _ := agent.TrialOf(r.result.Agent, r.home(), r.model.URL, r.dir())
	r.env = append(r.env, trial.Env...)
	files := map[string]string{
		filepath.Join("tmp", ".keep"): "", filepath.Join("greeter", "README.md"): "# Greeter\n",
		filepath.Join("greeter", "ferrus.toml"): configuration(r.result.Agent),
	}
	for name, text := range trial.Files {
		files[filepath.Join("home", name)] = text
	}
	for name, text := range files {
		path := filepath.Join(r.root, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		if err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {
		"-c", "user.name=ferrus", "-c", "user.email=ferrus@localhost", "-c", "commit.gpgsign=false",
		"commit", "--quiet", "--no-verify", "--message", "start"}} {
		if err := git.In(r.dir()).Do(ctx, args...); err != nil {
			return err
		}
	}
	if out, err := r.command(ctx, r.ferrus, "init", "--yes").CombinedOutput(); err != nil {
		return fmt.Errorf("ferrus init: %s", lastLine(string(out)))
	}
	return nil
}

// configuration returns the ferrus.toml of a round.
func configuration(name string) string {
	return fmt.Sprintf(`[checks]
commands = [%q]
[hq.executor]
agent = %q
permissions = "ask"
[hq.supervisor]
agent = "idle"
[agent.idle]
command = ["sleep", "600"]
[session]
grace_secs = 1
`, model.RoundCheck, name)
}

// command returns a program in the round's environment, in a process group of its own.
func (r *round) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = r.dir(), r.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) } // ferrus ends its sessions then
	c.WaitDelay = 15 * time.Second
	return c
}

// run makes ferrus run the task until the executor's session has ended, and returns what ferrus
// printed.
func (r *round) run(ctx context.Context) string {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var out bytes.Buffer
	c := r.command(ctx, r.ferrus, "run", model.RoundText)
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return err.Error()
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // the state says what came of it
		close(ended)
	}()
	r.follow(ctx, ended)
	stop()
	<-ended
	return out.String()
}

// follow answers the client's questions until its session or ferrus has ended.
func (r *round) follow(ctx context.Context, ended <-chan struct{}) {
	dir, err := store.Open[core.World](r.dir())
	if err != nil {
		return
	}
	changed, err := dir.Watch(ctx)
	if err != nil {
		return
	}
	answered := map[uint64]bool{}
	for {
		select {
		case <-ended:
			return
		case <-changed: // closed at the end of ctx
		}
		if ctx.Err() != nil {
			return
		}
		state, err := dir.Load()
		if err != nil {
			continue // the next change tells
		}
		for _, p := range state.World.OpenPermissions() {
			if !answered[p.Number] {
				answered[p.Number] = true
				r.permit(ctx, p.Number)
			}
		}
		ended := r.sessions()
		if state.World.State == task.Reviewing && len(ended) > 0 || failedTwice(ended) {
			return
		}
	}
}

// permit answers as you would, in a terminal: ferrus takes no other answer.
func (r *round) permit(ctx context.Context, number uint64) {
	c := r.command(ctx, r.ferrus, "permit", strconv.FormatUint(number, 10), string(core.PermitOnce))
	c.SysProcAttr = nil
	terminal, err := pty.Start(c)
	if err != nil {
		return // the round ends at its limit
	}
	defer terminal.Close()
	_ = c.Wait() // the client waits where it was not taken
}
