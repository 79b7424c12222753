// Package longtest marks tests that `go test` leaves out, so that it takes minutes: `.ci/run` runs some of them,
// with FERRUS_CI set, and `task test:long` all, with FERRUS_LONG set.
//
// Only tests import it.
package longtest

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"
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

// Draw returns a few of some cases, different ones in each run, or all among the long tests.
func Draw[T any](t testing.TB, few int, all []T) []T {
	t.Helper()
	if On() {
		return all
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d draws %d of %d cases; FERRUS_LONG=1 runs all", seed, few, len(all))
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all[:min(few, len(all))]
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
