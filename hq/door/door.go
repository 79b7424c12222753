// Package door lets a session inside the sandbox reach ferrus's MCP server, which stays
// outside.
//
// A [Door] listens at a socket of its own. Each connection that it admits gets a server
// process, and the door copies bytes between the two. Inside, `ferrus serve` is only
// [Relay]: it copies between the socket and its standard streams.
//
// The door does not decide what a session may do: it admits a process of the session or
// refuses it, and the server behind it knows the session's role from the host.
//
// A session may write anything to its door, so everything is bounded: the number of
// connections, how often one is opened, the number of messages per second, the length
// of a message, and how long an answer may wait to be read. Whatever exceeds a bound
// has to wait, or its connection is closed; other sessions notice nothing.
package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync"
	"time"
)

// Env is the variable that tells `ferrus serve` inside the sandbox where its door is.
const Env = "FERRUS_DOOR"

// Bounds limit what one session can do to its door.
type Bounds struct {
	Connections int           // open at a time
	Opened      int           // opened at once; after that one a second
	Message     int           // bytes of one message
	Messages    int           // passed at once; after that half as many a second
	Write       time.Duration // that an answer may wait for its reader
	End         time.Duration // that a server has to end after its client has gone
}

// Usual are the bounds of every session.
var Usual = Bounds{
	Connections: 4, Opened: 16, Message: 16 << 20, Messages: 400,
	Write: 30 * time.Second, End: 10 * time.Second,
}

// Door is the server of one session's socket. Its fields are set before Serve.
type Door struct {
	// Admit returns why a peer is refused, for the peer to read; nil: it belongs to this session.
	Admit func(*net.UnixConn) error
	// Server returns the command that serves one connection over its standard streams.
	// It is killed when ctx ends.
	Server func(ctx context.Context) *exec.Cmd
	Bounds Bounds

	mu   sync.Mutex // guards the rest
	open map[*net.UnixConn]context.CancelFunc
	all  sync.WaitGroup // connections that are served
}

// Serve admits connections until the listener is closed.
func (d *Door) Serve(l *net.UnixListener) {
	opened := newBucket(d.Bounds.Opened, 1)
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Second) // out of descriptors: others must be closed first
			continue
		}
		ctx, err := d.admit(conn, opened)
		if err != nil {
			refuse(conn, err)
			continue
		}
		d.all.Go(func() {
			defer d.forget(conn)
			d.serve(ctx, conn)
		})
	}
}

// Close ends the connections and their servers, and waits for both.
func (d *Door) Close() {
	d.mu.Lock()
	for conn, kill := range d.open {
		conn.Close() //nolint:errcheck // its goroutines see that
		defer time.AfterFunc(d.Bounds.End, kill).Stop()
	}
	d.mu.Unlock()
	d.all.Wait()
}

// admit notes a connection as open, or says why it is refused. Its server ends with
// the context.
func (d *Door) admit(conn *net.UnixConn, opened *bucket) (context.Context, error) {
	if err := d.Admit(conn); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) >= d.Bounds.Connections {
		const most = "the session already has %d connections to ferrus, the maximum; close one first"
		return nil, fmt.Errorf(most, len(d.open))
	}
	if wait := opened.claim(); wait > 0 {
		opened.giveBack()
		return nil, errors.New("the session opens connections to ferrus too often; wait a second, then try again")
	}
	if d.open == nil {
		d.open = map[*net.UnixConn]context.CancelFunc{}
	}
	ctx, kill := context.WithCancel(context.Background())
	d.open[conn] = kill
	return ctx, nil
}

func (d *Door) forget(conn *net.UnixConn) {
	conn.Close() //nolint:errcheck // it may be closed by now
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[conn]()
	delete(d.open, conn)
}

// serve runs a server for a connection until one of them ends, and then ends the other.
func (d *Door) serve(ctx context.Context, conn *net.UnixConn) {
	cmd := d.Server(ctx)
	in, err := cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		refuse(conn, fmt.Errorf("start the server of this session: %w", err))
		return
	}
	var asked sync.WaitGroup
	asked.Go(func() {
		d.pass(in, conn) //nolint:errcheck // the client sees that its connection is closed
		in.Close()       //nolint:errcheck // the server reads the end of its input
		time.AfterFunc(d.Bounds.End, func() { _ = cmd.Process.Kill() })
	})
	if _, err := io.WriteString(conn, admitted); err == nil {
		_, _ = io.Copy(&timed{conn, d.Bounds.Write}, out) // at the end of either, both end
	}
	conn.Close() //nolint:errcheck // it ends the other direction
	out.Close()  //nolint:errcheck // a server that still writes ends
	asked.Wait()
	_ = cmd.Wait() // how it ended says nothing: a host reaps it, too
}

// timed writes to a connection whose other end has to read in time.
type timed struct {
	*net.UnixConn
	limit time.Duration
}

func (w *timed) Write(p []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(w.limit)); err != nil {
		return 0, err
	}
	return w.UnixConn.Write(p)
}

// errLong ends a connection whose message is too long.
var errLong = errors.New("a message is too long")

// pass copies messages, each a line, as fast as the bounds allow.
func (d *Door) pass(to io.Writer, from io.Reader) error {
	messages := newBucket(d.Bounds.Messages, float64(d.Bounds.Messages)/2)
	chunk, length := make([]byte, 32<<10), 0
	for {
		n, err := from.Read(chunk)
		for _, c := range chunk[:n] {
			if length++; c == '\n' {
				length = 0
				time.Sleep(messages.claim())
			}
			if length > d.Bounds.Message {
				return errLong
			}
		}
		if _, failed := to.Write(chunk[:n]); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
}

// bucket limits how often something happens: a number at once, and then some a second.
type bucket struct {
	left, most, perSecond float64
	last                  time.Time
}

func newBucket(most int, perSecond float64) *bucket {
	return &bucket{left: float64(most), most: float64(most), perSecond: perSecond, last: time.Now()}
}

// claim takes one and returns how long the caller has to wait for it.
func (b *bucket) claim() time.Duration {
	now := time.Now()
	b.left = min(b.most, b.left+now.Sub(b.last).Seconds()*b.perSecond) - 1
	b.last = now
	if b.left >= 0 {
		return 0
	}
	return time.Duration(-b.left / b.perSecond * float64(time.Second))
}

// giveBack undoes a claim.
func (b *bucket) giveBack() { b.left++ }
