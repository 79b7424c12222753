package natslink

import (
	"encoding/binary"
	"fmt"
	"sync"

	"ferrus/hq/wire"
)

// What a link has under way at most, in bytes.
const (
	// Window is what a sender may send before the other end has taken it.
	Window = 4 << 20
	// chunk is the longest part of a frame in one message: a server refuses more than 1 MiB
	// unless it is configured to take it.
	chunk    = 128 << 10
	ackEvery = Window / 8
)

// A message is one of these bytes, a number in eight bytes, big endian, and a body.
const (
	kindPart = 'f' // a part of a frame that has more; parts are numbered from 1
	kindLast = 'F' // the last part of a frame
	kindAck  = 'A' // the number is how many bytes of parts were taken so far
	kindEnd  = 'Z' // the link has ended
	headSize = 9
)

// pipe is one end of a link. It implements [wire.Pipe].
type pipe struct {
	publish func(message []byte) error

	sending sync.Mutex // held while a frame is sent: its parts follow each other

	mu     sync.Mutex // guards the rest
	wake   sync.Cond  // something changed
	err    error      // not nil: the link has ended
	sent   progress   // of the parts for the other end
	came   progress   // of the other end's
	queue  [][]byte   // parts that were not taken, as they came
	queued int        // their bytes
	ended  []func()   // called when the link ends
}

// progress is how far the parts of one direction are.
type progress struct {
	number uint64 // of the newest part
	bytes  uint64 // sent, or taken, so far
	acked  uint64 // the bytes that the receiver has acknowledged
}

func newPipe(publish func([]byte) error) *pipe {
	p := &pipe{publish: publish}
	p.wake.L = &p.mu
	return p
}

func message(kind byte, number uint64, body []byte) []byte {
	m := make([]byte, headSize, headSize+len(body))
	m[0] = kind
	binary.BigEndian.PutUint64(m[1:], number)
	return append(m, body...)
}

func (p *pipe) Send(frame []byte) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	for {
		n, kind := len(frame), byte(kindLast)
		if n > chunk {
			n, kind = chunk, kindPart
		}
		number, err := p.claim(n)
		if err == nil {
			err = p.publish(message(kind, number, frame[:n]))
		}
		if err != nil {
			return err
		}
		if frame = frame[n:]; kind == kindLast {
			return nil
		}
	}
}

// claim waits until n bytes more may be under way, and returns the number of their part.
func (p *pipe) claim(n int) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && p.sent.bytes-p.sent.acked+uint64(n) > Window {
		p.wake.Wait()
	}
	if p.err != nil {
		return 0, p.err
	}
	p.sent.number++
	p.sent.bytes += uint64(n)
	return p.sent.number, nil
}

func (p *pipe) Receive() ([]byte, error) {
	var frame []byte
	for {
		m, err := p.nextPart()
		if err != nil {
			return nil, err
		}
		body := m[headSize:]
		if len(frame)+len(body) > wire.MaxFrame {
			err := violation("sent a frame of more than %d bytes", wire.MaxFrame)
			p.end(err)
			return nil, err
		}
		if m[0] == kindLast && frame == nil {
			return body, nil
		}
		if frame = append(frame, body...); m[0] == kindLast {
			return frame, nil
		}
	}
}

// nextPart waits for the next part. What came before the end is still taken.
func (p *pipe) nextPart() ([]byte, error) {
	p.mu.Lock()
	for len(p.queue) == 0 && p.err == nil {
		p.wake.Wait()
	}
	if len(p.queue) == 0 {
		defer p.mu.Unlock()
		return nil, p.err
	}
	m := p.queue[0]
	p.queue, p.queued = p.queue[1:], p.queued-len(m)
	p.came.bytes += uint64(len(m) - headSize)
	var ack []byte
	if p.came.bytes-p.came.acked >= ackEvery && p.err == nil {
		p.came.acked = p.came.bytes
		ack = message(kindAck, p.came.bytes, nil)
	}
	p.mu.Unlock()
	if ack != nil {
		if err := p.publish(ack); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// arrived handles a message of the other end.
func (p *pipe) arrived(m []byte) {
	if err := p.handle(m); err != nil {
		p.end(err)
	}
}

func (p *pipe) handle(m []byte) error {
	if len(m) < headSize {
		return violation("sent a message of %d bytes, which is too short", len(m))
	}
	number := binary.BigEndian.Uint64(m[1:])
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m[0] {
	case kindPart, kindLast:
		return p.enqueue(m, number)
	case kindAck:
		if number < p.sent.acked || number > p.sent.bytes {
			return violation("has taken %d bytes, of %d", number, p.sent.bytes)
		}
		p.sent.acked = number
		p.wake.Broadcast()
		return nil
	case kindEnd:
		return wire.ErrLost
	}
	return violation("sent a message of an unknown kind, %q", m[0])
}

// enqueue keeps a part until it is taken. The caller holds mu.
func (p *pipe) enqueue(m []byte, number uint64) error {
	switch {
	case number > p.came.number+1:
		return wire.ErrGap
	case number <= p.came.number:
		return violation("sent message %d after %d", number, p.came.number)
	case len(m) == headSize && m[0] == kindPart:
		return violation("sent an empty part of a frame")
	case p.queued+len(m) > Window+chunk:
		return violation("sent more than %d unacknowledged bytes", Window)
	}
	p.came.number, p.queue, p.queued = number, append(p.queue, m), p.queued+len(m)
	p.wake.Broadcast()
	return nil
}

// end ends the pipe for a reason; what came before can still be received.
func (p *pipe) end(err error) {
	p.mu.Lock()
	first, ended := p.err == nil, p.ended
	if first {
		p.err, p.ended = err, nil
	}
	p.wake.Broadcast()
	p.mu.Unlock()
	if !first {
		return
	}
	if err != wire.ErrLost { // the other end does not know
		p.publish(message(kindEnd, 0, nil)) //nolint:errcheck // it notices the silence
	}
	for _, f := range ended {
		f()
	}
}

// whenEnded calls a function once the link ends: at once if it has.
func (p *pipe) whenEnded(f func()) {
	p.mu.Lock()
	late := p.err != nil
	if !late {
		p.ended = append(p.ended, f)
	}
	p.mu.Unlock()
	if late {
		f()
	}
}

func (p *pipe) Close() error {
	p.end(errClosed)
	return nil
}

var errClosed = fmt.Errorf("closed by this end")

func violation(format string, args ...any) error {
	return &wire.Violation{What: fmt.Sprintf(format, args...)}
}
