package cli

import (
	"errors"
	"io"
	"os"
	"syscall"

	"ferrus/ui/text"
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

// plainOut is a terminal for words. What would act on the terminal, or hide or reorder what it shows, is spelled out;
// what draws uses the terminal behind it, which [drawnOn] returns.
type plainOut struct{ terminal io.Writer }

func (o plainOut) Write(p []byte) (int, error) {
	if _, err := io.WriteString(o.terminal, text.Escape(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// drawnOn returns an output that takes every byte as it is.
func drawnOn(out io.Writer) io.Writer {
	if o, ok := out.(plainOut); ok {
		return o.terminal
	}
	return out
}

// fileOf returns the file that a program may inherit as its output, instead of a copy through a pipe.
func fileOf(out io.Writer) io.Writer {
	if o, ok := out.(*standardOut); ok {
		return o.file
	}
	return drawnOn(out)
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
