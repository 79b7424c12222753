// Package proxy lets programs that have no network reach the hosts that a rule names, and
// nothing else.
//
// A [Proxy] is outside the sandbox. Before a program starts inside, ferrus listens on the
// loopback inside and hands these listeners to the proxy over a Unix socket ([Connect],
// [Offer]). The socket does not exist inside: a program finds a port on its loopback, and
// variables that name it ([Env]). When everything inside has ended, its listeners are
// closed.
//
// The proxy takes HTTP requests with an absolute URI, and CONNECT for everything else, which it
// passes on unread. A target has to be named by [Rules]. Names are resolved outside, and
// addresses that are not public are refused unless the rules name them with their port. What a
// program sends to an allowed host is not examined: it can ask that host for another one that
// is served at the same address.
//
// If HTTPS_PROXY or HTTP_PROXY of this process names your proxy, all requests to public hosts
// go through it, except to hosts that NO_PROXY lists. It also resolves the names that cannot be
// resolved here.
//
// Connections, headers and times are bounded. Nothing is logged.
package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"
)

// The bounds of one proxy.
const (
	maxConnections = 512
	maxNamespaces  = 64       // at a time
	maxHeader      = 64 << 10 // of a request
	headerTime     = 30 * time.Second
	idleTime       = 20 * time.Minute // a model may think that long
	acceptPause    = time.Second      // without descriptors, until others are closed
	answerTime     = time.Second      // how long an open connection outlives your refusal of its host
)

// Proxy serves the programs of one session or gate.
type Proxy struct {
	rules    Rules
	lookup   func(ctx context.Context, host string) ([]netip.Addr, error)
	isNear   func(netip.Addr) bool
	upstream func(*http.Request) (*url.URL, error)
	idle     time.Duration
	recheck  time.Duration

	server http.Server
	slots  chan struct{} // one for each open connection

	mu     sync.Mutex // guards the rest
	closed bool
	open   map[io.Closer]bool // listeners and connections
	all    sync.WaitGroup
}

// New returns a proxy with rules. It has to be closed.
func New(rules Rules) *Proxy {
	p := &Proxy{rules: rules, lookup: lookup, isNear: isNear, upstream: http.ProxyFromEnvironment, idle: idleTime,
		recheck: answerTime, slots: make(chan struct{}, maxConnections), open: map[io.Closer]bool{}}
	silent := log.New(io.Discard, "", 0)
	p.server = http.Server{Handler: p, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime,
		IdleTimeout: headerTime, ErrorLog: silent}
	return p
}

// Listen listens at the socket where programs hand over their listeners, and serves them until
// the proxy is closed. Only you have to be able to reach the socket.
func (p *Proxy) Listen(socket string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	if !p.hold(l) {
		return net.ErrClosed
	}
	p.all.Go(func() {
		places := make(chan struct{}, maxNamespaces)
		acceptAll(l.AcceptUnix, func(conn *net.UnixConn) {
			places <- struct{}{}
			p.all.Go(func() { p.serveNamespace(conn); <-places })
		})
	})
	return nil
}

// acceptAll passes on what accept returns until its listener is closed.
func acceptAll[C net.Conn](accept func() (C, error), pass func(C)) {
	for {
		c, err := accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		pass(c)
	}
}

// Close closes everything and waits until nothing is served.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		_ = c.Close() //nolint:errcheck // its server sees that
	}
	p.mu.Unlock()
	_ = p.server.Close()
	p.all.Wait()
}

// hold registers c for Close to close. After Close it closes c at once and returns
// false.
func (p *Proxy) hold(c io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.Close()
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) release(c io.Closer) {
	_ = c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// serveNamespace serves the listeners of one namespace until nothing runs there: the processes
// that hold the connection have ended then.
func (p *Proxy) serveNamespace(conn *net.UnixConn) {
	if !p.hold(conn) {
		return
	}
	defer p.release(conn)
	listeners, ports, err := receive(conn)
	for i, l := range listeners {
		if err != nil || !p.hold(l) {
			_ = l.Close()
			continue
		}
		defer p.release(l)
		if ports[i] == 0 {
			p.all.Go(func() { _ = p.server.Serve(limited{l, p.slots}) })
		} else if slices.Contains(p.rules.loopbackPorts(), ports[i]) {
			p.all.Go(func() { p.servePort(limited{l, p.slots}, ports[i]) })
		}
	}
	if err == nil {
		_, err = conn.Write([]byte{1})
	}
	if err == nil && conn.SetDeadline(time.Time{}) == nil {
		_, _ = io.Copy(io.Discard, conn) // to its end: nothing that is written there has a meaning
	}
}

func (p *Proxy) servePort(l net.Listener, port int) {
	acceptAll(l.Accept, func(c net.Conn) { p.all.Go(func() { p.forwardPort(c, port) }) })
}

// limited makes connections wait while too many are open. A listener without connections
// takes no place.
type limited struct {
	net.Listener
	slots chan struct{}
}

func (l limited) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.slots <- struct{}{}
	return &counted{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// counted gives its place free when it is closed.
type counted struct {
	net.Conn
	free func()
}

func (c *counted) Close() error {
	defer c.free()
	return c.Conn.Close()
}

// ServeHTTP serves one request of a program inside.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address := r.URL.Host
	if r.Method != http.MethodConnect {
		if r.URL.Scheme != "http" || address == "" {
			answer(w, http.StatusBadRequest, errors.New("this proxy supports only plain http and CONNECT"))
			return
		}
		if r.Method == "TRACE" { // your own proxy would answer with the password that it was sent
			answer(w, http.StatusMethodNotAllowed, errors.New("this proxy does not support TRACE"))
			return
		}
		if r.URL.Port() == "" {
			address = net.JoinHostPort(r.URL.Hostname(), "80")
		}
	}
	t, err := parseTarget(address)
	if err == nil && r.URL.User != nil {
		err = errors.New("a user name before the host is not allowed")
	}
	if err != nil {
		answer(w, http.StatusBadRequest, err)
		return
	}
	if r.Method == http.MethodConnect {
		p.connect(w, r, t)
		return
	}
	p.forward(w, r, t)
}

// connect connects a program with a target.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, t target) {
	up, err := p.dial(r.Context(), t)
	if err != nil {
		fail(w, err)
		return
	}
	defer up.Close()
	down, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fail(w, err)
		return
	}
	defer down.Close()
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
		p.tunnel(down, buffered.Reader, up, t)
	}
}

// fail answers a request whose target was not reached.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		status = http.StatusForbidden
	}
	answer(w, status, err)
}

func answer(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Connection", "close")
	http.Error(w, "ferrus: "+err.Error(), status)
}

// forward passes a request on, over a connection of its own, and its answer back.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, t target) {
	to, err := p.find(r.Context(), t, "http")
	if err != nil {
		fail(w, err)
		return
	}
	dialer := net.Dialer{Timeout: dialTime}
	connect := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := net.Conn(nil), error(nil)
		if to.upstream != nil {
			c, err = dialer.DialContext(ctx, network, address) // of your own proxy
		} else {
			c, err = to.dial(ctx, t)
		}
		if err != nil {
			return nil, err
		}
		return &watched{c, p.watch(t)}, nil
	}
	pass := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.Host = r.Out.URL.Host },
		Transport: &http.Transport{Proxy: http.ProxyURL(to.upstream), DialContext: connect, DisableKeepAlives: true,
			DisableCompression: true, MaxResponseHeaderBytes: 1 << 20},
		ErrorLog:     p.server.ErrorLog,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) },
	}
	pass.ServeHTTP(w, r)
}

// tunnel copies between a program, whose first bytes were read already, and a target until
// both have closed their side, neither has sent anything for too long, or you refuse the target.
func (p *Proxy) tunnel(down net.Conn, read io.Reader, up net.Conn, t target) {
	if !p.hold(up) || !p.hold(down) {
		return
	}
	defer p.release(up)
	defer p.release(down)
	if err := down.SetDeadline(time.Time{}); err != nil { // The server had one for the header.
		return
	}
	w := p.watch(t)
	to, from := &watched{up, w}, &watched{down, w}
	var both sync.WaitGroup
	both.Go(func() { pipe(to, reader{read, from}); w.end(up, down) })
	both.Go(func() { pipe(from, to); w.end(down, up) })
	both.Wait()
}

func pipe(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// halfClose says that nothing follows; what cannot say that is closed.
func halfClose(c net.Conn) {
	switch of := c.(type) {
	case *counted:
		c = of.Conn
	case *upstreamConn:
		c = of.Conn
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}
