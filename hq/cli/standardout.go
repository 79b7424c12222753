package cli

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// standardOut is a standard output that is no terminal. It remembers the first failed write, because what
// prints seldom looks at the error, and a script must learn that its file is not complete.
type standardOut struct {
	file   *os.File
	failed error
}

func (o *standardOut) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// fileOf returns the file that a program may inherit as its output, instead of a copy through a pipe.
func fileOf(out io.Writer) io.Writer {
	if o, ok := out.(*standardOut); ok {
		return o.file
	}
	return out
}

// lost returns the error of a command whose output was not written, whether or not it noticed. A reader that
// has read enough is no error.
func (s *streams) lost(err error) error {
	o, ok := s.out.(*standardOut)
	if !ok || o.failed == nil || errors.Is(o.failed, syscall.EPIPE) {
		return err
	}
	if noticed := (*os.PathError)(nil); err != nil && (!errors.As(err, &noticed) || noticed.Path != o.file.Name()) {
		return err
	}
	cause := o.failed
	if p := (*os.PathError)(nil); errors.As(cause, &p) {
		cause = p.Err
	}
	return failure("write to standard output: "+cause.Error(), fileHint(o.failed))
}
