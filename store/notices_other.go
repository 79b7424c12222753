//go:build !linux && !darwin

package store

// sendsNotices is not known here.
func sendsNotices(string) bool { return false }
