package natslink

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"ferrus/hq/wire"
)

// MaxLinks is how many links a worker has at most over all homes, or the HQ of a home over all guests.
// MaxLinksOfOne is how many of them one home or guest has, so that it does not keep the others out.
const (
	MaxLinks      = 64
	MaxLinksOfOne = 16
)

// MaxAnnouncement is how long an announcement may be, in bytes.
const MaxAnnouncement = 64 << 10

// A Worker is what is served.
type Worker struct {
	Name string // see [CheckName]
	// Announce returns what every home hears of the worker, at most MaxAnnouncement bytes; nil: its name alone.
	Announce func() []byte
	// Handler returns the handler of a new link, from the home whose subject it came on.
	Handler func(home string) wire.Handler
}

// Serve answers homes until the context ends. It returns once every handler has.
func (c *Conn) Serve(ctx context.Context, w Worker) error {
	if err := CheckName(w.Name); err != nil {
		return err
	}
	s := &serving{conn: c, ctx: ctx, to: toWorker + w.Name + ".", pipes: map[string]*pipe{},
		back: func(home, link string) string { return toHome + home + "." + w.Name + "." + link },
		serve: func(home string, p wire.Pipe) {
			wire.Serve(ctx, p, w.Handler(home)) //nolint:errcheck // a home that needs it dials again
		}}
	defer s.handlers.Wait()
	asked := make(chan struct{}, 1)
	links, err := c.nats.Subscribe(s.to+"*.*", s.arrived)
	if err != nil {
		return fmt.Errorf("serve as %s: %w", w.Name, err)
	}
	defer links.Unsubscribe() //nolint:errcheck // the connection may have ended
	asks, err := c.nats.Subscribe(ask, func(*nats.Msg) { signal(asked) })
	if err != nil {
		return fmt.Errorf("serve as %s: %w", w.Name, err)
	}
	defer asks.Unsubscribe() //nolint:errcheck // the connection may have ended
	if w.Announce == nil {
		w.Announce = func() []byte { return nil }
	}
	beat := time.NewTicker(Beat)
	defer beat.Stop()
	for {
		c.nats.Publish(announce+w.Name, w.Announce()) //nolint:errcheck // the next one follows
		select {
		case <-asked:
		case <-beat.C:
		case <-c.changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// Admit has guests served by the HQ of a home until the context ends: serve answers a link of the guest whose subject
// it came on, until it ends. Admit returns once serve has, for each.
func (c *Conn) Admit(ctx context.Context, home string, serve func(guest string, p wire.Pipe)) error {
	if err := CheckName(home); err != nil {
		return err
	}
	s := &serving{conn: c, ctx: ctx, to: toHQ + home + ".", pipes: map[string]*pipe{},
		back:  func(guest, link string) string { return toGuest + guest + "." + home + "." + link },
		serve: serve}
	defer s.handlers.Wait()
	links, err := c.nats.Subscribe(s.to+"*.*", func(m *nats.Msg) {
		guest, _, _ := strings.Cut(strings.TrimPrefix(m.Subject, s.to), ".")
		if CheckGuest(guest) == nil {
			s.arrived(m)
		}
	})
	if err != nil {
		return fmt.Errorf("let HQs join: %w", err)
	}
	defer links.Unsubscribe() //nolint:errcheck // the connection may have ended
	<-ctx.Done()
	return nil
}

// serving are the links that others open: homes those of a worker, guests those of an HQ.
type serving struct {
	conn     *Conn
	ctx      context.Context
	to       string                           // the subject of what comes, up to its sender
	back     func(sender, link string) string // the subject of answers
	serve    func(sender string, p wire.Pipe) // until the link ends
	handlers sync.WaitGroup

	mu    sync.Mutex
	pipes map[string]*pipe // guarded by mu: by sender and link
}

// arrived handles a message. The first one of a link opens it.
func (s *serving) arrived(m *nats.Msg) {
	id := strings.TrimPrefix(m.Subject, s.to)
	sender, link, _ := strings.Cut(id, ".")
	s.mu.Lock()
	p := s.pipes[id]
	if p == nil && s.ctx.Err() == nil && s.mayOpen(sender) && opens(m.Data) {
		p = s.open(id, sender, s.back(sender, link))
	}
	s.mu.Unlock()
	switch {
	case p != nil:
		p.arrived(m.Data)
	case len(m.Data) == 0 || m.Data[0] != kindEnd: // a link of one that was here before, or one too many
		s.conn.nats.Publish(s.back(sender, link), message(kindEnd, 0, nil)) //nolint:errcheck // it asks again
	}
}

// mayOpen reports whether a sender may have one more link. The caller holds mu.
func (s *serving) mayOpen(sender string) bool {
	of := 0
	for id := range s.pipes {
		if strings.HasPrefix(id, sender+".") {
			of++
		}
	}
	return len(s.pipes) < MaxLinks && of < MaxLinksOfOne
}

// opens reports whether a message is the first of a link.
func opens(m []byte) bool {
	return len(m) >= headSize && (m[0] == kindPart || m[0] == kindLast) && binary.BigEndian.Uint64(m[1:]) == 1
}

// open begins a link. The caller holds mu.
func (s *serving) open(id, sender, to string) *pipe {
	p := s.conn.pipe(to)
	s.pipes[id] = p
	s.handlers.Go(func() {
		s.serve(sender, p)
		p.end(errClosed)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pipes, id)
	})
	return p
}

// pipe returns an end of a link that sends to a subject, and ends with the connection.
func (c *Conn) pipe(to string) *pipe {
	p := newPipe(func(m []byte) error { return c.nats.Publish(to, m) })
	c.mu.Lock()
	c.pipes[p] = true
	c.mu.Unlock()
	p.whenEnded(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pipes, p)
	})
	return p
}
