package diskfault

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestErrorsOfTheDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err      error
		is, full bool
		fix      string
	}{
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, true, true, "free disk space"},
		{fmt.Errorf("save: %w", syscall.EDQUOT), true, true, "free disk space"},
		{syscall.EROFS, true, false, "make the file system writable"},
		{syscall.EIO, true, false, ""},
		{syscall.EACCES, false, false, ""},
		{errors.New("no space left on device"), false, false, ""},
		{nil, false, false, ""},
	} {
		if Is(c.err) != c.is || IsFull(c.err) != c.full || Fix(c.err) != c.fix {
			t.Errorf("%v: %t, full %t, fix %q", c.err, Is(c.err), IsFull(c.err), Fix(c.err))
		}
	}
}
