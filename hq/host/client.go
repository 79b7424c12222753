package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"ferrus/agent"
)

const (
	handshakeTimeout = 30 * time.Second // for a host to answer a greeting
	hostPatience     = 15 * time.Second // for a host to end its agent, besides the grace
	stoppedAfter     = 2 * time.Second  // after which a host that does not answer gets SIGCONT
)

// ErrDetached is returned for a session that we detached from.
var ErrDetached = errors.New("the session continues in its host")

// Client is the conductor's end of a session in a host. Its own goroutine writes the output
// to the screen, and ends with the session or with Detach. Its methods may be called from
// any goroutine.
type Client struct {
	Columns, Rows int // of the terminal when the client connected

	conn        *net.UnixConn
	screen      agent.Screen // written to by follow alone
	record      Record
	command     *exec.Cmd     // of a host that we started; nil: it was found
	done        chan struct{} // closed when the session has ended; never after Detach
	over        chan struct{} // closed when follow has returned
	exit        agent.Exit    // owned by follow until done is closed
	unthrottled chan struct{} // closed when the rest of the output is wanted at once
	unthrottle  sync.Once     // closes it
	connState
}

// connState is what a client shares between its goroutines.
type connState struct {
	mu      sync.Mutex // guards the rest, and that frames are sent whole
	writer  bool       // this client types
	unsent  []byte     // the rest of a frame that was sent in part
	refused error      // what the host refused last; the next Input returns it
	gone    bool       // Detach was called
}

// Reattach connects to the session that a record names. When it returns, the screen shows
// what the host's shows. A session that has ended is connected to as well, to learn how it
// ended.
func Reattach(r Record, screen agent.Screen) (*Client, error) {
	conn, err := reach(r)
	if err != nil {
		return nil, err
	}
	defer wake(r, stoppedAfter).Stop()
	w, paint, err := greet(conn, hello{Kind: Conductor})
	if err == nil && w.Record.Session != r.Session {
		err = errors.New("reach a session's host: it runs another session")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	screen.Resize(w.Columns, w.Rows)
	_, _ = screen.Write(paint) // an emulator takes everything
	return newClient(conn, screen, w, nil), nil
}

// greet introduces a client, and returns the host's welcome and the bytes that redraw its
// screen.
func greet(conn *net.UnixConn, who hello) (welcome, []byte, error) {
	if _, err := conn.Write(encode(frameHello, who)); err != nil {
		return welcome{}, nil, fmt.Errorf("reach a session's host: %w", err)
	}
	w, err := readWelcome(conn)
	if err != nil {
		return w, nil, err
	}
	kind, paint, err := readFrame(conn, nil)
	if err != nil || kind != framePaint {
		return w, nil, errors.Join(errors.New("reach a session's host: it sent no screen"), err)
	}
	return w, paint, conn.SetDeadline(time.Time{})
}

// wake continues a stopped host after a while, unless its timer is stopped before.
func wake(r Record, after time.Duration) *time.Timer {
	return time.AfterFunc(after, func() { agent.SignalHost(r.Session, syscall.SIGCONT) })
}

// reach connects to a host. A host that lost its socket is asked to make a new one.
func reach(r Record) (*net.UnixConn, error) {
	conn, err := connect(r.Socket)
	// The host is found by its environment: a recorded pid may belong to another process by now.
	if err == nil || r.Exit != nil || !errors.Is(err, os.ErrNotExist) || !agent.SignalHost(r.Session, syscall.SIGUSR1) {
		return conn, err
	}
	for range 500 {
		time.Sleep(10 * time.Millisecond)
		if conn, err = connect(r.Socket); err == nil {
			break
		}
	}
	return conn, err
}

// readWelcome reads the first frame of a host.
func readWelcome(conn net.Conn) (welcome, error) {
	var w welcome
	if err := conn.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return w, err
	}
	kind, body, err := readFrame(conn, nil)
	if err == nil && kind != frameWelcome {
		err = errors.New("it does not answer like a host")
	}
	if err == nil {
		err = decode("what a host says", body, &w)
	}
	if err != nil {
		return w, fmt.Errorf("reach a session's host: %w", err)
	}
	return w, nil
}

func newClient(conn *net.UnixConn, screen agent.Screen, w welcome, command *exec.Cmd) *Client {
	c := &Client{
		Columns: w.Columns, Rows: w.Rows,
		conn: conn, screen: screen, record: w.Record, command: command, connState: connState{writer: w.Writer},
		done: make(chan struct{}), over: make(chan struct{}), unthrottled: make(chan struct{}),
	}
	go c.follow()
	return c
}

// follow handles the frames of the host until it is gone.
func (c *Client) follow() {
	defer close(c.over)
	defer floods.leave(c)
	var buf []byte
	var end *Ending
	var flow rateMeter
	for {
		kind, body, err := readFrame(c.conn, buf)
		if err != nil {
			break
		}
		buf = body[:0]
		if kind == frameExited && decode("an ending", body, &end) == nil {
			_ = c.send(frame(frameTaken, nil)) // a host that is gone needs none
			continue
		}
		c.handleFrame(kind, body)
		if kind == frameOutput {
			c.throttle(flow.delay(len(body), c, time.Now()))
		}
	}
	c.finish(end)
}

// handleFrame handles a frame that is no ending.
func (c *Client) handleFrame(kind byte, body []byte) {
	switch kind {
	case frameOutput:
		_, _ = c.screen.Write(body) // an emulator takes everything
		if r, ok := c.screen.(agent.Replier); ok {
			r.Replies() // the host's own emulator has answered
		}
	case frameResized:
		var to size
		if decode("a size", body, &to) == nil {
			c.screen.Resize(to.Columns, to.Rows)
		}
	case frameWriter:
		c.mu.Lock()
		c.writer = len(body) == 1 && body[0] == 1
		c.mu.Unlock()
	case frameRefused:
		c.mu.Lock()
		c.refused = errors.New(string(body))
		c.mu.Unlock()
	}
}

// finish handles the end of the host. A host that did not report how its agent ended has
// died: what it ran is killed.
func (c *Client) finish(end *Ending) {
	c.mu.Lock()
	gone := c.gone
	c.mu.Unlock()
	if gone {
		return
	}
	c.conn.Close() //nolint:errcheck // the other end is gone
	if end != nil {
		c.exit = end.Exit()
	} else {
		c.exit = failed("the host of the session died", c.cleanUpDead())
	}
	if c.command != nil {
		_ = c.command.Wait() // how the agent ended is what counts
	}
	close(c.done)
}

// cleanUpDead kills everything of the session, its host too.
func (c *Client) cleanUpDead() error {
	return agent.KillTree(c.PID(), c.record.Session)
}

// Record returns where the session runs.
func (c *Client) Record() Record { return c.record }

// Detach lets the session run on without us. Done is never closed after that.
func (c *Client) Detach() {
	c.mu.Lock()
	over := c.gone
	c.gone = true
	c.stopThrottling()
	c.mu.Unlock()
	if over {
		return
	}
	c.conn.Close() //nolint:errcheck // nothing is sent any more
	<-c.over
	if c.command != nil {
		go c.command.Wait() //nolint:errcheck // it is ours to reap as long as we live
	}
}

// stopThrottling ends the rate at which a flood is read.
func (c *Client) stopThrottling() { c.unthrottle.Do(func() { close(c.unthrottled) }) }

// End makes the host end its agent with all that it started, and waits. A host that does
// not is killed together with them. The end of ctx cuts the grace short.
func (c *Client) End(ctx context.Context, grace time.Duration) agent.Exit {
	c.stopThrottling()
	if !isClosed(c.done) {
		_ = c.send(numbered(frameEnd, uint64(max(grace.Milliseconds(), 0)))) // a host that is gone has ended its agent
	}
	defer wake(c.record, grace+stoppedAfter).Stop()
	if exit, over := c.await(ctx.Done(), 2*grace+hostPatience); over {
		return exit
	}
	if ctx.Err() != nil {
		_ = c.send(numbered(frameEnd, 0)) // the grace is over; cleanup is still awaited
		if exit, over := c.await(nil, hostPatience); over {
			return exit
		}
	}
	err := c.cleanUpDead()
	if exit, over := c.await(nil, hostPatience); over {
		return exit
	}
	return failed("end session: its host did not exit", err)
}

// failed returns the exit of a session whose host did not report how it ended.
func failed(why string, err error) agent.Exit {
	return agent.Exit{Code: -1, Ended: time.Now(), Err: errors.Join(errors.New(why), err)}
}

// await waits for the end of the session, or until we have detached; false: enough was closed
// or the time has passed first.
func (c *Client) await(enough <-chan struct{}, within time.Duration) (agent.Exit, bool) {
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case <-c.over:
	case <-enough:
		return agent.Exit{}, false
	case <-patience.C:
		return agent.Exit{}, false
	}
	if !isClosed(c.done) {
		return agent.Exit{Err: ErrDetached}, true
	}
	return c.exit, true
}

// Done is closed when the session has ended and Exit is known.
func (c *Client) Done() <-chan struct{} { return c.done }

// PID returns the agent's process id; 0: it was gone before it could be identified.
func (c *Client) PID() int {
	if c.record.Agent == nil {
		return 0
	}
	return c.record.Agent.PID
}

// Ended returns a client of a session that has ended, from its record alone.
func Ended(r Record) *Client {
	c := &Client{record: r, done: make(chan struct{}), over: make(chan struct{}),
		unthrottled: make(chan struct{}), exit: r.Exit.Exit(), connState: connState{gone: true}}
	close(c.done)
	close(c.over)
	return c
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
