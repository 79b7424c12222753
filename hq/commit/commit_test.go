package commit

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/store/exectest"
)

// A hook that hangs is a refusal, and ends with all that it has started; one that is not waited for any more is none.
func TestAHookHangs(t *testing.T) {
	t.Parallel()
	alive := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	writers, err := os.OpenFile(alive, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writers.Close()
	argv := []string{"sh", "-c", "(exec sleep 1000) >" + alive + " & wait"}
	err = start(t.Context(), 100*time.Millisecond, "commit-msg", argv, t.TempDir(), os.Environ())
	refused := (*RefusedError)(nil)
	if !errors.As(err, &refused) || !strings.Contains(refused.Words, "it took longer than 100ms") {
		t.Errorf("it says %v", err)
	}
	if _, err := io.ReadAll(writers); err != nil { // it ends with the last process that writes
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := start(ctx, time.Minute, "commit-msg", argv, t.TempDir(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}

// Without a namespace a hook's process that has left its group ends with the hook all the same.
func TestAHookLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	top, alive := t.TempDir(), filepath.Join(t.TempDir(), "alive")
	if err := os.WriteFile(filepath.Join(top, "a.txt"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Commit(t, top)
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	writers, err := os.OpenFile(alive, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writers.Close()
	hook := filepath.Join(t.TempDir(), "commit-msg")
	script := "#!/bin/sh\nmkfifo up\nsetsid env -i sh -c 'echo >up; exec sleep 1000' >" + alive +
		" 2>&1 </dev/null &\nread x <up\n"
	if err := exectest.WriteFile(hook, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := git.Locate(top)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Git().Output(t.Context(), "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Git().Output(t.Context(), "rev-parse", "HEAD^{tree}")
	if err != nil {
		t.Fatal(err)
	}
	d := Draft{Branch: "refs/heads/main", Parent: head, Tree: tree, Message: "words\n"}
	if text, err := run(t.Context(), r, d, sandbox.Walls{}, hook, nil); err != nil || text != "words\n" {
		t.Fatalf("it left %q, %v", text, err)
	}
	if _, err := io.ReadAll(writers); err != nil { // it ends with the last process that writes
		t.Error(err)
	}
}
