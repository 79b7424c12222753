package process_test

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"ferrus/agent/process"
)

// The end of a process is noticed, a later process with the same pid is not mistaken for it, and a
// wait can be cancelled.
func TestAwaitEnd(t *testing.T) {
	t.Parallel()
	command := exec.Command("sleep", "1000")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := process.Identify(command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() { given <- process.AwaitEnd(ctx, *id) }()
	cancel()
	if err := <-given; errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system cannot wait for a process of others")
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	other := *id
	other.Start++
	if err := process.AwaitEnd(t.Context(), other); err != nil {
		t.Errorf("an earlier process with the same pid: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.AwaitEnd(t.Context(), *id) }()
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil { // also before it is reaped
		t.Error(err)
	}
	_ = command.Wait()
	if err := process.AwaitEnd(t.Context(), *id); err != nil {
		t.Errorf("a process that is gone: %v", err)
	}
}
