package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"

	"ferrus/hq/host"
	"ferrus/hq/wire"
)

// How long the link process waits before it connects again: first and at most; and without
// clients before it ends.
const (
	firstPause  = 200 * time.Millisecond
	longPause   = 10 * time.Second
	idleTimeout = 20 * time.Second
)

// Dialer connects to a worker. The link must end when its other end does.
type Dialer func(context.Context) (wire.Link, error)

// link is the link process of one worker.
type link struct {
	target Target
	build  wire.Build
	dial   Dialer

	mu      sync.Mutex // guards the rest
	status  LinkStatus
	present wire.Link // nil: it is not connected
	clients int
	idle    time.Time // since when there are no clients
}

// RunLink owns the connection to a worker until the context ends, or no client is left.
func RunLink(ctx context.Context, t Target, build wire.Build, dial Dialer) error {
	socket, err := t.socket()
	if err != nil {
		return err
	}
	listener, err := host.Listen(socket)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &link{target: t, build: build, dial: dial, idle: time.Now(),
		status: LinkStatus{Since: time.Now(), Why: "connecting"}}
	var all sync.WaitGroup
	all.Go(func() { l.connect(ctx) })
	all.Go(func() { l.endIfIdle(ctx, cancel) })
	context.AfterFunc(ctx, func() { listener.Close() })
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			break
		}
		if _, err := host.Peer(conn); err != nil {
			conn.Close()
			continue
		}
		all.Go(func() { l.serve(ctx, conn) })
	}
	cancel()
	all.Wait()
	return nil
}

func (l *link) serve(ctx context.Context, conn net.Conn) {
	l.count(1)
	defer l.count(-1)
	_ = wire.Serve(ctx, wire.Bytes(conn, conn), l) // a client that is gone needs nothing
}

func (l *link) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients, l.idle = l.clients+n, time.Now()
}

func (l *link) endIfIdle(ctx context.Context, end func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		over := l.clients == 0 && time.Since(l.idle) > idleTimeout
		l.mu.Unlock()
		if over {
			end()
			return
		}
	}
}

// connect connects again and again. A worker that broke the protocol is marked, and left alone
// until this process is started anew.
func (l *link) connect(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		began := time.Now()
		err := l.once(ctx)
		var v *wire.Violation
		l.mu.Lock()
		if l.present = nil; l.status.Connected {
			l.status.Since = time.Now()
		}
		l.status.Connected, l.status.Why = false, wire.Words(fmt.Sprint(err), 400)
		if errors.As(err, &v) {
			l.status.Marked = wire.Words(v.What, 400)
		}
		marked := l.status.Marked != ""
		l.mu.Unlock()
		if marked {
			<-ctx.Done()
			return
		}
		if time.Since(began) > longPause {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longPause)
	}
}

// once keeps one connection for as long as the worker answers.
func (l *link) once(ctx context.Context) error {
	now, err := l.dial(ctx)
	if err != nil {
		return err
	}
	defer now.Close()
	var w wire.Welcome
	hello := wire.Hello{Build: l.build, Home: l.target.HomeID(), Project: filepath.Base(l.target.Project),
		Patience: l.target.Patience}
	greeting, cancel := context.WithTimeout(ctx, wire.HomePatience)
	defer cancel()
	if err := wire.Ask(greeting, now, wire.MethodHello, hello, &w); err != nil {
		return cause(now, err)
	}
	if err := l.compare(w.Build); err != nil {
		return err
	}
	w = boundedWelcome(w)
	l.mu.Lock()
	l.present, l.status = now, LinkStatus{Connected: true, Since: time.Now(), Heard: time.Now(), Welcome: &w}
	l.mu.Unlock()
	return cause(now, l.follow(ctx, now))
}

// cause returns why a link has ended, if it says so.
func cause(l wire.Link, err error) error {
	if why := l.Err(); why != nil {
		return why
	}
	return err
}

// follow asks how the worker is until it does not answer.
func (l *link) follow(ctx context.Context, now wire.Link) error {
	tick := time.NewTicker(wire.Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-now.Done():
			return wire.ErrLost
		case <-tick.C:
		}
		var s wire.Status
		ask, cancel := context.WithTimeout(ctx, wire.HomePatience)
		err := wire.Ask(ask, now, wire.MethodStatus, struct{}{}, &s)
		cancel()
		if err != nil {
			return fmt.Errorf("the worker does not answer: %w", err)
		}
		l.mu.Lock()
		welcome := *l.status.Welcome
		welcome.Status = boundedStatus(s)
		l.status.Welcome, l.status.Heard = &welcome, time.Now()
		l.mu.Unlock()
	}
}

// compare refuses a worker of another version.
func (l *link) compare(w wire.Build) error {
	if l.build.Same(w) {
		return nil
	}
	cure := "run: ferrus worker copy " + l.target.Name
	if l.target.SSH == "" {
		cure = "install the same build there"
	}
	if w.Version == l.build.Version && w.System == l.build.System && w.Protocol == l.build.Protocol {
		return fmt.Errorf("the worker has another build of ferrus %s; %s", l.build.Version, cure)
	}
	return fmt.Errorf("the worker has ferrus %s (%s, protocol %d), and home has %s (%s, protocol %d); %s",
		wire.Words(w.Version, 60), wire.Words(w.System, 30), w.Protocol, l.build.Version, l.build.System,
		l.build.Protocol, cure)
}

// now returns the present link.
func (l *link) now() (wire.Link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.present == nil {
		return nil, errors.New(errNotReachable)
	}
	return l.present, nil
}

// Call answers a client: calls that are not for this process go to the worker.
func (l *link) Call(ctx context.Context, m wire.Method, body []byte) ([]byte, error) {
	if m == MethodLink {
		l.mu.Lock()
		defer l.mu.Unlock()
		return json.Marshal(l.status)
	}
	if m == MethodMark {
		var what string
		err := wire.Read(m, body, &what)
		if err == nil {
			l.mark(what)
		}
		return []byte("null"), err
	}
	now, err := l.now()
	if err != nil {
		return nil, err
	}
	answer, err := now.Call(ctx, m, body)
	if errors.Is(err, wire.ErrLost) {
		err = errors.New(errNotReachable)
	}
	return answer, err
}

// mark notes what the worker did against the protocol, and ends the connection to it.
func (l *link) mark(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status.Marked = wire.Words(what, 400)
	if l.present != nil {
		l.present.Close() //nolint:errcheck // it ends
	}
}

// Stream carries the messages of a client's stream to the worker and back.
func (l *link) Stream(ctx context.Context, m wire.Method, body []byte, client wire.Stream) error {
	now, err := l.now()
	if err != nil {
		return err
	}
	far, err := now.Stream(ctx, m, body)
	if err != nil {
		return errors.New(errNotReachable)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer far.Close(nil)
	go func() {
		defer cancel()
		_ = forward(ctx, far, client)
	}()
	err = forward(ctx, client, far)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if errors.Is(err, wire.ErrLost) || errors.Is(err, wire.ErrGap) {
		return errors.New(errNotReachable)
	}
	return err
}

func forward(ctx context.Context, to, from wire.Stream) error {
	for {
		m, err := from.Receive(ctx)
		if err == nil {
			err = to.Send(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}
