package budgets

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/benchtest"
)

const repeats = 15

// start measures the time from the program's start to its first complete frame.
func start(b *testing.B) {
	dir := newProject(b, 0, "off")
	var ours, tmux []time.Duration
	for i := range repeats {
		ours = append(ours, first(b, dir, "F1 help", program(b)))
		socket := fmt.Sprintf("budgets-%d-%d", os.Getpid(), i)
		tmux = append(tmux, first(b, dir, "~ready~", "tmux", "-L", socket, "-f", "/dev/null",
			"new-session", "printf '~ready~'; exec sleep 100"))
		_ = exec.Command("tmux", "-L", socket, "kill-server").Run()
	}
	got, other := benchtest.Milliseconds(ours, 0.5), benchtest.Milliseconds(tmux, 0.5)
	budget{"start to the first whole frame", "ms", 30, false}.report(b, got, "tmux", other)
	budget{"the same, beside tmux", "x", 2, false}.report(b, got/other, "", 0)
}

// first returns how long a program takes to show a word.
func first(b *testing.B, dir, word string, argv ...string) time.Duration {
	s := open(b, dir, argv...)
	defer s.end()
	return s.showing(word)
}

// showing waits for words and returns the time since the start.
func (s *screen) showing(words ...string) time.Duration {
	s.await(words...)
	return time.Since(s.began)
}

// attach measures how long the next HQ takes to show the sessions of one that was killed.
func attach(b *testing.B) {
	dir := newProject(b, 0, "off")
	s := openHQ(b, dir)
	var ours, tmux []time.Duration
	for range repeats {
		_ = s.command.Process.Signal(syscall.SIGKILL)
		s.end()
		s = open(b, dir, program(b))
		s.awaitTwice("ready")
		ours = append(ours, time.Since(s.began))
		s.await("F1 help")
	}
	t := openTmux(b, 0)
	for range repeats {
		t.end()
		t = open(b, dir, "tmux", "-L", socketName(), "attach")
		t.awaitTwice("ready")
		tmux = append(tmux, time.Since(t.began))
	}
	budget{"the next HQ shows the sessions", "ms", 50, false}.report(b, benchtest.Milliseconds(ours, 0.5), "tmux",
		benchtest.Milliseconds(tmux, 0.5))
}
