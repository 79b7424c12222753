//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// run runs ferrus in the repository, and returns its exit code and its output.
func (b *fixture) run(args ...string) (int, string) {
	b.t.Helper()
	return b.runUntil(func(string) bool { return false }, args...)
}

// runUntil interrupts ferrus, like Ctrl+C, once its output is sufficient or it takes too long.
func (b *fixture) runUntil(enough func(out string) bool, args ...string) (int, string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), cmp.Or(b.patience, patience))
	defer cancel()
	cmd := exec.CommandContext(ctx, b.ferrus, args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	out := output{enough: enough, interrupt: cancel}
	cmd.Stdout, cmd.Stderr = &out, &out
	if slices.Contains(ofTheHuman, args[0]) {
		defer b.inTerminal(cmd)()
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), out.text.String()
	} else if err != nil {
		b.t.Fatalf("ferrus %v: %v\n%s", args, err, out.text.String())
	}
	return 0, out.text.String()
}

// ofTheHuman lists the commands that only the human may give, from a terminal.
var ofTheHuman = []string{"adopt", "answer", "permit", "resume", "review"}

// inTerminal gives a command its own terminal, like a shell's, until the returned function is
// called. Its standard streams stay.
func (b *fixture) inTerminal(cmd *exec.Cmd) (leave func()) {
	b.t.Helper()
	master, terminal, err := pty.Open()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	return func() { _ = errors.Join(terminal.Close(), master.Close()) } // it carries nothing
}

// output is a program's output, both streams in one.
type output struct {
	text      bytes.Buffer
	enough    func(string) bool
	interrupt func()
}

func (o *output) Write(p []byte) (int, error) {
	o.text.Write(p) //nolint:errcheck // never fails
	if o.enough(o.text.String()) {
		o.interrupt()
	}
	return len(p), nil
}
