package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
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

// What the system refuses has a hint, which names a file that exists.
func TestErrorsOfFilesHaveHints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "a", "b")
	for _, c := range []struct {
		errno syscall.Errno
		hint  string
	}{
		{syscall.EACCES, "ls -ld " + dir + " shows who has access"},
		{syscall.EROFS, "make the file system writable, then try again"},
		{syscall.ENOSPC, "free disk space, then try again"},
		{syscall.ENOENT, ""},
	} {
		var want []string
		if c.hint != "" {
			want = []string{c.hint}
		}
		err := fmt.Errorf("create state: %w", &fs.PathError{Op: "mkdir", Path: missing, Err: c.errno})
		if got := toExitError(err).hints; !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", c.errno, got, want)
		}
	}
}
