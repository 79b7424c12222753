package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers calls with their body, and streams with their messages.
type echo struct{ waits chan struct{} }

func (h echo) Call(ctx context.Context, m Method, body []byte) ([]byte, error) {
	switch m {
	case "wait":
		<-ctx.Done()
		close(h.waits)
		return nil, ctx.Err()
	case "refuse":
		return nil, errors.New("no: \x1b[31mnot\ntoday")
	}
	return body, nil
}

func (h echo) Stream(ctx context.Context, m Method, _ []byte, s Stream) error {
	if m == "refuse" {
		return errors.New("no such thing")
	}
	for m == "echo" {
		b, err := s.Receive(ctx)
		if err != nil {
			return err
		}
		if err := s.Send(ctx, b); err != nil {
			return err
		}
	}
	<-ctx.Done() // it reads nothing
	return nil
}

// pair returns a link and what ends its other end.
func pair(t *testing.T, h Handler) Link {
	t.Helper()
	mine, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(context.Background(), Bytes(theirs, theirs), h) }()
	l := Dial(Bytes(mine, mine))
	t.Cleanup(func() { l.Close(); <-served })
	return l
}

func TestCallsAndStreams(t *testing.T) {
	t.Parallel()
	h := echo{make(chan struct{})}
	l := pair(t, h)
	if b, err := l.Call(t.Context(), "echo", []byte("x\ny")); string(b) != "x\ny" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	var refused *Refused
	_, err := l.Call(t.Context(), "refuse", nil)
	if !errors.As(err, &refused) || strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Errorf("%q", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := l.Call(ctx, "wait", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-h.waits // its handler has ended, too
	s, _ := l.Stream(t.Context(), "refuse", nil)
	if _, err := s.Receive(t.Context()); !errors.As(err, &refused) {
		t.Error(err)
	}
	s.Close(nil)
	s, _ = l.Stream(t.Context(), "echo", nil)
	go func() {
		for i := range 500 {
			_ = s.Send(t.Context(), bytes.Repeat([]byte{byte(i)}, 10_000))
		}
	}()
	for i := range 500 {
		if b, err := s.Receive(t.Context()); err != nil || len(b) != 10_000 || b[0] != byte(i) {
			t.Fatalf("message %d has %d bytes, %v; want its own 10,000", i, len(b), err)
		}
	}
	s.Close(nil)
}

// A receiver that takes nothing holds up its own sender, and nothing else of the link.
func TestOneStreamHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	l := pair(t, echo{})
	s, _ := l.Stream(t.Context(), "deaf", nil)
	sent := 0
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for s.Send(ctx, make([]byte, MaxMessage)) == nil {
		sent++
	}
	if sent != Window/MaxMessage {
		t.Errorf("%d messages were sent to a receiver that takes none", sent)
	}
	if _, err := l.Call(t.Context(), "echo", nil); err != nil {
		t.Error(err)
	}
}

// A stream with a limit has less under way, and still carries all.
func TestALimitedStream(t *testing.T) {
	t.Parallel()
	const limit, size = Window/4 + 1<<10, 1 << 10
	l := pair(t, echo{})
	s, err := l.Stream(t.Context(), "hold", nil)
	if err != nil {
		t.Fatal(err)
	}
	Limit(s, limit)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	sent := 0
	for s.Send(ctx, make([]byte, size)) == nil {
		sent++
	}
	if sent != limit/size {
		t.Errorf("%d messages were under way", sent)
	}
	if s, err = l.Stream(t.Context(), "echo", nil); err != nil {
		t.Fatal(err)
	}
	Limit(s, limit)
	for range 4 * Window / size {
		if err := s.Send(t.Context(), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// adversary is the other end of a link: it writes frames of its own.
func adversary(t *testing.T, frames ...[]byte) Link {
	t.Helper()
	mine, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	l := Dial(Bytes(mine, mine))
	t.Cleanup(func() { theirs.Close(); l.Close() })
	if _, err := l.Stream(t.Context(), "pane", nil); err != nil { // number 1
		t.Fatal(err)
	}
	go func() {
		for _, f := range frames {
			if _, err := theirs.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(f))), f...)); err != nil {
				return
			}
		}
	}()
	return l
}

func TestViolationsEndTheLink(t *testing.T) {
	t.Parallel()
	data := func(n uint64, size int) []byte {
		return frame{kind: frameData, id: 1, number: n, body: make([]byte, size)}.encode()
	}
	var flood [][]byte
	for i := range Window/MaxMessage + 1 {
		flood = append(flood, data(uint64(i+1), MaxMessage))
	}
	closed := frame{kind: frameClose, id: 1}.encode()
	for name, c := range map[string]struct {
		frames [][]byte
		want   string
	}{
		"short":      {[][]byte{[]byte("D")}, "too short"},
		"kind":       {[][]byte{frame{kind: '?', id: 1}.encode()}, "unknown kind"},
		"oversize":   {[][]byte{data(1, MaxMessage+1)}, "too long"},
		"huge":       {[][]byte{make([]byte, MaxFrame+1)}, "the maximum is"},
		"flood":      {flood, "before they were taken"},
		"no stream":  {[][]byte{frame{kind: frameData, id: 7, number: 1}.encode()}, "not open"},
		"unasked":    {[][]byte{frame{kind: frameReply, id: 9}.encode()}, "not asked"},
		"asks home":  {[][]byte{frame{kind: frameCall, id: 2, body: []byte("hello\n{}")}.encode()}, "only home"},
		"opens":      {[][]byte{frame{kind: frameOpen, id: 2, body: []byte("pane\n{}")}.encode()}, "only home"},
		"credit":     {[][]byte{frame{kind: frameCredit, id: 1, number: 1}.encode()}, "acknowledged"},
		"after":      {[][]byte{closed, data(1, 1)}, "after closing"},
		"after that": {[][]byte{closed, closed}, "after closing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := adversary(t, c.frames...)
			<-l.Done()
			var v *Violation
			if !errors.As(l.Err(), &v) || !strings.Contains(v.What, c.want) {
				t.Errorf("the link ended with %v", l.Err())
			}
		})
	}
}

func TestAGapEndsTheStreamAlone(t *testing.T) {
	t.Parallel()
	l := adversary(t, frame{kind: frameData, id: 1, number: 2}.encode())
	s := l.(*conn).streams[1]
	if _, err := s.Receive(t.Context()); !errors.Is(err, ErrGap) {
		t.Error(err)
	}
	if l.Err() != nil {
		t.Errorf("the link failed: %v", l.Err())
	}
}

// Whatever bytes come, the link ends or continues; it neither panics nor hangs.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0, 0, 0, 13, 'D', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, h := range []Handler{nil, echo{make(chan struct{})}} {
			c := newConn(Bytes(bytes.NewReader(b), discard{}), h)
			if h == nil {
				_, _ = c.Stream(context.Background(), "pane", nil)
			}
			c.run()
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

func TestGreetingAfterALoginShell(t *testing.T) {
	t.Parallel()
	r, err := AwaitLine(strings.NewReader("Welcome to big!\nmail: 3\n"+Greeting+"frames"), Greeting)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(r); string(b) != "frames" {
		t.Errorf("left: %q", b)
	}
	if _, err := AwaitLine(strings.NewReader("bash: ferrus: command\x1b[31m not found\n"), Greeting); err == nil ||
		!strings.Contains(err.Error(), "not found") || strings.Contains(err.Error(), "\x1b") {
		t.Error(err)
	}
	if _, err := AwaitLine(endless{}, Greeting); err == nil || !strings.Contains(err.Error(), "before its greeting") {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "yes\n"), nil }

// carrier has a handler run one end of a channel.
type carrier struct{ channel *Channel }

func (h carrier) Call(context.Context, Method, []byte) ([]byte, error) { return nil, nil }
func (h carrier) Stream(ctx context.Context, _ Method, body []byte, s Stream) error {
	return h.channel.Run(ctx, s, int64(binary.BigEndian.Uint64(body)))
}

// Links are cut at random, and every message arrives once and in order, in both directions.
func TestChannelOutlivesLinks(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 0))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		const messages = 3000
		home, worker := NewChannel(), NewChannel()
		var left atomic.Int32
		left.Store(2)
		for _, c := range []*Channel{home, worker} {
			go func() {
				for i := range messages {
					_ = c.Send(ctx, fmt.Appendf(nil, "%d %x", i, sha256.Sum256([]byte{byte(i)})))
				}
			}()
			go func() {
				defer left.Add(-1)
				for i := range messages {
					b, err := c.Receive(ctx)
					want := fmt.Sprintf("%d %x", i, sha256.Sum256([]byte{byte(i)}))
					if err != nil || string(b) != want {
						t.Errorf("seed %d: message %d is %q, %v", seed, i, b, err)
						return
					}
				}
			}()
		}
		cuts := 0
		for ; left.Load() > 0; cuts++ {
			mine, theirs := net.Pipe()
			served := make(chan error, 1)
			go func() { served <- Serve(ctx, Bytes(theirs, theirs), carrier{worker}) }()
			l := Dial(Bytes(&cut{mine, random.IntN(20_000)}, mine))
			s, err := l.Stream(ctx, MethodTools, binary.BigEndian.AppendUint64(nil, home.Received()))
			if err == nil {
				limit, cancel := context.WithTimeout(ctx, time.Second)
				_ = home.Run(limit, s, -1)
				cancel()
			}
			l.Close()
			<-served
		}
		t.Logf("seed %d: %d links", seed, cuts)
	})
}

// cut is a connection that ends after so many bytes.
type cut struct {
	net.Conn
	left int
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.Conn.Close()
		return 0, io.EOF
	}
	n, err := c.Conn.Read(p)
	c.left -= n
	return n, err
}
