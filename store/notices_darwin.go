package store

import "golang.org/x/sys/unix"

// sendsNotices reports whether each change of a directory gives a notice.
func sendsNotices(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && s.Flags&unix.MNT_LOCAL != 0
}
