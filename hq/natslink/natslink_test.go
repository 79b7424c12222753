package natslink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/hq/wire"
	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Ends after Shutdown.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*Server).startGoRoutine"))
}

// serve starts a real server; options may be changed before.
func serve(t *testing.T, change ...func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true}
	for _, f := range change {
		f(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server did not start")
	}
	t.Cleanup(func() { stop(s) })
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func connect(t *testing.T, to, as string) *Conn {
	t.Helper()
	c, err := Connect(Server{URL: to}, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// echo answers calls and streams with what they carry, and its name.
type echo string

func (e echo) Call(_ context.Context, _ wire.Method, body []byte) ([]byte, error) {
	return append([]byte(e+": "), body...), nil
}

func (e echo) Stream(ctx context.Context, _ wire.Method, _ []byte, s wire.Stream) error {
	for {
		m, err := s.Receive(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.Send(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}

// work serves as a worker until the test ends.
func work(t *testing.T, to, name string) *Conn {
	t.Helper()
	c := connect(t, to, name)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- c.Serve(ctx, Worker{Name: name, Announce: func() []byte { return []byte("I am " + name) },
			Handler: func(string) wire.Handler { return echo(name) }})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c
}

// home is a home that looks for workers.
type home struct {
	*Conn
	t     *testing.T
	name  string
	found chan Found       // the newest announcements; size: more than a test reads late
	seen  map[string]Found // announcements that no one waited for yet
}

func open(t *testing.T, to, name string) *home {
	t.Helper()
	h := &home{Conn: connect(t, to, name), t: t, name: name, found: make(chan Found, 1000),
		seen: map[string]Found{}}
	stop, err := h.Discover(func(f Found) { h.found <- f })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return h
}

// finds waits until a worker has announced itself.
func (h *home) finds(worker string) Found {
	h.t.Helper()
	for {
		if f, ok := h.seen[worker]; ok {
			delete(h.seen, worker)
			return f
		}
		select {
		case f := <-h.found:
			h.seen[f.Worker] = f
		case <-time.After(30 * time.Second):
			h.t.Fatalf("%s was not found", worker)
		}
	}
}

// reaches dials until a call is answered: after a failure the first tries may be lost, too.
func (h *home) reaches(worker string) wire.Link {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	defer cancel()
	for {
		l, err := h.Dial(h.name, worker)
		if err == nil {
			short, end := context.WithTimeout(ctx, 2*time.Second)
			var b []byte
			b, err = l.Call(short, "echo", []byte("hello"))
			end()
			if err == nil && string(b) == worker+": hello" {
				h.t.Cleanup(func() { l.Close() })
				return l
			}
			l.Close()
		}
		select {
		case <-h.changed:
		case <-h.found: // workers announce themselves once they are back
		case <-ctx.Done():
			h.t.Fatalf("%s cannot be reached: %v", worker, err)
		}
	}
}

func TestCallsAndStreams(t *testing.T) {
	t.Parallel()
	s := serve(t)
	work(t, s.ClientURL(), "big")
	h := open(t, s.ClientURL(), "laptop")
	if f := h.finds("big"); string(f.Says) != "I am big" {
		t.Errorf("it says %q", f.Says)
	}
	l := h.reaches("big")
	long := bytes.Repeat([]byte("0123456789abcdef"), (wire.MaxBody-16)/16) // in parts
	if b, err := l.Call(t.Context(), "echo", long); err != nil || string(b) != "big: "+string(long) {
		t.Errorf("%d bytes came back, %v", len(b), err)
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { echoes(t, l, i, 60) })
	}
	all.Wait()
}

// echoes sends messages over a stream of its own, more than may be under way, and receives them.
func echoes(t *testing.T, l wire.Link, stream, messages int) {
	s, err := l.Stream(t.Context(), "echo", nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close(nil)
	text := func(i int) []byte {
		return append(fmt.Appendf(nil, "%d/%d ", stream, i), bytes.Repeat([]byte{'x'}, 10_000)...)
	}
	sent := make(chan error, 1)
	go func() {
		for i := range messages {
			if err := s.Send(t.Context(), text(i)); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for i := range messages {
		b, err := s.Receive(t.Context())
		if err != nil || !bytes.Equal(b, text(i)) {
			t.Errorf("message %d of stream %d: %.20q, %v", i, stream, b, err)
			return
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"big": true, "Build-Host_2": true, "": false, "a.b": false, "*": false, ">": false, "a b": false,
		strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "é": false, "a\n": false,
	} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
