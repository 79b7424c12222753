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

// Lost reports that the worker was not heard of for too long.
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
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("dial %s: %w", worker, err)
	}
	link := rand.Text()
	p := c.pipe(toWorker + worker + "." + home + "." + link)
	s, err := c.nats.Subscribe(toHome+home+"."+worker+"."+link, func(m *nats.Msg) { p.arrived(m.Data) })
	if err == nil {
		p.whenEnded(func() { s.Unsubscribe() }) //nolint:errcheck // the connection may have ended
		err = c.nats.Flush()                    // the server routes answers before the first question is asked
	}
	if err != nil {
		p.end(wire.ErrLost)
		return nil, fmt.Errorf("dial %s: %w", worker, err)
	}
	return wire.Dial(p), nil
}
