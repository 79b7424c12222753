//go:build !linux

package store

import "os"

// dataSync makes the content and the size of a file durable.
func dataSync(f *os.File) error { return f.Sync() }
