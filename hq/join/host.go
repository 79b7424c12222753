package join

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"ferrus/hq/wire"
)

// Host answers one link for the HQ of a project.
type Host struct {
	Build wire.Build
	// Who is the name of the joining user, if the transport knows it; empty: they give it
	// themselves.
	Who string
	// Open opens a screen of the HQ. Its error is shown to the joining user, and says what
	// to do.
	Open func(ctx context.Context, who string, t Terminal) (Conn, error)

	mu    sync.Mutex
	hello *Hello    // guarded by mu; nil: none came yet
	heard time.Time // guarded by mu
}

// Serve answers a link until it ends, or nothing is heard of the other end for too long.
func (h *Host) Serve(ctx context.Context, p wire.Pipe) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.listened()
	go h.watch(ctx, cancel)
	served := make(chan error, 1)
	go func() { served <- wire.Serve(ctx, p, h) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-served:
		return err
	case <-time.After(time.Second): // some readers end with the process only
		return ctx.Err()
	}
}

// patience is how long an end is silent until the other gives it up.
const patience = 3 * wire.HomePatience

func (h *Host) watch(ctx context.Context, giveUp func()) {
	tick := time.NewTicker(wire.Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.mu.Lock()
		silent := time.Since(h.heard)
		h.mu.Unlock()
		if silent > patience {
			giveUp()
		}
	}
}

func (h *Host) listened() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard = time.Now()
}

// Call answers a call.
func (h *Host) Call(_ context.Context, m wire.Method, body []byte) ([]byte, error) {
	h.listened()
	switch m {
	case MethodHello:
		var hello Hello
		if err := wire.Read(m, body, &hello); err != nil {
			return nil, err
		}
		if h.Who != "" {
			hello.Who = h.Who
		}
		if err := CheckName(hello.Who); err != nil {
			return nil, err
		}
		h.mu.Lock()
		h.hello = &hello
		h.mu.Unlock()
		return json.Marshal(h.Build)
	case MethodBeat:
		return []byte("null"), nil
	}
	return nil, fmt.Errorf("there is no call %q", wire.Words(string(m), 40))
}

// Stream shows a screen of the HQ until one of the ends closes it.
func (h *Host) Stream(ctx context.Context, m wire.Method, body []byte, s wire.Stream) error {
	h.mu.Lock()
	hello := h.hello
	h.mu.Unlock()
	var t Terminal
	switch {
	case m != MethodScreen:
		return fmt.Errorf("there is no stream %q", wire.Words(string(m), 40))
	case hello == nil || !h.Build.Same(hello.Build):
		return errors.New("the ferrus builds are different")
	}
	if err := wire.Read(m, body, &t); err != nil {
		return err
	}
	screen, err := h.Open(ctx, hello.Who, t)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { screen.Close() })() //nolint:errcheck // its reader ends
	if err := s.Send(ctx, nil); err != nil {
		return err
	}
	taken := &acknowledged{more: make(chan struct{}, 1)}
	var receiving sync.WaitGroup
	receiving.Go(func() { defer cancel(); receive(ctx, s, screen, taken) })
	err = send(ctx, s, screen, taken)
	cancel()
	receiving.Wait()
	return err
}

// receive hands over what the joining side sends, until it ends or breaks the protocol.
func receive(ctx context.Context, s wire.Stream, screen Conn, taken *acknowledged) {
	for {
		m, err := s.Receive(ctx)
		if err != nil || len(m) == 0 {
			return
		}
		switch kind, body := m[0], m[1:]; {
		case kind == shown && len(body) == 4:
			taken.add(binary.BigEndian.Uint32(body))
		case kind == Typed || kind == Sized:
			if screen.Send(kind, body) != nil {
				return
			}
		default:
			return
		}
	}
}

// send sends what the screen shows, no faster than the terminal acknowledges it.
func send(ctx context.Context, s wire.Stream, screen Conn, taken *acknowledged) error {
	buf, sent := make([]byte, 16<<10), uint64(0)
	for {
		n, err := screen.Read(buf)
		if n > 0 {
			if err := s.Send(ctx, buf[:n]); err != nil {
				return err
			}
			sent += uint64(n)
		}
		if err != nil {
			return nil //nolint:nilerr // the HQ has closed it
		}
		if err := taken.await(ctx, sent-min(sent, underWay)); err != nil {
			return err
		}
	}
}

// acknowledged counts the bytes that a terminal has taken.
type acknowledged struct {
	all  atomic.Uint64
	more chan struct{} // size 1: it grew
}

func (a *acknowledged) add(n uint32) {
	a.all.Add(uint64(n))
	select {
	case a.more <- struct{}{}:
	default: // the waiting side looks again
	}
}

// await waits until so many were taken.
func (a *acknowledged) await(ctx context.Context, least uint64) error {
	for a.all.Load() < least {
		select {
		case <-a.more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// frames is a Conn to an HQ on this machine, over its socket.
type frames struct {
	io.Reader
	to io.WriteCloser
	mu sync.Mutex // frames are written whole
}

// OverFrames returns the connection over a stream of bytes, after the terminal was introduced: a message is its
// kind, the length of its body in four bytes, big endian, and the body.
func OverFrames(from io.Reader, to io.WriteCloser) Conn { return &frames{Reader: from, to: to} }

func (f *frames) Send(kind byte, body []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.to.Write(append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body))), body...))
	return err
}

func (f *frames) Close() error { return f.to.Close() }
