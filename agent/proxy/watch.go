package proxy

import (
	"io"
	"net"
	"sync"
	"time"
)

// watch says how long what is connected to a target stays open.
type watch struct {
	idle, recheck time.Duration
	refused       func() bool

	mu      sync.Mutex // guards the rest
	checked time.Time
	over    bool
}

func (p *Proxy) watch(t target) *watch {
	return &watch{idle: p.idle, recheck: p.recheck, refused: func() bool { return p.refuses(t) }, checked: time.Now()}
}

// isOver reports whether you have refused the target since it was connected to.
func (w *watch) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over && time.Since(w.checked) >= w.recheck {
		w.checked, w.over = time.Now(), w.refused()
	}
	return w.over
}

// end passes on that nothing follows in one direction, or closes both.
func (w *watch) end(to, other net.Conn) {
	if w.isOver() {
		_, _ = to.Close(), other.Close()
		return
	}
	halfClose(to)
}

// watched is a connection that fails when nothing was read or written for a time, and when you refuse its target.
type watched struct {
	net.Conn
	*watch
}

func (c *watched) move() { _ = c.SetDeadline(time.Now().Add(c.idle)) }

func (c *watched) Read(b []byte) (int, error) {
	c.move()
	return c.pass(c.Conn.Read(b))
}

func (c *watched) Write(b []byte) (int, error) {
	c.move()
	if _, err := c.pass(0, nil); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// pass returns its arguments, or that the target is refused.
func (c *watched) pass(n int, err error) (int, error) {
	if c.isOver() {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

// reader reads what was buffered of a connection, and then the connection.
type reader struct {
	io.Reader
	of *watched
}

func (r reader) Read(b []byte) (int, error) {
	r.of.move()
	return r.of.pass(r.Reader.Read(b))
}
