// Package hosttest keeps the sockets of tests apart from those of the user.
package hosttest

import (
	"os"
	"path/filepath"
)

// M are the tests of a package whose hosts have a directory of their own, which is
// gone when they have run.
type M struct{ Tests interface{ Run() int } }

// Run returns the exit code.
func (m M) Run() int {
	dir, err := os.MkdirTemp("/tmp", "ferrus-test-") // short: a socket's path has few bytes
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what stays is empty
	if err := os.Setenv(variable, filepath.Clean(dir)); err != nil {
		panic(err)
	}
	return m.Tests.Run()
}

// variable names the directory in which hosts make theirs.
const variable = "XDG_RUNTIME_DIR"
