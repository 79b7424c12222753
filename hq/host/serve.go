package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
)

// drainTime is how long clients have to read how the agent ended, and graceful how long
// an agent has to end when its host was told to.
const (
	drainTime = 2 * time.Second
	stopGrace = 5 * time.Second
)

// Disk is where a host writes.
type Disk interface {
	Save(Record) error
	Log(name string, environ []string) (io.WriteCloser, error) // without the secrets of an environment
}

// Serve is a host: it reads the launch from the descriptor that it inherited, and returns
// when the session is over and a conductor knows it.
func Serve(line *os.File, open func(Launch) (Disk, error)) error {
	signals := make(chan os.Signal, 4) // as many as come while one is handled
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGINT)
	first, err := connection(line)
	if err != nil {
		return err
	}
	kind, body, err := readFrame(first, nil)
	if err != nil || kind != frameLaunch {
		return errors.Join(errors.New("run a host: nothing was launched"), err)
	}
	h := &host{acknowledged: make(chan struct{}), conductorGone: make(chan struct{}, 1), release: make(chan struct{})}
	if err := decode("a launch", body, &h.launch); err != nil {
		return err
	}
	if err := h.launchAgent(open); err != nil {
		_, sent := first.Write(encode(frameWelcome, welcome{Failed: err.Error()}))
		return errors.Join(err, sent)
	}
	h.join(first, hello{Kind: Conductor}, true)
	close(h.release)
	defer Sweep() // nothing waits for this process any more, and other hosts may have been killed
	return h.serveClients(signals)
}

// connection returns an inherited descriptor as a socket.
func connection(line *os.File) (*net.UnixConn, error) {
	conn, err := net.FileConn(line)
	if err != nil {
		return nil, fmt.Errorf("run a host: %w", err)
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("run a host: what it inherited is no socket"), conn.Close())
	}
	return unix, line.Close()
}

// host owns one session.
type host struct {
	launch        Launch
	disk          Disk
	session       *agent.Session
	log           io.Closer
	acknowledged  chan struct{} // closed when a conductor knows the ending
	conductorGone chan struct{} // size 1: a conductor has gone
	release       chan struct{} // closed when the first client follows: what the agent writes waits for it
	serving       sync.WaitGroup

	mu             sync.Mutex // guards the rest
	record         Record
	listener       *net.UnixListener
	clients        []*client
	writer         *client
	size           size
	isAcknowledged bool // taken is closed
}

// launchAgent starts the agent. The record is on the disk before the agent runs.
func (h *host) launchAgent(open func(Launch) (Disk, error)) (err error) {
	l := h.launch
	if h.disk, err = open(l); err != nil {
		return err
	}
	me, err := process.Identify(os.Getpid())
	if err != nil {
		return err
	}
	h.record = Record{
		Slot: l.Slot, Session: l.Session, Number: l.Number,
		Host: me, Log: l.Log, StartedAt: time.Now().UTC().Round(0),
	}
	if h.listener, h.record.Socket, err = listenSocket(l.Project, l.Slot); err != nil {
		return err
	}
	err = h.disk.Save(h.record)
	if err == nil {
		err = h.start()
	}
	if err != nil {
		err = errors.Join(err, h.listener.Close())
		removeSocketDir(h.record.Socket)
	}
	return err
}

func (h *host) start() error {
	l := h.launch
	log, err := h.disk.Log(l.Log, l.Invocation.Env)
	if err != nil {
		return err
	}
	var renderer agent.Renderer
	if l.Renderer != "" {
		if adapter, err := agent.Lookup(l.Renderer, nil); err == nil {
			renderer = adapter.Renderer()
		}
	}
	h.size = size{l.Columns, l.Rows}
	screen := newScreen(l.Columns, l.Rows, l.Scrollback)
	dir, waits := cmp.Or(l.Workspace, l.Project), &delayedLog{log, h.release}
	h.session, err = agent.Start(l.Invocation, dir, l.Columns, l.Rows, screen, waits, renderer)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	h.log = log
	h.launch.Invocation = agent.Invocation{} // its environment is of no use any more
	if h.record.Agent, err = process.Identify(h.session.PID()); err != nil {
		h.record.Agent = nil // it is gone already
	}
	if err := h.disk.Save(h.record); err != nil {
		close(h.release)
		agent.End(context.Background(), h.session, 0)
		return errors.Join(err, log.Close())
	}
	return nil
}

// delayedLog is a log whose first write waits for the first client, so that it misses
// nothing.
type delayedLog struct {
	io.Writer
	until <-chan struct{}
}

func (w *delayedLog) Write(p []byte) (int, error) {
	<-w.until
	return w.Writer.Write(p)
}

// serveClients serves clients until the session is over and a conductor knows it.
func (h *host) serveClients(signals <-chan os.Signal) error {
	h.mu.Lock()
	listener := h.listener
	h.mu.Unlock()
	go h.accept(listener)
	impatient := h.isUnwanted(signals, h.session.Done(), nil)
	if impatient {
		agent.End(context.Background(), h.session, stopGrace)
	}
	return h.finish(signals, impatient)
}

// isUnwanted waits until the host is told to end, or is tethered to a conductor that has
// gone; false: over or patience came first.
func (h *host) isUnwanted(signals <-chan os.Signal, over <-chan struct{}, patience <-chan time.Time) bool {
	for {
		select {
		case <-over:
			return false
		case <-patience:
			return false
		case <-h.conductorGone:
			if h.launch.StopOnExit && !h.conducted() {
				return true
			}
		case s := <-signals:
			h.rebind(s)
			if s == syscall.SIGTERM {
				return true
			}
		}
	}
}

// finish ends what the agent left behind, writes down how it ended, tells the
// clients, and waits for a conductor to know.
func (h *host) finish(signals <-chan os.Signal, impatient bool) error {
	exit := agent.End(context.Background(), h.session, 0)
	exit.Err = errors.Join(exit.Err, h.log.Close())
	h.mu.Lock()
	h.record.Exit = ending(exit)
	last := encode(frameExited, h.record.Exit)
	record := h.record
	record.Exit = record.Exit.withoutFinal() // it may be a secret, and the client that wants it is connected
	h.mu.Unlock()
	err := h.disk.Save(record)
	h.mu.Lock()
	for _, g := range h.clients {
		g.end(last)
	}
	h.mu.Unlock()
	if !impatient {
		h.isUnwanted(signals, h.acknowledged, time.After(lingerTime))
	}
	h.mu.Lock()
	listener, socket := h.listener, h.record.Socket
	h.mu.Unlock()
	err = errors.Join(err, listener.Close())
	removeSocketDir(socket)
	served := make(chan struct{})
	go func() { h.serving.Wait(); close(served) }()
	select {
	case <-served:
	case <-time.After(drainTime):
	}
	return err
}

// rebind makes the socket anew on SIGUSR1: its directory is removed when its user logs out
// everywhere. The other signals end the host, or do nothing; they are not ignored, because
// the agent would inherit that.
func (h *host) rebind(s os.Signal) {
	if s != syscall.SIGUSR1 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := os.Lstat(h.record.Socket); err == nil {
		return
	}
	l, socket, err := listenSocket(h.launch.Project, h.launch.Slot)
	if err != nil {
		return // the client that asked finds no socket
	}
	h.listener.SetUnlinkOnClose(false)
	h.listener.Close() //nolint:errcheck // its file is gone
	h.listener, h.record.Socket = l, socket
	h.disk.Save(h.record) //nolint:errcheck // the path is the usual one
	go h.accept(l)
}

func (h *host) accept(l *net.UnixListener) {
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Second) // out of descriptors: no client can connect now
			continue
		}
		go h.receive(conn)
	}
}

// receive accepts a client that says in time what it is.
func (h *host) receive(conn *net.UnixConn) {
	who, err := readHello(conn)
	if err != nil {
		conn.Close() //nolint:errcheck // it is no client
		return
	}
	h.join(conn, who, false)
}

func readHello(conn *net.UnixConn) (who hello, err error) {
	err = checkPeer(conn)
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(handshakeTimeout))
	}
	if err != nil {
		return who, err
	}
	kind, body, err := readFrame(conn, nil)
	if err != nil || kind != frameHello {
		return who, errors.Join(errors.New("no client says hello"), err)
	}
	return who, errors.Join(decode("a client", body, &who), conn.SetReadDeadline(time.Time{}))
}
