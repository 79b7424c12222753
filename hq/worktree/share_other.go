//go:build !linux

package worktree

import (
	"errors"
	"os"
)

// shareBlocks is for Linux only: the file is copied.
func shareBlocks(_, _ *os.File) error { return errors.ErrUnsupported }
