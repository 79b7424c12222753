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
	"ferrus/agent/proxy"
)

// drainTime is how long clients have to read how the agent ended, and graceful how long an agent
// has to end when its host gets SIGTERM or loses the conductor that it depends on.
const (
	drainTime = 2 * time.Second
	stopGrace = 5 * time.Second
)

// Disk is where a host writes. Save replaces the record atomically.
type Disk interface {
	Save(Record) error
	Log(name string, environ []string) (io.WriteCloser, error) // hides the secrets of environ
	Intruded(l Launch, pid int)                                // a process that is not of the session came to its door
	Reaches(l Launch, host string) bool                        // whether the session may; the first time you are asked
	Refuses(l Launch, host string) bool                        // whether you answered no
}

// Serve runs a host: it reads the launch from the descriptor that it inherited, and returns
// when the session has ended and a conductor knows how.
func Serve(line *os.File, open func(Launch) (Disk, error)) error {
	signals := make(chan os.Signal, 4) // signals may come while one is handled
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
	if err := confine(); err != nil {
		return err
	}
	if err := h.launchAgent(open); err != nil {
		_, sent := first.Write(encode(frameWelcome, welcome{Failed: err.Error()}))
		return errors.Join(err, sent)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer func() { signal.Stop(ended); close(ended) }()
	go h.reapOrphans(ended)
	h.join(first, hello{Kind: Conductor}, true)
	close(h.release)
	defer Sweep() // other hosts may have been killed; nothing waits for this process any more
	return h.serveClients(signals)
}

// confine makes sure that everything that the agent starts can be told from what you start:
// it carries the mark of a session, and stays below this process when its parent ends.
func confine() error {
	if err := process.MarkSession(); err != nil {
		return err
	}
	return process.AdoptOrphans()
}

// reapOrphans reaps adopted processes until the host ends.
func (h *host) reapOrphans(ended <-chan os.Signal) {
	for range ended {
		process.ReapOrphans(h.session.PID())
	}
}

// connection returns an inherited descriptor as a socket, and closes the file.
func connection(line *os.File) (*net.UnixConn, error) {
	conn, err := net.FileConn(line)
	if err != nil {
		return nil, fmt.Errorf("run a host: %w", err)
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("run a host: the inherited descriptor is not a socket"), conn.Close())
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
	conductorGone chan struct{} // size 1: a conductor has disconnected
	release       chan struct{} // closed when the first client follows; until then output waits
	serving       sync.WaitGroup
	sessionDoor
	proxy      *proxy.Proxy       // nil: the session needs none
	endSeeding context.CancelFunc // stops filling the cache of the task
	hostState
}

// hostState is what the goroutines of a host share.
type hostState struct {
	mu             sync.Mutex // guards the rest
	record         Record
	listener       *net.UnixListener
	clients        []*client
	writer         *client // the client that types; nil: none
	size           size    // of the terminal
	isAcknowledged bool    // acknowledged is closed
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
	if h.listener, h.record.Socket, err = listenSocket(l.Project, socketName(l.Task, l.Slot)); err != nil {
		return err
	}
	err = h.disk.Save(h.record)
	if err == nil {
		err = h.listenAtDoor()
	}
	if err == nil {
		err = h.startProxy()
	}
	if err == nil {
		err = h.start()
	}
	if err == nil {
		h.openDoor()
		go h.carryLogins()
		h.seedCache()
	} else {
		h.closeDoor()
		h.closeProxy()
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
		renderer = agent.RendererOf(l.Renderer)
	}
	h.size = size{l.Columns, l.Rows}
	screen := newScreen(l.Columns, l.Rows, l.Scrollback)
	dir, waits := cmp.Or(l.Workspace, l.Project), &delayedLog{log, h.release}
	h.session, err = agent.Start(l.Invocation, dir, l.Columns, l.Rows, screen, waits, renderer)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	h.log = log
	h.launch.Invocation = agent.Invocation{} // its environment holds the nonce, and is not needed any more
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

// delayedLog is a log whose first write waits for the first client, so that the client
// misses nothing.
type delayedLog struct {
	io.Writer
	until <-chan struct{}
}

func (w *delayedLog) Write(p []byte) (int, error) {
	<-w.until
	return w.Writer.Write(p)
}

// serveClients serves clients until the session has ended and a conductor knows how.
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

// isUnwanted waits until the host gets SIGTERM, or loses a conductor that it must not
// outlive; false: over or patience came first.
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

// finish ends what the agent left behind, records how it ended, sends that to the clients,
// and waits until a conductor has acknowledged it. A kill before the record is saved leaves
// a session without an ending, which its next owner counts as killed.
func (h *host) finish(signals <-chan os.Signal, impatient bool) error {
	exit := agent.End(context.Background(), h.session, 0)
	h.closeDoor()
	h.closeProxy()
	h.endSeeding()
	if l := h.launch.Home; l != nil {
		_ = l.Sync() // a session that left none that can be carried loses it
	}
	exit.Err = errors.Join(exit.Err, h.log.Close())
	h.mu.Lock()
	h.record.Exit = ending(exit)
	last := encode(frameExited, h.record.Exit)
	record := h.record
	record.Exit = record.Exit.withoutFinal() // it may hold a secret, and the client that needs it is connected
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

// rebind makes a new socket on SIGUSR1: logging out everywhere removes the directory. The
// other signals end the host, or do nothing; they are caught and not ignored, because the
// agent would inherit that.
func (h *host) rebind(s os.Signal) {
	if s != syscall.SIGUSR1 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := os.Lstat(h.record.Socket); err == nil {
		return
	}
	l, socket, err := listenSocket(h.launch.Project, socketName(h.launch.Task, h.launch.Slot))
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
			time.Sleep(time.Second) // out of descriptors: no client can connect before one is closed
			continue
		}
		go h.receive(conn)
	}
}

// receive adds a client that introduces itself in time.
func (h *host) receive(conn *net.UnixConn) {
	who, err := readHello(conn)
	if err != nil {
		conn.Close() //nolint:errcheck // it is no client
		return
	}
	if who.Kind == asker {
		h.answerOwner(conn)
		return
	}
	h.join(conn, who, false)
}

// readHello reads the first frame of a client of our user.
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
