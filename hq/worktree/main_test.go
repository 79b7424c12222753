package worktree

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ferrus/store/memtemp"
)

// discardEnv has this program discard the worktree t-1 of a project, until it is killed.
const discardEnv = "FERRUS_TEST_DISCARD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(discardEnv); dir != "" {
		if err := Discard(context.Background(), Place{Project: dir, ID: "t-1"}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(memtemp.M{Tests: m}.Run())
}
