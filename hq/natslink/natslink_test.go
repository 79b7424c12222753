package natslink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"ferrus/hq/wire"
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

// Two homes use one worker, and one home two workers: no message reaches another one.
func TestLinksDoNotCross(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, name := range []string{"big", "small"} {
		work(t, s.ClientURL(), name)
	}
	var all sync.WaitGroup
	for i, name := range []string{"laptop", "desk"} {
		h := open(t, s.ClientURL(), name)
		for _, worker := range []string{"big", "small"} {
			h.finds(worker)
			l := h.reaches(worker)
			all.Go(func() { echoes(t, l, i, 20) })
		}
	}
	all.Wait()
}

// A worker with the permissions of its name cannot announce, answer or read for another.
func TestPermissions(t *testing.T) {
	t.Parallel()
	user := func(name string, p Permissions) *server.User {
		return &server.User{Username: name, Password: "secret", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: p.Publish},
			Subscribe: &server.SubjectPermission{Allow: p.Subscribe},
		}}
	}
	s := serve(t, func(o *server.Options) {
		o.Users = []*server.User{user("big", WorkerPermissions("big")), user("small", WorkerPermissions("small")),
			user("laptop", HomePermissions("laptop")), user("desk", HomePermissions("desk"))}
	})
	as := func(name string) string { return strings.Replace(s.ClientURL(), "//", "//"+name+":secret@", 1) }
	work(t, as("big"), "big")
	h := open(t, as("laptop"), "laptop")
	h.finds("big")
	l := h.reaches("big")

	adversary, refused := rawConnect(t, as("small"))
	for _, subject := range []string{
		toWorker + ">", toHome + ">", toWorker + "big.*.*", toHome + "laptop.*.*", announce + "*", ">",
	} {
		if _, err := adversary.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	for _, subject := range []string{announce + "big", toHome + "laptop.big.x", toWorker + "big.laptop.x", ask} {
		if err := adversary.Publish(subject, []byte("I am big")); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	other, refused := rawConnect(t, as("desk"))
	for _, subject := range []string{toHome + "laptop.*.*", toHome + ">", toWorker + ">"} {
		if _, err := other.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	if err := other.Publish(toWorker+"big.laptop.x", message(kindLast, 1, nil)); err != nil {
		t.Fatal(err)
	}
	expectRefusal(t, refused, "laptop")
	if b, err := l.Call(t.Context(), "echo", []byte("still")); string(b) != "big: still" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// rawConnect connects without ferrus, and returns what the server refuses.
func rawConnect(t *testing.T, to string) (*nats.Conn, chan error) {
	t.Helper()
	refused := make(chan error, 100)
	report := func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }
	c, err := nats.Connect(to, nats.ErrorHandler(report))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, refused
}

func expectRefusal(t *testing.T, refused chan error, subject string) {
	t.Helper()
	select {
	case err := <-refused:
		if !strings.Contains(err.Error(), subject) || !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", subject, err)
		}
	case <-time.After(20 * time.Second):
		t.Errorf("%s was allowed", subject)
	}
}

// The server is started anew: what was under way is lost, never cut short, and both find each other again.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	u, _ := url.Parse(s.ClientURL())
	port, _ := strconv.Atoi(u.Port())
	work(t, s.ClientURL(), "big")
	h := open(t, s.ClientURL(), "laptop")
	h.finds("big")
	l := h.reaches("big")
	stream, err := l.Stream(t.Context(), "echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	stop(s)
	if _, err := stream.Receive(t.Context()); !errors.Is(err, wire.ErrLost) {
		t.Errorf("the stream ended with %v", err)
	}
	<-l.Done()
	if _, err := h.Dial("laptop", "big"); err == nil {
		t.Error("it dials without a server")
	}
	serve(t, func(o *server.Options) { o.Port = port })
	h.reaches("big")
}

// A worker that began before its server waits for it.
func TestWorkerBeforeTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	u, _ := url.Parse(s.ClientURL())
	port, _ := strconv.Atoi(u.Port())
	stop(s)
	w := work(t, u.String(), "big")
	if w.Err() == nil {
		t.Error("it is connected to no server")
	}
	h := open(t, u.String(), "laptop")
	serve(t, func(o *server.Options) { o.Port = port })
	h.finds("big")
	h.reaches("big")
}

// The worker's node of a cluster of three is killed, then the home's.
func TestClusterLosesNodes(t *testing.T) {
	t.Parallel()
	var nodes []*server.Server
	for i := range 3 {
		nodes = append(nodes, serve(t, func(o *server.Options) {
			o.ServerName = fmt.Sprintf("node%d", i)
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: -1}
			if i > 0 {
				o.Routes = server.RoutesFromStr("nats-route://" + nodes[0].ClusterAddr().String())
			}
		}))
	}
	urls := func(first int) string {
		return nodes[first].ClientURL() + "," + nodes[(first+1)%3].ClientURL() + "," + nodes[(first+2)%3].ClientURL()
	}
	worker := work(t, urls(0), "big")
	h := open(t, urls(1), "laptop")
	h.finds("big")
	h.reaches("big")
	for _, c := range []*Conn{worker, h.Conn} {
		at := c.nats.ConnectedUrl()
		for _, n := range nodes {
			if n.ClientURL() == at {
				stop(n)
			}
		}
		h.reaches("big")
	}
}

func TestFoundIsLost(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for age, lost := range map[time.Duration]bool{0: false, 3 * Beat: false, 3*Beat + 1: true} {
		if got := (Found{Heard: now.Add(-age)}).Lost(now); got != lost {
			t.Errorf("after %v: %v", age, got)
		}
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
