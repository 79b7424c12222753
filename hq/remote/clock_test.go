package remote

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ferrus/hq/wire"
)

// sleeper is a worker that sleeps at times: asleep, it accepts input and answers nothing.
type sleeper struct {
	mu     sync.Mutex
	asleep chan struct{} // guarded by mu; closed when it wakes, nil while awake
	dialed int           // guarded by mu
	heard  time.Time     // home's; guarded by mu
}

func (s *sleeper) sleep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asleep = make(chan struct{})
}

func (s *sleeper) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.asleep)
	s.asleep = nil
}

// rest waits until the worker is awake.
func (s *sleeper) rest(ctx context.Context) error {
	s.mu.Lock()
	asleep := s.asleep
	s.mu.Unlock()
	if asleep == nil {
		return nil
	}
	select {
	case <-asleep:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sleeper) Call(ctx context.Context, m wire.Method, _ []byte) ([]byte, error) {
	if err := s.rest(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.heard = time.Now()
	s.mu.Unlock()
	if m == wire.MethodHello {
		return json.Marshal(wire.Welcome{Build: build})
	}
	return []byte("{}"), nil
}

func (s *sleeper) Stream(context.Context, wire.Method, []byte, wire.Stream) error {
	return errors.New("there is none")
}

func (s *sleeper) dial(ctx context.Context) (wire.Link, error) {
	s.mu.Lock()
	s.dialed++
	s.mu.Unlock()
	here, there := net.Pipe()
	go func() {
		_ = wire.Serve(ctx, wire.Bytes(there, there), s)
		there.Close()
	}()
	return wire.Dial(wire.Bytes(here, here)), nil
}

func (l *link) seen() LinkStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}

// A worker that sleeps for two hours is given up in time, redialed at long intervals, and
// reconnected soon after it wakes.
func TestAWorkerSleepsForTwoHours(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &sleeper{}
		l := &link{target: Target{Project: "/app", Name: "big", SSH: "big"}, build: build, dial: w.dial}
		var running sync.WaitGroup
		running.Go(func() { l.connect(ctx) })
		time.Sleep(time.Minute)
		if !l.seen().Connected || w.dialed != 1 {
			t.Fatalf("an honest worker is %+v after %d dials, want it connected after 1", l.seen(), w.dialed)
		}
		w.sleep()
		time.Sleep(wire.Beat + wire.HomePatience + time.Second)
		if s := l.seen(); s.Connected {
			t.Errorf("the sleeping worker is %+v, want it disconnected", s)
		}
		if _, err := l.now(); err == nil {
			t.Error("a call was passed to a sleeping worker")
		}
		time.Sleep(2 * time.Hour)
		w.mu.Lock()
		tries := w.dialed
		w.mu.Unlock()
		if most := int(2*time.Hour/wire.HomePatience) + 10; tries < 10 || tries > most {
			t.Errorf("the worker was dialed %d times, want at most %d", tries, most)
		}
		w.wake()
		time.Sleep(longPause + time.Second)
		if s := l.seen(); !s.Connected || s.Marked != "" {
			t.Errorf("the awake worker is %+v, want it connected and unmarked", s)
		}
		cancel()
		running.Wait()
	})
}

// While home sleeps, its clock stands still: only the worker's patience counts, and the link is
// reopened.
func TestHomeSleepsForTwoHours(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &sleeper{}
		l := &link{target: Target{Project: "/app", Name: "big", SSH: "big"}, build: build, dial: w.dial}
		var running sync.WaitGroup
		running.Go(func() { l.connect(ctx) })
		synctest.Wait()
		first, err := l.now()
		if err != nil {
			t.Fatal(err)
		}
		first.Close() // the connection dropped while home slept
		time.Sleep(longPause)
		second, err := l.now()
		if err != nil || second == first {
			t.Errorf("after the sleep: %v, want a new connection", err)
		}
		if s := l.seen(); !s.Connected || time.Since(s.Heard) > longPause {
			t.Errorf("the worker is %+v, want it connected", s)
		}
		cancel()
		running.Wait()
	})
}

// A worker that drips a frame byte by byte, half-closes its connection, or answers twice is given
// up, and delays home no longer than silence would.
func TestAWorkerThatDripsIsGivenUp(t *testing.T) {
	t.Parallel()
	welcome, err := json.Marshal(wire.Welcome{Build: build})
	if err != nil {
		t.Fatal(err)
	}
	reply := func(body []byte) []byte {
		head := append([]byte{'R', 0, 0, 0, 1}, make([]byte, 8)...)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(head)+len(body))), append(head, body...)...)
	}
	for name, c := range map[string]struct {
		worker func(net.Conn) // after its answer to the greeting
		marked string
	}{
		"a frame byte by byte": {worker: func(conn net.Conn) {
			for _, b := range append([]byte{0, 8, 0, 0}, make([]byte, 1<<16)...) {
				time.Sleep(time.Second)
				if _, err := conn.Write([]byte{b}); err != nil {
					return
				}
			}
		}},
		"nothing more":     {worker: func(net.Conn) {}},
		"a closed half":    {worker: func(conn net.Conn) { conn.Close() }},
		"an answer, twice": {worker: func(conn net.Conn) { _, _ = conn.Write(reply(welcome)) }, marked: "not asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				l := &link{target: Target{Project: "/app", Name: "big", SSH: "big"}, build: build,
					dial: func(context.Context) (wire.Link, error) {
						here, there := net.Pipe()
						running.Go(func() {
							length := make([]byte, 4)
							_, _ = io.ReadFull(there, length)
							_, _ = io.CopyN(io.Discard, there, int64(binary.BigEndian.Uint32(length))) // the greeting
							running.Go(func() { _, _ = io.Copy(io.Discard, there) })
							if _, err := there.Write(reply(welcome)); err == nil {
								c.worker(there)
							}
						})
						return wire.Dial(wire.Bytes(here, here)), nil
					}}
				running.Go(func() { l.connect(ctx) })
				time.Sleep(wire.Beat + wire.HomePatience + 100*time.Millisecond)
				if s := l.seen(); s.Connected || s.Why == "" || !strings.Contains(s.Marked, c.marked) ||
					(s.Marked == "") != (c.marked == "") {
					t.Errorf("the worker is %+v, want it disconnected and marked %q", s, c.marked)
				}
				cancel()
				running.Wait()
			})
		})
	}
}
