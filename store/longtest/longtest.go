// Package longtest marks tests that `task test:long` runs, with FERRUS_LONG set, and `go test`
// leaves out.
//
// Only tests import it.
package longtest

import (
	"os"
	"testing"
)

// On reports whether the long tests run, and the others with all their cases instead of a sample.
func On() bool { return os.Getenv("FERRUS_LONG") != "" }

// Only skips a test that runs among the long ones.
func Only(t testing.TB) {
	t.Helper()
	if !On() {
		t.Skip("set FERRUS_LONG: task test:long runs it")
	}
}
