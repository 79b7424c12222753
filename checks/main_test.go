package checks

import (
	"fmt"
	"os"
	"testing"

	"ferrus/store/memtemp"
)

// parts are what the test binary plays when TEST_PART names one.
var parts = map[string]func() error{}

func TestMain(m *testing.M) {
	part, ok := parts[os.Getenv("TEST_PART")]
	if !ok {
		os.Exit(memtemp.M{Tests: m}.Run())
	}
	if err := part(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
