//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// run is ferrus in the repository; its exit code and all it printed.
func (b *bench) run(args ...string) (int, string) {
	b.t.Helper()
	return b.runUntil(func(string) bool { return false }, args...)
}

// runUntil interrupts ferrus, as Ctrl+C does, when what it printed is enough, or
// when it takes too long.
func (b *bench) runUntil(enough func(out string) bool, args ...string) (int, string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.ferrus, args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	out := output{enough: enough, interrupt: cancel}
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), out.text.String()
	} else if err != nil {
		b.t.Fatalf("ferrus %v: %v\n%s", args, err, out.text.String())
	}
	return 0, out.text.String()
}

// output is what a program prints, both streams of it, one after the other.
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
