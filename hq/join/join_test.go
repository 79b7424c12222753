package join

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"ferrus/hq/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var build = wire.Build{Protocol: wire.Protocol, Hash: "same", Version: "1", System: "test/test"}

// screen is what an HQ shows a terminal: what a test writes, and it notes what is typed.
type screen struct {
	io.Reader
	draw *io.PipeWriter

	mu    sync.Mutex
	typed bytes.Buffer // guarded by mu
	more  chan struct{}
}

func newScreen() *screen {
	r, w := io.Pipe()
	return &screen{Reader: r, draw: w, more: make(chan struct{}, 1)}
}

func (s *screen) Send(kind byte, body []byte) error {
	s.mu.Lock()
	fmt.Fprintf(&s.typed, "%c%s", kind, body)
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return nil
}

func (s *screen) Close() error { return s.draw.CloseWithError(io.ErrClosedPipe) }

func (s *screen) await(t *testing.T, typed string) {
	t.Helper()
	for {
		s.mu.Lock()
		now := s.typed.String()
		s.mu.Unlock()
		if now == typed {
			return
		}
		if !strings.HasPrefix(typed, now) {
			t.Fatalf("typed %q, want %q", now, typed)
		}
		<-s.more
	}
}

// linked serves a host, and returns a link to it and what cuts it.
func linked(t *testing.T, h *Host) (l wire.Link, cut func()) {
	t.Helper()
	mine, theirs := net.Pipe()
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { served <- h.Serve(ctx, wire.Bytes(theirs, theirs)) }()
	l = wire.Dial(wire.Bytes(mine, mine))
	t.Cleanup(func() { l.Close(); cancel(); theirs.Close(); <-served })
	return l, func() { theirs.Close() }
}

// opens is a host that shows one screen.
func opens(s *screen) *Host {
	return &Host{Build: build, Open: func(_ context.Context, who string, t Terminal) (Conn, error) {
		if who != "ann@laptop" || t.Columns != 80 || t.Rows != 24 || len(t.Environ) != 1 {
			return nil, fmt.Errorf("%s has a terminal %v", who, t)
		}
		return s, nil
	}}
}

var ann, terminal = Hello{build, "ann@laptop"}, Terminal{80, 24, []string{"TERM=xterm"}}

func entering(t *testing.T, s *screen) (Conn, func()) {
	t.Helper()
	l, cut := linked(t, opens(s))
	c, err := Enter(t.Context(), l, ann, terminal)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, cut
}

func TestAScreenIsShownAndTypedInto(t *testing.T) {
	t.Parallel()
	s := newScreen()
	c, _ := entering(t, s)
	if err := errors.Join(c.Send(Typed, []byte("/quit\r")), Resize(c, 100, 30)); err != nil {
		t.Fatal(err)
	}
	s.await(t, "i/quit\rs[100,30]")
	go func() { fmt.Fprint(s.draw, "a frame"); s.draw.Close() }()
	if all, err := io.ReadAll(c); string(all) != "a frame" || err != nil {
		t.Errorf("it shows %q, %v", all, err)
	}
}

// What is pasted may be longer than a message.
func TestALongPasteArrives(t *testing.T) {
	t.Parallel()
	s := newScreen()
	c, _ := entering(t, s)
	long := strings.Repeat("x", 3*maxTyped)
	if err := c.Send(Typed, []byte(long)); err != nil {
		t.Fatal(err)
	}
	s.await(t, "i"+strings.Repeat("x", maxTyped)+"i"+strings.Repeat("x", maxTyped)+"i"+strings.Repeat("x", maxTyped))
}

// A terminal that takes nothing has little under way, so that it then shows the newest frames; and what is typed
// there arrives all the same.
func TestASlowTerminalIsNeverFarBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		c, _ := entering(t, s)
		drawn := 0
		go func() {
			for {
				n, err := s.draw.Write(make([]byte, 100)) // many small frames, each acknowledged on its own
				if err != nil {
					return
				}
				s.mu.Lock()
				drawn += n
				s.mu.Unlock()
			}
		}()
		synctest.Wait()
		s.mu.Lock()
		before := drawn
		s.mu.Unlock()
		if before < underWay || before > underWay+1000 {
			t.Errorf("%d bytes are under way", before)
		}
		if err := c.Send(Typed, []byte("x")); err != nil {
			t.Fatal(err)
		}
		s.await(t, "ix")
		if n, err := io.CopyN(io.Discard, c, int64(10*underWay)); err != nil {
			t.Errorf("%d bytes came: %v", n, err)
		}
		synctest.Wait()
		if err := c.Send(Typed, []byte("y")); err != nil {
			t.Fatal(err)
		}
		s.await(t, "ixiy")
		c.Close()
		synctest.Wait()
	})
}

func TestALostLinkIsAnError(t *testing.T) {
	t.Parallel()
	c, cut := entering(t, newScreen())
	cut()
	if _, err := c.Read(make([]byte, 10)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

// A machine that does not answer, as after a cut cable, is given up by both ends.
func TestSilenceEndsBoth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, silent := newScreen(), &mute{}
		h := opens(s)
		here, away := net.Pipe()
		there, back := net.Pipe()
		go silent.copy(there, away)
		go silent.copy(away, there)
		served := make(chan error, 1)
		go func() { served <- h.Serve(t.Context(), wire.Bytes(back, back)) }()
		c, err := Enter(t.Context(), wire.Dial(wire.Bytes(here, here)), ann, terminal)
		if err != nil {
			t.Fatal(err)
		}
		silent.on()
		if _, err := c.Read(make([]byte, 10)); !errors.Is(err, errSilent) {
			t.Errorf("%v", err)
		}
		if err := <-served; err == nil {
			t.Error("the host ended without a reason")
		}
		c.Close()
		for _, end := range []net.Conn{away, there, back} {
			end.Close()
		}
		synctest.Wait()
	})
}

// mute is a cable that can be cut: what is sent is lost, and neither end notices.
type mute struct {
	mu  sync.Mutex
	cut bool // guarded by mu
}

func (m *mute) on() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cut = true
}

func (m *mute) copy(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		m.mu.Lock()
		cut := m.cut
		m.mu.Unlock()
		if err != nil {
			return
		}
		if !cut {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
}

func TestWhoMayNotEnter(t *testing.T) {
	t.Parallel()
	other := build
	other.Hash = "other"
	for name, c := range map[string]struct {
		host  *Host
		hello Hello
		want  string
	}{
		"another build":   {opens(newScreen()), Hello{other, "ann@laptop"}, "another build of ferrus 1"},
		"a name":          {opens(newScreen()), Hello{build, "executor:codex:1"}, "user@host"},
		"a name to print": {opens(newScreen()), Hello{build, "ann\x1b]0;x\a@laptop"}, "user@host"},
		"no HQ": {&Host{Build: build, Open: func(context.Context, string, Terminal) (Conn, error) {
			return nil, errors.New("no HQ is open there\x1b[2J")
		}}, ann, "no HQ is open there"},
	} {
		l, _ := linked(t, c.host)
		_, err := Enter(t.Context(), l, c.hello, terminal)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
	}
	l, _ := linked(t, opens(newScreen()))
	s, err := l.Stream(t.Context(), MethodScreen, []byte("{}"))
	if err == nil {
		_, err = s.Receive(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "builds") {
		t.Errorf("without a greeting: %v", err)
	}
}

// The transport may know who joins; what they say themselves is nothing then.
func TestTheTransportSaysWhoItIs(t *testing.T) {
	t.Parallel()
	h := opens(newScreen())
	h.Who = "ann@laptop"
	l, _ := linked(t, h)
	c, err := Enter(t.Context(), l, Hello{build, "eve@bank"}, terminal)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
