package cli

import (
	"errors"
	"fmt"
	"testing"
)

// Errors that were joined are printed as one sentence, and the output that an error quotes as it is.
func TestJoinedErrorsAreOneSentence(t *testing.T) {
	t.Parallel()
	quoted := errors.New("git said:\n  no")
	both := errors.Join(errors.New("a"), errors.Join(quoted, errors.New("c")))
	for want, err := range map[string]error{
		"git said:\n  no":             quoted,
		"save: a; git said:\n  no; c": fmt.Errorf("save: %w", both),
	} {
		if got := toExitError(err); got.what != want {
			t.Errorf("%q, want %q", got.what, want)
		}
	}
}
