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

// MaxLinks is how many links a worker has at most, over all homes.
const MaxLinks = 64

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
	s := &serving{conn: c, worker: w, ctx: ctx, pipes: map[string]*pipe{}}
	defer s.handlers.Wait()
	asked := make(chan struct{}, 1)
	links, err := c.nats.Subscribe(toWorker+w.Name+".*.*", s.arrived)
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

// serving are the links of a worker.
type serving struct {
	conn     *Conn
	worker   Worker
	ctx      context.Context
	handlers sync.WaitGroup

	mu    sync.Mutex
	pipes map[string]*pipe // guarded by mu: by home and link
}

// arrived handles a message of a home. The first one of a link opens it.
func (s *serving) arrived(m *nats.Msg) {
	id := strings.TrimPrefix(m.Subject, toWorker+s.worker.Name+".")
	home, link, _ := strings.Cut(id, ".")
	s.mu.Lock()
	p := s.pipes[id]
	back := toHome + home + "." + s.worker.Name + "." + link
	if p == nil && s.ctx.Err() == nil && len(s.pipes) < MaxLinks && opens(m.Data) {
		p = s.open(id, home, back)
	}
	s.mu.Unlock()
	switch {
	case p != nil:
		p.arrived(m.Data)
	case len(m.Data) == 0 || m.Data[0] != kindEnd: // a link of a worker that was here before, or one too many
		s.conn.nats.Publish(back, message(kindEnd, 0, nil)) //nolint:errcheck // it asks again
	}
}

// opens reports that a message is the first of a link.
func opens(m []byte) bool {
	return len(m) >= headSize && (m[0] == kindPart || m[0] == kindLast) && binary.BigEndian.Uint64(m[1:]) == 1
}

// open begins a link. The caller holds mu.
func (s *serving) open(id, home, to string) *pipe {
	p := s.conn.pipe(to)
	s.pipes[id] = p
	s.handlers.Go(func() {
		wire.Serve(s.ctx, p, s.worker.Handler(home)) //nolint:errcheck // a home that needs it dials again
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
