package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// A variable may name a toolchain in the home of another user.
func TestUnreachablePathsAreLeftOut(t *testing.T) {
	top := t.TempDir()
	closed := filepath.Join(top, "closed")
	for _, dir := range []string{closed, filepath.Join(closed, "tool")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o755) }) // so that it can be removed
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // the thread ends with the goroutine: its user is not restored
			if err := syscall.Setfsuid(unprivileged); err != nil {
				t.Error(err)
			}
		}
		got, err := existing([]string{"/usr", filepath.Join(closed, "tool"), filepath.Join(closed, "missing")})
		if err != nil || len(got) != 1 || got[0] != "/usr" {
			t.Errorf("existing returned %q, %v", got, err)
		}
	}()
	<-done
}
