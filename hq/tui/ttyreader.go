package tui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ttyReader is the terminal's end for input. It hands over whole escape sequences: the
// parts of one that was cut on the way would be typed. Answers to the questions of
// its link end here.
type ttyReader struct {
	*os.File
	link *flowControl
	gone func() // called when there is no more to read: nobody can use HQ any more
}

// patient is how long the rest of a sequence may take, and long that of an answer.
const (
	patient = 500 * time.Millisecond
	long    = 2 * time.Second
)

// Read waits for more while a sequence is unfinished.
func (s ttyReader) Read(into []byte) (int, error) {
	most := len(into) * 4 / 5 // a translated key is a little longer
	n, err := s.File.Read(into[:most])
	for err == nil && n < most && !whole(into[:n], s.link.awaits()) && s.comes() {
		var more int
		more, err = s.File.Read(into[n:most])
		n += more
	}
	switch {
	case n > 0:
		err = nil // it comes again
	case errors.Is(err, syscall.EIO): // a terminal that hung up, where others have io.EOF
		err = io.EOF
		fallthrough
	case errors.Is(err, io.EOF):
		s.gone()
	}
	return copy(into, s.translated(into[:n])), err
}

// comes waits for something to read.
func (s ttyReader) comes() bool {
	most := patient
	if s.link.awaits() {
		most = long
	}
	for end := time.Now().Add(most); ; {
		left := unix.NsecToTimeval(max(int64(time.Until(end)), 0))
		var ready unix.FdSet
		ready.Set(int(s.Fd()))
		n, err := unix.Select(int(s.Fd())+1, &ready, nil, nil, &left)
		if !errors.Is(err, unix.EINTR) {
			return n > 0 && err == nil
		}
	}
}

// whole reports whether input ends with the end of a sequence, or with a key. What
// Escape and Alt type also begins sequences: that is waited for only while an
// answer may come.
func whole(input []byte, answers bool) bool {
	for len(input) > 0 {
		n := sequence(input)
		if n == 0 {
			return len(input) <= 2 && !answers && !bytes.Equal(input, []byte("\x1b["))
		}
		input = input[n:]
	}
	return true
}

// sequence is the length of the first sequence or of the text before it; 0 is none
// that has ended.
func sequence(input []byte) int {
	switch i := bytes.IndexByte(input, 0x1b); {
	case i < 0:
		return len(input)
	case i > 0:
		return i
	case len(input) == 1:
		return 0
	}
	switch input[1] {
	case '[':
		return control(input)
	case 'O':
		return ended(input, 3)
	case ']', 'P', '_', '^', 'X':
		return text(input)
	case 0x1b:
		return 1
	}
	return 2
}

// ended is n where there are so many.
func ended(input []byte, n int) int {
	if len(input) < n {
		return 0
	}
	return n
}

// control is the length of a control sequence. The function keys of the Linux
// console have a second bracket, and a letter.
func control(input []byte) int {
	if len(input) > 2 && input[2] == '[' {
		return ended(input, 4)
	}
	for i, b := range input[2:] {
		if b < 0x20 || b > 0x3f {
			return i + 3
		}
	}
	return 0
}

// text is the length of a string that ends with BEL or ST.
func text(input []byte) int {
	bell, end := bytes.IndexByte(input, 7), bytes.Index(input, []byte("\x1b\\"))
	switch {
	case bell >= 0 && (end < 0 || bell < end):
		return bell + 1
	case end >= 0:
		return end + 2
	}
	return 0
}

// consoleKeys are F1 to F5 of the Linux console, as other terminals send them.
var consoleKeys = map[string]string{
	"\x1b[[A": "\x1bOP", "\x1b[[B": "\x1bOQ", "\x1b[[C": "\x1bOR", "\x1b[[D": "\x1bOS", "\x1b[[E": "\x1b[15~",
}

// translated is input without the answers, and with keys as all know them.
func (s ttyReader) translated(input []byte) []byte {
	if bytes.IndexByte(input, 0x1b) < 0 {
		return input
	}
	out := make([]byte, 0, len(input)*5/4)
	for len(input) > 0 {
		n := sequence(input)
		if n == 0 {
			n = len(input)
		}
		part := input[:n]
		input = input[n:]
		if bytes.HasPrefix(part, []byte("\x1b[?")) && part[n-1] == 'c' && s.link.answer() {
			continue
		}
		if key, ok := consoleKeys[string(part)]; ok {
			part = []byte(key)
		}
		out = append(out, part...)
	}
	return out
}
