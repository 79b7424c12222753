package natslink

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"ferrus/hq/wire"
)

// Found is a worker that has announced itself.
type Found struct {
	Worker string    // its name
	Heard  time.Time // when, by this machine's clock
	Says   []byte    // what it announced: the words of a stranger
}

// Lost reports whether the worker was not heard of for too long.
func (f Found) Lost(now time.Time) bool { return now.Sub(f.Heard) > 3*Beat }

// Discover calls found, on one goroutine, for each announcement of a worker until stop is called,
// and asks all of them to announce themselves now.
func (c *Conn) Discover(found func(Found)) (stop func(), err error) {
	s, err := c.nats.Subscribe(announce+"*", func(m *nats.Msg) {
		worker := strings.TrimPrefix(m.Subject, announce)
		if CheckName(worker) == nil && len(m.Data) <= MaxAnnouncement {
			found(Found{Worker: worker, Heard: time.Now(), Says: m.Data})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("look for workers: %w", err)
	}
	c.asks.Store(true)
	if c.nats.IsConnected() {
		c.connected(c.nats)
	}
	return func() { s.Unsubscribe() }, nil //nolint:errcheck // the connection may have ended
}

// Dial opens a link to a worker as a home. It does not wait for an answer: the first call does.
func (c *Conn) Dial(home, worker string) (wire.Link, error) {
	if err := errors.Join(CheckName(home), CheckName(worker)); err != nil {
		return nil, err
	}
	p, err := c.dial(worker, toWorker+worker+"."+home+".", toHome+home+"."+worker+".")
	if err != nil {
		return nil, err
	}
	return wire.Dial(p), nil
}

// Join opens a link to the HQ of a home as a guest. It does not wait for an answer: the first call does.
func (c *Conn) Join(guest, home string) (wire.Link, error) {
	if err := errors.Join(CheckGuest(guest), CheckName(home)); err != nil {
		return nil, err
	}
	p, err := c.dial("HQ", toHQ+home+"."+guest+".", toGuest+guest+"."+home+".")
	if err != nil {
		return nil, err
	}
	c.joined.Store(p)
	if err := c.nats.LastError(); err != nil { // it was refused before it was stored
		c.refused(c.nats, nil, err)
	}
	return wire.Dial(p), nil
}

// refused ends the link of a guest whose messages the server does not pass on: nothing would answer.
func (c *Conn) refused(_ *nats.Conn, _ *nats.Subscription, err error) {
	if p := c.joined.Load(); p != nil && errors.Is(err, nats.ErrPermissionViolation) {
		p.end(err)
	}
}

// dial opens a link that sends to a subject and receives from another, both without the link's name.
func (c *Conn) dial(whom, to, from string) (*pipe, error) {
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("dial %s: %w", whom, err)
	}
	link := rand.Text()
	p := c.pipe(to + link)
	s, err := c.nats.Subscribe(from+link, func(m *nats.Msg) { p.arrived(m.Data) })
	if err == nil {
		p.whenEnded(func() { s.Unsubscribe() }) //nolint:errcheck // the connection may have ended
		err = c.nats.Flush()                    // the server routes answers before the first question is asked
	}
	if err != nil {
		p.end(wire.ErrLost)
		return nil, fmt.Errorf("dial %s: %w", whom, err)
	}
	return p, nil
}
