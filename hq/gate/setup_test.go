package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/core"
)

// setup returns commands that run outside of any sandbox: they report numbers of processes.
func setup(lines ...string) core.Definition {
	d := core.Definition{Sandbox: core.Sandbox{Mode: "off"}}
	for _, l := range lines {
		d.Commands = append(d.Commands, checks.Command{Run: l})
	}
	return d
}

func TestSetupRunsInTheWorktree(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	dir := t.TempDir()
	if err := Setup(t.Context(), l.Task, "t-1", dir, setup("echo ready >made"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
		t.Error(err)
	}
	if err := Setup(t.Context(), l.Task, "t-1", dir, setup(), nil); err != nil {
		t.Errorf("no commands: %v", err)
	}
	err := Setup(t.Context(), l.Task, "t-1", dir, setup("exit 3"), nil)
	if err == nil || !strings.Contains(err.Error(), "exit 3; see .ferrus/logs/setup_") {
		t.Errorf("a command that fails: %v", err)
	}
	if _, err := l.Store.ReadFile(setupFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", setupFile, err)
	}
}

func TestSetupThatIsEndedSaysNothing(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Setup(ctx, l.Task, "t-1", t.TempDir(), setup("exit 3"), nil); err != nil {
		t.Error(err)
	}
}

// A conductor that died leaves its file, and what carries its marker.
func TestKillSetupEndsWhatADeadConductorLeft(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	if err := KillSetup(l.Task); err != nil {
		t.Errorf("nothing is left: %v", err)
	}
	dir, ended := t.TempDir(), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- Setup(ctx, l.Task, "t-1", dir, setup("(setsid sleep 1000 & echo $! >"+dir+"/left); sleep 1000"), nil)
	}()
	var pid int
	l.until("a process", func() bool {
		data, _ := os.ReadFile(filepath.Join(dir, "left"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return pid > 0
	})
	if err := KillSetup(l.Task); err != nil {
		t.Fatal(err)
	}
	if _, err := process.Identify(pid); err == nil {
		t.Errorf("process %d lives", pid)
	}
	if _, err := l.Store.ReadFile(setupFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", setupFile, err)
	}
	<-ended // its commands are gone, and so it has an error of its own
}
