package tty

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reader is the input of a program. It stays a file, because Bubble Tea asks files
// whether they are terminals.
type reader struct {
	*os.File
	flow *flowControl
	read *atomic.Int64
	gone func() // see [Terminal.Options]
}

// What the rest of a sequence may take, and of an answer, which comes from afar.
const (
	restTimeout   = 500 * time.Millisecond
	answerTimeout = 2 * time.Second
)

// Read waits for more while a sequence is unfinished.
func (r reader) Read(into []byte) (int, error) {
	room := len(into) * 4 / 5 // a translated key is a little longer
	n, err := r.File.Read(into[:room])
	for err == nil && n < room && !complete(into[:n], r.flow.expectsAnswer()) && r.awaitMore() {
		var more int
		more, err = r.File.Read(into[n:room])
		n += more
	}
	switch {
	case n > 0:
		err = nil // the next read returns it again
	case errors.Is(err, syscall.EIO): // a terminal that hung up, where others have io.EOF
		err = io.EOF
		fallthrough
	case errors.Is(err, io.EOF):
		r.gone()
	}
	r.read.Add(int64(n))
	return copy(into, r.translate(into[:n])), err
}

// awaitMore reports whether there is more to read within the time that the rest of a
// sequence may take.
func (r reader) awaitMore() bool {
	timeout := restTimeout
	if r.flow.expectsAnswer() {
		timeout = answerTimeout
	}
	for end := time.Now().Add(timeout); ; {
		left := unix.NsecToTimeval(max(int64(time.Until(end)), 0))
		var ready unix.FdSet
		ready.Set(int(r.Fd()))
		n, err := unix.Select(int(r.Fd())+1, &ready, nil, nil, &left)
		if !errors.Is(err, unix.EINTR) {
			return n > 0 && err == nil
		}
	}
}

// complete reports whether input ends where a sequence or a key does. What Escape and
// Alt type also begins sequences: it counts as complete unless an answer may come.
func complete(input []byte, answers bool) bool {
	for len(input) > 0 {
		n := sequenceLength(input)
		if n == 0 {
			return len(input) <= 2 && !answers && !bytes.Equal(input, []byte("\x1b["))
		}
		input = input[n:]
	}
	return true
}

// sequenceLength returns the length of the first sequence, or of the text before it; 0
// when the sequence has no end yet.
func sequenceLength(input []byte) int {
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
		return controlLength(input)
	case 'O':
		return lengthIf(input, 3)
	case ']', 'P', '_', '^', 'X':
		return stringLength(input)
	case 0x1b:
		return 1
	}
	return 2
}

// lengthIf returns n if input is that long, else 0.
func lengthIf(input []byte, n int) int {
	if len(input) < n {
		return 0
	}
	return n
}

// controlLength returns the length of a control sequence. The function keys of the
// Linux console have a second bracket and a letter.
func controlLength(input []byte) int {
	if len(input) > 2 && input[2] == '[' {
		return lengthIf(input, 4)
	}
	for i, b := range input[2:] {
		if b < 0x20 || b > 0x3f {
			return i + 3
		}
	}
	return 0
}

// stringLength returns the length of a string, which ends with BEL or ST.
func stringLength(input []byte) int {
	bell, end := bytes.IndexByte(input, 7), bytes.Index(input, []byte("\x1b\\"))
	switch {
	case bell >= 0 && (end < 0 || bell < end):
		return bell + 1
	case end >= 0:
		return end + 2
	}
	return 0
}

// consoleKeys maps F1 to F5 of the Linux console to what other terminals send.
var consoleKeys = map[string]string{
	"\x1b[[A": "\x1bOP", "\x1b[[B": "\x1bOQ", "\x1b[[C": "\x1bOR", "\x1b[[D": "\x1bOS", "\x1b[[E": "\x1b[15~",
}

// translate returns input without the answers and with the keys that every terminal
// sends.
func (r reader) translate(input []byte) []byte {
	if bytes.IndexByte(input, 0x1b) < 0 {
		return input
	}
	out := make([]byte, 0, len(input)*5/4)
	for len(input) > 0 {
		n := sequenceLength(input)
		if n == 0 {
			n = len(input)
		}
		part := input[:n]
		input = input[n:]
		if bytes.HasPrefix(part, []byte("\x1b[?")) && part[n-1] == 'c' && r.flow.takeAnswer() {
			continue
		}
		if key, ok := consoleKeys[string(part)]; ok {
			part = []byte(key)
		}
		out = append(out, part...)
	}
	return out
}
