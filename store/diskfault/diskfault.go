// Package diskfault tells errors of a disk that takes nothing now from all others. They say nothing about what was to
// be written: the same call may succeed later.
package diskfault

import (
	"errors"
	"slices"
	"syscall"
)

// All are the errors of the system.
var All = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EFBIG}

// Is reports whether an error is one of the disk.
func Is(err error) bool {
	return slices.ContainsFunc(All, func(one syscall.Errno) bool { return errors.Is(err, one) })
}

// IsFull reports whether the disk, or your quota on it, is full.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Fix returns what to do about an error; empty: ferrus knows nothing.
func Fix(err error) string {
	switch {
	case IsFull(err):
		return "free disk space"
	case errors.Is(err, syscall.EROFS):
		return "make the file system writable"
	}
	return ""
}
