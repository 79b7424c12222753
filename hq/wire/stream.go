package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// stream is a stream of a conn. Its entry stays until both ends have closed it, so that a
// frame for no stream is a violation.
type stream struct {
	conn *conn
	id   uint32

	wake chan struct{} // size 1: something changed for the receiver
	room chan struct{} // size 1: something changed for the sender

	mu sync.Mutex // guards the rest
	incoming
	outgoing
}

// incoming is what has arrived on a stream.
type incoming struct {
	queue    [][]byte // not taken
	queued   int      // bytes of the queue, and of what was dropped
	numbered uint64   // of the newest message
	taken    uint64   // bytes that were taken from the queue
	credited uint64   // bytes of taken that the other end knows of
	ended    error    // why no message follows the queue; nil: one may
}

// outgoing is what was sent on a stream.
type outgoing struct {
	closed   bool   // by this end
	sent     uint64 // messages
	sentSize uint64 // bytes of messages
	limit    uint64 // bytes of messages that may be under way
	acked    uint64 // bytes of messages that the other end has taken
}

func newStream(c *conn, id uint32) *stream {
	return &stream{conn: c, id: id, outgoing: outgoing{limit: Window},
		wake: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Limit limits the bytes under way on a stream, so that data is not stale when it arrives. It must be at
// least the longest message plus a quarter of a Window, which the other end may not have acknowledged
// yet.
func Limit(s Stream, bytes int) {
	if one, ok := s.(*stream); ok {
		one.mu.Lock()
		defer one.mu.Unlock()
		one.limit = uint64(min(max(bytes, Window/4), Window))
	}
}

// streamed handles a frame of an open stream.
func (c *conn) streamed(f frame) error {
	c.mu.Lock()
	s := c.streams[f.id]
	c.mu.Unlock()
	if s == nil {
		return violation("sent a frame for a stream that is not open")
	}
	over, err := s.apply(f)
	if over {
		c.forget(s)
	}
	return err
}

func (c *conn) forget(s *stream) {
	c.mu.Lock()
	delete(c.streams, s.id)
	c.mu.Unlock()
}

// apply handles a frame, and reports whether both ends have closed the stream.
func (s *stream) apply(f frame) (over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.kind == frameCredit:
		if f.number > s.sentSize || f.number < s.acked {
			return false, violation("acknowledged %d bytes of the %d that were sent", f.number, s.sentSize)
		}
		s.acked = f.number
		signal(s.room)
		return false, nil
	case s.ended != nil && s.ended != ErrGap:
		return false, violation("sent a frame on a stream after closing it")
	case f.kind == frameClose:
		if s.ended == nil {
			s.ended = io.EOF
			if len(f.body) > 0 {
				s.ended = &Refused{Words(string(f.body), maxError)}
			}
		}
		signal(s.wake)
		signal(s.room)
		return s.closed, nil
	}
	return false, s.push(f)
}

// push queues a message, as long as nothing is missing before it.
func (s *stream) push(f frame) error {
	if s.queued += len(f.body); s.queued > Window {
		return violation("sent more than %d bytes on a stream before they were taken", Window)
	}
	if s.numbered++; f.number != s.numbered {
		s.ended = ErrGap
	}
	if s.ended == nil && !s.closed {
		s.queue = append(s.queue, bytes.Clone(f.body))
	}
	signal(s.wake)
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is awake, and looks at everything
	}
}

func (s *stream) Receive(ctx context.Context) ([]byte, error) {
	for {
		m, credit, err := s.next()
		if credit > 0 {
			_ = s.conn.send(frame{kind: frameCredit, id: s.id, number: credit}) // a lost link is noticed below
		}
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.conn.ctx.Done():
			if m, _, err := s.next(); m != nil || err != nil {
				return m, err
			}
			return nil, s.conn.lost()
		}
	}
}

// next removes a message from the queue, and returns the credit to report: the other end
// hears of every quarter of a window.
func (s *stream) next() (m []byte, credit uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, 0, s.ended
	}
	m, s.queue = s.queue[0], s.queue[1:]
	s.queued -= len(m)
	if s.taken += uint64(len(m)); s.taken-s.credited >= Window/4 && !s.closed {
		s.credited, credit = s.taken, s.taken
	}
	return m, credit, nil
}

func (s *stream) Send(ctx context.Context, message []byte) error {
	if len(message) > MaxMessage {
		return errors.New("send a message: it is too long")
	}
	for {
		number, err := s.claim(len(message))
		if err != nil {
			return err
		}
		if number > 0 {
			return s.conn.send(frame{kind: frameData, id: s.id, number: number, body: message})
		}
		select {
		case <-s.room:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.conn.ctx.Done():
			return s.conn.lost()
		}
	}
}

// claim returns the number of the next message; 0: the other end has to take some first.
func (s *stream) claim(size int) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return 0, io.ErrClosedPipe
	case s.ended != nil: // what it has closed, it does not read
		return 0, s.ended
	case s.sentSize-s.acked+uint64(size) > s.limit: // what was taken is acknowledged by quarters; a message fits in one
		return 0, nil
	}
	s.sent++
	s.sentSize += uint64(size)
	return s.sent, nil
}

func (s *stream) Close(why error) {
	s.mu.Lock()
	before := s.closed
	s.closed, s.queue = true, nil
	over := s.ended != nil && s.ended != ErrGap
	s.mu.Unlock()
	if before {
		return
	}
	f := frame{kind: frameClose, id: s.id}
	if why != nil && !errors.Is(why, io.EOF) {
		f.body = reason(why)
	}
	_ = s.conn.send(f) // a lost link closes all
	if over {
		s.conn.forget(s)
	}
}
