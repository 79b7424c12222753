package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Pipe moves frames in order between two ends: a transport. Send may be called from any
// goroutine and waits until the frame is on its way; Receive is called by one. A pipe that
// can lose frames ends with an error instead of passing over one.
type Pipe interface {
	Send(frame []byte) error
	// Receive returns the next frame, which is valid until the next call. Its length is
	// not above MaxFrame.
	Receive() ([]byte, error)
	Close() error
}

// The kinds of frames. A frame is its kind, the number of its call or stream in four bytes,
// the number of its message in eight, both big endian, and a body. Kinds and layouts stay:
// they have to be understood to find out that the versions differ.
const (
	frameCall   = 'C' // the method, a newline, the body of the question
	frameCancel = 'X' // the caller does not wait any more
	frameReply  = 'R' // the body of the answer
	frameError  = 'E' // why there is none
	frameOpen   = 'O' // the method, a newline, the body of the request
	frameData   = 'D' // the next message of a stream; its messages are numbered from 1
	frameCredit = 'A' // the number is how many bytes of messages were taken from the stream so far
	frameClose  = 'Z' // no message follows; the body is the reason, or empty
)

// headSize is the length of what is before the body, and MaxFrame the length of the longest frame.
const (
	headSize = 13
	MaxFrame = headSize + MaxBody + 64
)

// frame is a frame, taken apart.
type frame struct {
	kind   byte
	id     uint32
	number uint64
	body   []byte
}

func (f frame) encode() []byte {
	b := make([]byte, headSize, headSize+len(f.body))
	b[0] = f.kind
	binary.BigEndian.PutUint32(b[1:], f.id)
	binary.BigEndian.PutUint64(b[5:], f.number)
	return append(b, f.body...)
}

func decodeFrame(b []byte) (frame, error) {
	if len(b) < headSize {
		return frame{}, violation("sent a frame of %d bytes, which is too short", len(b))
	}
	return frame{kind: b[0], id: binary.BigEndian.Uint32(b[1:]), number: binary.BigEndian.Uint64(b[5:]),
		body: b[headSize:]}, nil
}

// bytePipe is a pipe over a stream of bytes, where each frame follows its length in four bytes.
type bytePipe struct {
	to   io.WriteCloser
	from *bufio.Reader
	buf  []byte // of Receive

	mu sync.Mutex // frames are written whole
}

// Bytes returns a pipe over two streams of bytes.
func Bytes(from io.Reader, to io.WriteCloser) Pipe {
	return &bytePipe{to: to, from: bufio.NewReaderSize(from, 32<<10)}
}

func (p *bytePipe) Send(f []byte) error {
	b := make([]byte, 4, 4+len(f))
	binary.BigEndian.PutUint32(b, uint32(len(f)))
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.to.Write(append(b, f...))
	return err
}

func (p *bytePipe) Receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.from, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > MaxFrame {
		return nil, violation("sent a frame of %d bytes; the maximum is %d", n, MaxFrame)
	}
	if cap(p.buf) < int(n) { // bounded: at most one of the longest frame
		p.buf = make([]byte, n)
	}
	p.buf = p.buf[:n]
	_, err := io.ReadFull(p.from, p.buf)
	return p.buf, err
}

func (p *bytePipe) Close() error { return p.to.Close() }

// maxGreeting is how much a login shell may print before the worker's greeting.
const maxGreeting = 64 << 10

// Greeting is the first line that a worker writes to a stream of bytes. A login shell
// may print something before it.
var Greeting = fmt.Sprintf("ferrus worker, protocol %d\n", Protocol)

// NoGreeting is returned where another program answered, or none.
type NoGreeting struct{ Printed string } // by it, the last lines

func (e *NoGreeting) Error() string {
	return fmt.Sprintf("nothing greeted; the last line was %q", e.Printed)
}

// AwaitLine reads up to the other end's first line, and returns a reader of what follows. The
// error contains what was printed instead.
func AwaitLine(from io.Reader, greeting string) (io.Reader, error) {
	r, read := bufio.NewReaderSize(from, 32<<10), 0
	var last []string
	for read < maxGreeting {
		line, err := r.ReadSlice('\n')
		if string(line) == greeting {
			return r, nil
		}
		read += len(line)
		if words := strings.TrimSpace(Words(string(line), 200)); words != "" {
			last = append(last[max(len(last)-1, 0):], words)
		}
		if err != nil && err != bufio.ErrBufferFull {
			return nil, &NoGreeting{strings.Join(last, " ")}
		}
	}
	return nil, violation("printed more than %d bytes before its greeting", maxGreeting)
}
