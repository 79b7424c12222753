package worktree

import (
	"fmt"
	"os"
	"syscall"
)

// A copy leaves a twentieth of a disk free, at most a GiB: what else writes there needs it.
const (
	freePart = 20
	freeMost = 1 << 30
)

// errRoom says that a copy would leave less than that.
type errRoom struct{ file, free int64 }

// Error says which copy would fill the disk, and what to do.
func (e *errRoom) Error() string {
	const text = "its %s would leave too little of the %s that are free on the disk: " +
		"free some space, or copy less"
	return fmt.Sprintf(text, size(e.file), size(e.free))
}

// Unwrap returns ENOSPC: callers treat it as a full disk.
func (e *errRoom) Unwrap() error { return syscall.ENOSPC }

// checkRoom returns an error if a file of some size must not be copied to the disk of another one.
func checkRoom(to *os.File, bytes int64) error {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(to.Fd()), &s); err != nil {
		return nil //nolint:nilerr // A disk that does not say how much is free says when it is full.
	}
	block := int64(s.Bsize) //nolint:unconvert // Its type differs by system.
	free, total := int64(s.Bavail)*block, int64(s.Blocks)*block
	if bytes > 0 && free-bytes < min(total/freePart, freeMost) {
		return &errRoom{bytes, free}
	}
	return nil
}

// size returns a number of bytes in MB, as disks are sold.
func size(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
