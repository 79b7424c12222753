package host

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// sendTimeout is how long send waits for a host to make room for a frame.
const sendTimeout = 50 * time.Millisecond

// send sends the host a frame, whole or not at all. It hardly waits for a stopped host: the
// rest of a frame is sent with the next one, and a frame for which there is no room is an
// error.
func (c *Client) send(f []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return ErrDetached
	}
	owed := len(c.unsent)
	n, err := c.write(append(c.unsent, f...))
	switch {
	case n < owed:
		c.unsent = c.unsent[n:]
	case n > owed || err == nil:
		c.unsent = append([]byte(nil), f[n-owed:]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
	default:
		c.unsent = nil
	}
	if err != nil {
		return fmt.Errorf("send to the session's host: %w", err)
	}
	return nil
}

// write writes to the host in time. A deadline that this busy process slept through says nothing
// about the host, so what wrote nothing is tried once more.
func (c *Client) write(p []byte) (n int, err error) {
	for range 2 {
		if err := c.conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
			return 0, err
		}
		if n, err = c.conn.Write(p); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	return n, err
}

// Input types bytes. What the host refuses is returned by the next Input.
func (c *Client) Input(p []byte) error {
	c.mu.Lock()
	refused := c.refused
	c.refused = nil
	writer := c.writer
	c.mu.Unlock()
	switch {
	case refused != nil:
		return fmt.Errorf("send input: %w", refused)
	case !writer:
		return errors.New("send input: another terminal is typing into it")
	}
	return c.send(frame(frameInput, p))
}

// Resize asks for a size; the screen is resized once the terminal is. A session that has
// ended keeps its size.
func (c *Client) Resize(columns, rows int) error {
	if isClosed(c.done) {
		return nil
	}
	return c.send(encode(frameSize, size{columns, rows}))
}
