package commit

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
