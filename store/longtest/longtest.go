// Package longtest marks tests that `go test` leaves out, so that it takes minutes: `.ci/run` runs some of them,
// with FERRUS_CI set, and `task test:long` all, with FERRUS_LONG set.
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

// CI reports whether the tests run that every change must pass and that take too long for `go test`.
func CI() bool { return On() || os.Getenv("FERRUS_CI") != "" }

// OnlyCI skips a test that runs in .ci/run.
func OnlyCI(t testing.TB) {
	t.Helper()
	if !CI() {
		t.Skip("set FERRUS_CI: .ci/run runs it")
	}
}
