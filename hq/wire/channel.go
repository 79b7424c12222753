package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// channelRoom is how many bytes a channel keeps until the other end has them.
const channelRoom = 1 << 20

// ackEvery is how many bytes or messages arrive before they are acknowledged.
const (
	ackBytes    = 64 << 10
	ackMessages = 32
)

// A message of a stream that carries a channel is one of these bytes, a number in eight bytes,
// big endian, and for a message its body.
const (
	channelAck     = 'A' // what was received up to the number is not needed any more
	channelMessage = 'M'
	channelHead    = 9
)

// Channel carries messages in both directions over the streams of one link after another, each
// once and in order. It exists as long as both ends do. Make it with [NewChannel].
type Channel struct {
	inbox chan []byte
	room  chan struct{} // size 1: something was acknowledged
	more  chan struct{} // size 1: something waits to be sent

	mu       sync.Mutex // guards the rest
	unacked  [][]byte   // as they are sent
	size     int        // bytes of unacked
	first    uint64     // number of the first of unacked
	next     int        // index in unacked of the first that is not sent on the present stream
	received uint64     // number of the newest message that was received
	pending  int        // bytes received since the last acknowledgement
}

// NewChannel returns a channel that has carried nothing.
func NewChannel() *Channel {
	return &Channel{inbox: make(chan []byte, 1), room: make(chan struct{}, 1), more: make(chan struct{}, 1), first: 1}
}

// Received returns the number of the newest message that has arrived.
func (c *Channel) Received() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received
}

// Send queues a message. It waits while too many are unacknowledged.
func (c *Channel) Send(ctx context.Context, body []byte) error {
	if len(body) > MaxMessage-channelHead {
		return errors.New("send a message: it is too long")
	}
	for !c.queue(body) {
		select {
		case <-c.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *Channel) queue(body []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size > 0 && c.size+len(body) > channelRoom {
		return false
	}
	m := append(channelFrame(channelMessage, c.first+uint64(len(c.unacked))), body...)
	c.unacked, c.size = append(c.unacked, m), c.size+len(m)
	signal(c.more)
	return true
}

func channelFrame(kind byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, number)
}

// Receive returns the next message.
func (c *Channel) Receive(ctx context.Context) ([]byte, error) {
	select {
	case m := <-c.inbox:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Run carries the channel over a stream until that ends. The other end has received the
// messages up to a number; -1: its first message says so.
func (c *Channel) Run(ctx context.Context, s Stream, received int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.Send(ctx, channelFrame(channelAck, c.Received())); err != nil {
		return err
	}
	if received < 0 {
		number, err := firstAck(ctx, s)
		if err != nil {
			return err
		}
		received = int64(number)
	}
	if err := c.rewind(uint64(received)); err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		sent <- c.sendAll(ctx, s)
		cancel()
	}()
	err := c.receiveAll(ctx, s)
	cancel()
	return errors.Join(err, <-sent)
}

func firstAck(ctx context.Context, s Stream) (uint64, error) {
	m, err := s.Receive(ctx)
	if err == nil && (len(m) != channelHead || m[0] != channelAck) {
		err = violation("did not say how far it is")
	}
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(m[1:]), nil
}

// rewind restarts sending at the first message that the other end lacks.
func (c *Channel) rewind(received uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = 0
	return c.drop(received)
}

// drop forgets what the other end has. The caller holds mu.
func (c *Channel) drop(received uint64) error {
	if received+1 < c.first || received >= c.first+uint64(len(c.unacked)) {
		return violation("acknowledged message %d of those from %d to %d", received, c.first,
			c.first+uint64(len(c.unacked))-1)
	}
	n := int(received + 1 - c.first)
	for _, m := range c.unacked[:n] {
		c.size -= len(m)
	}
	c.unacked, c.first, c.next = c.unacked[n:], received+1, max(c.next-n, 0)
	signal(c.room)
	signal(c.more)
	return nil
}

// sendAll sends what is queued, and what is to be acknowledged.
func (c *Channel) sendAll(ctx context.Context, s Stream) error {
	for {
		m := c.toSend()
		if m == nil {
			select {
			case <-c.more:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		if err := s.Send(ctx, m); err != nil {
			return err
		}
	}
}

func (c *Channel) toSend() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending >= ackBytes {
		c.pending = 0
		return channelFrame(channelAck, c.received)
	}
	if c.next == len(c.unacked) {
		return nil
	}
	c.next++
	return c.unacked[c.next-1]
}

func (c *Channel) receiveAll(ctx context.Context, s Stream) error {
	for {
		m, err := s.Receive(ctx)
		if err != nil {
			if err == io.EOF || ctx.Err() != nil {
				return nil
			}
			return err
		}
		if len(m) < channelHead {
			return violation("sent a message of %d bytes, which is too short", len(m))
		}
		number := binary.BigEndian.Uint64(m[1:])
		switch m[0] {
		case channelAck:
			c.mu.Lock()
			err = c.drop(number)
			c.mu.Unlock()
		case channelMessage:
			err = c.deliver(ctx, number, m[channelHead:])
		default:
			err = violation("sent a message of an unknown kind, %q", m[0])
		}
		if err != nil {
			return err
		}
	}
}

// deliver passes a message on, unless it already came over another stream.
func (c *Channel) deliver(ctx context.Context, number uint64, body []byte) error {
	switch newest := c.Received(); {
	case number <= newest:
		return nil
	case number > newest+1:
		return ErrGap
	}
	select {
	case c.inbox <- body:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = number
	if c.pending += len(body) + ackBytes/ackMessages; c.pending >= ackBytes {
		signal(c.more)
	}
	return nil
}
