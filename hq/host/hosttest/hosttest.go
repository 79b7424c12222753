// Package hosttest keeps what tests start apart from what is the user's.
package hosttest

import (
	"os"
	"path/filepath"
)

// M are the tests of a package whose programs have directories of their own for
// sockets, for what the user set and for what the user trusts. They are gone when the
// tests have run.
type M struct{ Tests interface{ Run() int } }

// Run returns the exit code.
func (m M) Run() int {
	dir, err := os.MkdirTemp("/tmp", "ferrus-test-") // short: a socket's path has few bytes
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what stays is empty
	for name, below := range directories {
		if err := os.Setenv(name, filepath.Join(dir, below)); err != nil {
			panic(err)
		}
	}
	return m.Tests.Run()
}

// directories are what the environment names, below one that is there. The first is
// where hosts make theirs.
var directories = map[string]string{"XDG_RUNTIME_DIR": "", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"}
