package gc

import (
	"fmt"
	"os"
	"testing"

	"ferrus/store/memtemp"
)

// optionsEnv has the options of a test binary that frees, instead of running tests.
const optionsEnv = "FERRUS_TEST_GC"

func TestMain(m *testing.M) {
	if options := os.Getenv(optionsEnv); options != "" {
		if err := freeOnce(options); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(memtemp.M{Tests: m}.Run())
}
