package host

import (
	"context"
	"encoding/binary"
	"net"
	"slices"
	"sync"
	"time"

	"ferrus/agent"
)

// client is the host's side of a client. One goroutine reads its requests, and one sends to
// it: queued frames before the agent's output, and how the session ended last.
type client struct {
	conn   net.Conn
	kind   string
	cancel context.CancelFunc
	more   chan struct{} // size 1: a frame is queued

	mu     sync.Mutex // guards the rest
	queue  [][]byte
	last   []byte // the frame after which nothing follows
	wanted size
}

// enqueue queues a frame. There are few of them, and they are small.
func (g *client) enqueue(f []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = append(g.queue, f)
	g.signal()
}

// end sets the last frame.
func (g *client) end(f []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = f
	g.signal()
}

// signal wakes the goroutine that sends. The caller holds mu.
func (g *client) signal() {
	select {
	case g.more <- struct{}{}:
	default: // it is awake, and takes all frames
	}
}

// dequeue returns the queued frames, and the last frame if it is set.
func (g *client) dequeue() (frames [][]byte, last []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	frames, g.queue = g.queue, nil
	return frames, g.last
}

// join makes a connection a client, which gets the screen and then the output that follows.
// The first client sees the output from the start, and needs no screen.
func (h *host) join(conn net.Conn, who hello, first bool) {
	ctx, cancel := context.WithCancel(context.Background())
	g := &client{
		conn: conn, kind: who.Kind, cancel: cancel, more: make(chan struct{}, 1),
		wanted: size{who.Columns, who.Rows},
	}
	h.mu.Lock()
	h.clients = append(h.clients, g)
	h.chooseWriter()
	screen, output := h.session.Attach(ctx)
	welcomed := encode(frameWelcome, welcome{
		Record: h.record, Columns: h.size.Columns, Rows: h.size.Rows, Writer: h.writer == g,
	})
	if !first {
		welcomed = append(welcomed, frame(framePaint, screen)...)
	}
	if end := h.record.Exit; end != nil {
		g.end(encode(frameExited, end))
	}
	h.mu.Unlock()
	h.serving.Go(func() { g.send(welcomed, output) })
	go h.readFrames(g)
}

// remove forgets a client that is gone.
func (h *host) remove(g *client) {
	g.cancel()
	g.conn.Close() //nolint:errcheck // the other end is gone
	h.mu.Lock()
	h.clients = slices.DeleteFunc(h.clients, func(other *client) bool { return other == g })
	h.chooseWriter()
	h.mu.Unlock()
	if g.kind == Conductor {
		select {
		case h.conductorGone <- struct{}{}:
		default: // it knows already
		}
	}
}

// conducted reports whether a conductor is connected.
func (h *host) conducted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.clients, func(g *client) bool { return g.kind == Conductor })
}

// chooseWriter chooses the client that types: the first terminal that attached to type, else
// the newest conductor. The session's terminal gets its size. The caller holds mu.
func (h *host) chooseWriter() {
	var chosen *client
	for _, g := range h.clients {
		if types := g.kind == Writer || g.kind == Conductor; types && (chosen == nil || chosen.kind == Conductor) {
			chosen = g
		}
	}
	before := h.writer
	if chosen == before {
		return
	}
	h.writer = chosen
	if before != nil {
		before.enqueue(frame(frameWriter, []byte{0}))
	}
	if chosen != nil {
		chosen.enqueue(frame(frameWriter, []byte{1}))
		h.applySize(chosen)
	}
}

// applySize resizes the terminal as its writer wants. The caller holds mu.
func (h *host) applySize(g *client) {
	g.mu.Lock()
	wish := g.wanted
	g.mu.Unlock()
	if g != h.writer || !wish.isSet() || wish == h.size {
		return
	}
	if err := h.session.Resize(wish.Columns, wish.Rows); err != nil {
		g.enqueue(frame(frameRefused, []byte(err.Error())))
		return
	}
	h.size = wish
	for _, g := range h.clients {
		g.enqueue(encode(frameResized, wish))
	}
}

// send is the goroutine that writes to the client.
func (g *client) send(welcomed []byte, output <-chan []byte) {
	defer g.cancel()
	if _, err := g.conn.Write(welcomed); err != nil {
		return
	}
	for {
		frames, last := g.dequeue()
		for _, f := range frames {
			if _, err := g.conn.Write(f); err != nil {
				return
			}
		}
		if output == nil && last != nil {
			_, _ = g.conn.Write(last) // a client that is gone does not need it
			return
		}
		select {
		case <-g.more:
		case p, open := <-output:
			if !open {
				output = nil
				continue
			}
			if err := g.write(p); err != nil {
				return
			}
		}
	}
}

// write sends output as a frame, without copying it.
func (g *client) write(p []byte) error {
	var head [5]byte
	head[0] = frameOutput
	binary.BigEndian.PutUint32(head[1:], uint32(len(p)))
	parts := net.Buffers{head[:], p}
	_, err := parts.WriteTo(g.conn)
	return err
}

// readFrames is the goroutine that reads the client's requests. None of them waits for the
// agent, so that a stopped agent can be ended.
func (h *host) readFrames(g *client) {
	defer h.remove(g)
	var buf []byte
	for {
		kind, body, err := readFrame(g.conn, buf)
		if err != nil {
			return
		}
		buf = body[:0]
		h.handle(g, kind, body)
	}
}

func (h *host) handle(g *client, kind byte, body []byte) {
	switch kind {
	case frameInput:
		h.input(g, body)
	case frameSize:
		h.resize(g, body)
	case frameEnd:
		if g.kind == Conductor {
			go agent.End(context.Background(), h.session, time.Duration(number(body))*time.Millisecond)
		}
	case frameTaken:
		h.mu.Lock()
		if g.kind == Conductor && h.record.Exit != nil && !h.isAcknowledged {
			h.isAcknowledged = true
			close(h.acknowledged)
		}
		h.mu.Unlock()
	}
}

func (h *host) input(g *client, data []byte) {
	h.mu.Lock()
	writes := h.writer == g
	h.mu.Unlock()
	if !writes {
		g.enqueue(frame(frameRefused, []byte("another terminal is typing into it")))
		return
	}
	if err := h.session.Input(data); err != nil {
		g.enqueue(frame(frameRefused, []byte(err.Error())))
	}
}

func (h *host) resize(g *client, body []byte) {
	var wish size
	if decode("a size", body, &wish) != nil || !wish.isSet() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	g.mu.Lock()
	g.wanted = wish
	g.mu.Unlock()
	h.applySize(g)
}

func number(body []byte) uint64 {
	if len(body) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(body)
}

func numbered(kind byte, n uint64) []byte {
	return frame(kind, binary.BigEndian.AppendUint64(nil, n))
}
