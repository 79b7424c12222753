package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// limitCores keeps a crash inside from a program outside that handles crashes, if the system has one. To the kernel,
// a limit of one byte stands for a crash of the handler itself, which it does not start again.
func limitCores() error {
	if !handlesCrashes() {
		return nil
	}
	err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	if errors.Is(err, unix.EPERM) {
		return nil // The limit is 0 already, and cannot be raised; the handler is started in spite of it.
	}
	if err != nil {
		return fmt.Errorf("refuse a handler of crashes: %w", err)
	}
	return nil
}

// handlesCrashes reports whether the system has a program or a server that gets what a crashed program was, and not
// only a file beside it.
func handlesCrashes() bool {
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	return err == nil && (bytes.HasPrefix(pattern, []byte("|")) || bytes.HasPrefix(pattern, []byte("@")))
}
