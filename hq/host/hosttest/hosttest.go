// Package hosttest isolates what tests start from the user's own files and sockets.
package hosttest

import (
	"os"
	"path/filepath"

	"ferrus/store/memtemp"
)

// M are the tests of a package whose programs have directories of their own for
// sockets, for what the user set and for what the user trusts, in memory as the other
// temporary directories are. They are gone when the tests have run.
type M struct{ Tests interface{ Run() int } }

// Run returns the exit code.
func (m M) Run() int { return memtemp.M{Tests: ownDirectories(m)}.Run() }

// ownDirectories are tests for whose programs the directories are set.
type ownDirectories M

// Run returns the exit code.
func (m ownDirectories) Run() int {
	sockets := temporary("/tmp") // short: a socket's path has few bytes
	defer os.RemoveAll(sockets)  //nolint:errcheck // what stays is empty
	files := temporary("")
	defer os.RemoveAll(files) //nolint:errcheck // what stays is empty
	for name, dir := range map[string]string{
		"XDG_RUNTIME_DIR": sockets, // where hosts make their directories
		"XDG_CONFIG_HOME": filepath.Join(files, "config"),
		"XDG_STATE_HOME":  filepath.Join(files, "state"),
	} {
		if err := os.Setenv(name, dir); err != nil {
			panic(err)
		}
	}
	return m.Tests.Run()
}

func temporary(parent string) string {
	dir, err := os.MkdirTemp(parent, "ferrus-test-")
	if err != nil {
		panic(err)
	}
	return dir
}
