package acp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxMessage is the largest message in bytes, and maxHead what is kept of a larger one.
const (
	maxMessage = 8 << 20
	maxHead    = 4 << 10
)

// lines reads lines of a bounded size.
type lines struct{ in *bufio.Reader }

func newLines(in io.Reader) *lines { return &lines{bufio.NewReaderSize(in, 64<<10)} }

// next returns the next line without what surrounds it, valid until the call after. Of one
// that is too long it returns the head, and how many bytes the line has.
func (l *lines) next() (line []byte, size int, err error) {
	var kept []byte
	for {
		part, err := l.in.ReadSlice('\n')
		size += len(part)
		if size <= maxMessage {
			kept = append(kept, part...)
		} else if len(kept) > maxHead {
			kept = bytes.Clone(kept[:maxHead])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && size == 0:
			return nil, 0, err
		case size > maxMessage: // at the end of the input, too: the next call returns the error
			return kept, size, nil
		default:
			return bytes.TrimSpace(kept), 0, nil
		}
	}
}
