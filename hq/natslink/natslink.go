// Package natslink connects home and its workers over your NATS server or cluster: it is
// the transport of [ferrus/hq/wire] for machines that cannot reach each other by ssh.
//
// A worker calls [Connect], then [Conn.Serve]. It announces itself every [Beat] and when a home
// asks. A home calls Connect, then [Conn.Discover], and [Conn.Dial] for a worker that it found.
//
// The HQ of a home lets HQs on other machines join by [Conn.Admit]; these are its guests, and call [Conn.Join].
//
// It uses only core NATS messages, no streams and no buckets: the server stores nothing. A lost
// message is noticed by its missing number and ends the link, and so does a broken connection to
// the server; the caller dials again. A sender waits while [Window] bytes are unacknowledged,
// because the server would drop what a slow reader does not take.
//
// The server's accounts and permissions decide who may publish what. Each subject names the
// worker, and the home if it concerns only one, so a worker that may publish only its own
// subjects cannot answer for another; see `ferrus help workers`. What a worker sends is not
// trusted: its length and the unacknowledged amount are bounded, and a worker's name is taken
// from the subject, never from the message.
package natslink

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"ferrus/ui/text/lazyregexp"
)

// Beat is how often a worker announces itself. A worker that was not heard of for three of them
// is [Found.Lost].
const Beat = 5 * time.Second

// Server says which server is used, and as whom.
type Server struct {
	URL   string // of one server, or several divided by commas: nats://nats.example.com:4222, tls://...
	Creds string // the file with the credentials that your server's operator made; empty: none
	CA    string // the file with the certificates of your authority; empty: the system's
}

// The subjects. Their version is of this package; what a link carries has its own, see
// [wire.Protocol].
const (
	prefix   = "ferrus.v1."
	ask      = prefix + "ask"       // a home asks who is there
	announce = prefix + "announce." // + worker: it is there
	toWorker = prefix + "worker."   // + worker.home.link: messages of a link for a worker
	toHome   = prefix + "home."     // + home.worker.link: messages of a link for a home
	toHQ     = prefix + "hq."       // + home.guest.link: messages of a guest for the HQ of a home
	toGuest  = prefix + "guest."    // + guest.home.link: messages of that HQ for a guest
)

// Permissions are the subjects that a user of the server needs, as its configuration has them.
type Permissions struct{ Publish, Subscribe []string }

// WorkerPermissions returns exactly the permissions that a worker needs.
func WorkerPermissions(worker string) Permissions {
	return Permissions{
		Publish:   []string{announce + worker, toHome + "*." + worker + ".*"},
		Subscribe: []string{ask, toWorker + worker + ".*.*"},
	}
}

// HomePermissions returns exactly the permissions that a home needs.
func HomePermissions(home string) Permissions {
	return Permissions{
		Publish:   []string{ask, toWorker + "*." + home + ".*", toGuest + "*." + home + ".*"},
		Subscribe: []string{announce + "*", toHome + home + ".*.*", toHQ + home + ".*.*"},
	}
}

// GuestPermissions returns what a guest of a home needs, and no more.
func GuestPermissions(guest, home string) Permissions {
	return Permissions{Publish: []string{toHQ + home + "." + guest + ".*"},
		Subscribe: []string{toGuest + guest + "." + home + ".*"}}
}

// name is what the name of a worker or a home may be: one token of a subject.
var name = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// CheckName returns an error if a worker or a home cannot have the name.
func CheckName(s string) error {
	if !name.MatchString(s) {
		return fmt.Errorf("the name %q: it must have 1 to 64 letters, digits, - and _", s)
	}
	return nil
}

// guestName is what the name of a guest may be.
var guestName = lazyregexp.New(`^[A-Za-z0-9_-]{1,40}@[A-Za-z0-9_-]{1,60}$`)

// CheckGuest returns an error if a guest cannot have the name.
func CheckGuest(s string) error {
	if !guestName.MatchString(s) {
		return fmt.Errorf("the name %.110q: it must be user@host, with letters, digits, - and _", s)
	}
	return nil
}

// Conn is a connection to the server. It connects again by itself. It belongs to one worker or one home.
type Conn struct {
	nats    *nats.Conn
	changed chan struct{}        // size 1: the connection broke or came back
	asks    atomic.Bool          // it looks for workers
	joined  atomic.Pointer[pipe] // the link of a guest; nil: it is none

	mu    sync.Mutex
	pipes map[*pipe]bool // guarded by mu: the ones that have not ended
}

// Connect connects to the server as a name, which is shown by the server's tools. It does not
// wait for a server that cannot be reached yet; [Conn.Err] says whether it is there. A login
// that cannot be read is an error.
func Connect(s Server, as string) (*Conn, error) {
	c := &Conn{pipes: map[*pipe]bool{}, changed: make(chan struct{}, 1)}
	options := []nats.Option{
		nats.Name("ferrus " + as), nats.NoEcho(), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second / 2),
		nats.ReconnectJitter(time.Second/2, time.Second/2), nats.RetryOnFailedConnect(true),
		nats.PingInterval(Beat), nats.MaxPingsOutstanding(2), nats.Timeout(Beat),
		nats.ReconnectBufSize(-1), // what was published while there was no server is lost with its link
		nats.DisconnectErrHandler(func(*nats.Conn, error) { c.broken() }),
		nats.ConnectHandler(c.connected), nats.ReconnectHandler(c.connected),
		nats.ErrorHandler(c.refused), // a gap reports what was dropped, and Err what was refused
	}
	if s.Creds != "" {
		options = append(options, nats.UserCredentials(s.Creds))
	}
	if s.CA != "" {
		options = append(options, nats.RootCAs(s.CA))
	}
	var err error
	if c.nats, err = nats.Connect(s.URL, options...); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", s.URL, err)
	}
	return c, nil
}

// Err returns why the server cannot be used now; nil: it can.
func (c *Conn) Err() error {
	if c.nats.IsConnected() {
		return nil
	}
	if err := c.nats.LastError(); err != nil {
		return err
	}
	return errors.New("the server has not answered yet")
}

// Authenticates reports whether the server asks who connects. On one that does not, everyone has every name.
func (c *Conn) Authenticates() bool { return c.nats.AuthRequired() }

// Refusal returns what the server refused last; nil: nothing.
func (c *Conn) Refusal() error { return c.nats.LastError() }

// Close ends the connection and all links over it.
func (c *Conn) Close() {
	c.broken()
	c.nats.Close()
}

// broken ends the links: messages may be missing from them.
func (c *Conn) broken() {
	c.mu.Lock()
	var pipes []*pipe
	for p := range c.pipes {
		pipes = append(pipes, p)
	}
	c.mu.Unlock()
	for _, p := range pipes {
		p.end(errBroken)
	}
	signal(c.changed)
}

var errBroken = errors.New("the connection to the NATS server broke")

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is signalled already
	}
}

// connected has workers announce themselves to a home that has just connected, and the worker itself.
func (c *Conn) connected(n *nats.Conn) {
	if c.asks.Load() {
		n.Publish(ask, nil) //nolint:errcheck // they announce themselves anyway
	}
	signal(c.changed)
}
