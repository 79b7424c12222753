//go:build !linux

package store

import (
	"io/fs"
	"os"
)

func (f osFolder) openAtOnce(string, int) *os.File { return nil }

func (f osFolder) statAtOnce(string) fs.FileInfo { return nil }
