package human

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"ferrus/hq/host"
)

const (
	maxRequest    = 64 << 10         // bytes of a request
	maxWaiting    = 4                // requests that wait for you at a time
	readTimeout   = 10 * time.Second // for a process to say what it asks
	decideTimeout = 10 * time.Minute // for you to decide
)

// Request is what a command asks for.
type Request struct {
	Command string `json:"command"` // approve
	Text    string `json:"text"`    // what follows it
}

// Reply is the answer to a request. A reply that Waits is followed by another.
type Reply struct {
	Waits   bool   `json:"waits,omitempty"`
	Allowed bool   `json:"allowed,omitempty"`
	Via     string `json:"via,omitempty"` // where the command comes from, for the journal
	Why     string `json:"why,omitempty"` // a refusal's reason
}

// Pending is a request that waits for you.
type Pending struct {
	Number int
	Request
	Finding
	Since time.Time
}

// Server answers requests on behalf of a conductor. Set its fields, then call [Server.Open];
// its methods may be called from any goroutine.
type Server struct {
	Project  string
	Sessions func() []Session           // of the conductor, from memory; false answers refuse
	Screen   bool                       // you can decide; else what is unclear is refused
	Accepted func(r Request, f Finding) // an accepted command is shown
	Changed  func()                     // what waits has changed

	listener *net.UnixListener
	socket   string
	serving  sync.WaitGroup
	stop     context.CancelFunc

	mu      sync.Mutex // guards the rest
	number  int
	waiting []*waiting
}

// waiting is a request with the channel that gets your decision.
type waiting struct {
	Pending
	decided chan bool // size 1
}

// Open listens for requests until Close.
func (d *Server) Open() (err error) {
	if d.listener, d.socket, err = host.ListenHuman(d.Project); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.serving.Go(func() {
		for {
			conn, err := d.listener.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(100 * time.Millisecond) // out of descriptors
				continue
			}
			d.serving.Go(func() { defer conn.Close(); d.serve(ctx, conn) })
		}
	})
	return nil
}

// Close refuses what waits and ends the desk.
func (d *Server) Close() {
	if d.listener == nil {
		return
	}
	d.stop()
	_ = d.listener.Close() // nothing is accepted any more
	d.serving.Wait()
	host.ForgetHuman(d.socket)
}

// Pending returns what waits for you, the oldest first.
func (d *Server) Pending() (all []Pending) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.waiting {
		all = append(all, w.Pending)
	}
	return all
}

// ErrNotAsked is returned for a decision on a request that does not wait any more.
var ErrNotAsked = errors.New("no process is asking to act as you")

// Decide answers the request with a number.
func (d *Server) Decide(number int, allow bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.waiting {
		if w.Number == number && len(w.decided) == 0 {
			w.decided <- allow
			return nil
		}
	}
	return ErrNotAsked
}

// serve answers the request of one connection.
func (d *Server) serve(ctx context.Context, conn *net.UnixConn) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	pid, err := host.Peer(conn)
	if err != nil || conn.SetDeadline(time.Now().Add(readTimeout)) != nil {
		return
	}
	var r Request
	reader := bufio.NewReaderSize(conn, maxRequest)
	line, err := reader.ReadSlice('\n')
	if err != nil || json.Unmarshal(line, &r) != nil {
		return
	}
	place, err := Here(d.Sessions())
	if err != nil {
		answer(conn, Reply{Why: err.Error()})
		return
	}
	f := Examine(pid, place)
	switch {
	case f.Standing == Own:
		if d.Accepted != nil {
			d.Accepted(r, f)
		}
		answer(conn, Reply{Allowed: true, Via: f.From})
	case f.Standing == InSession:
		answer(conn, Reply{Why: f.Why})
	case !d.Screen:
		answer(conn, Reply{Why: f.Why + ", and ferrus run has no screen to ask you on"})
	default:
		answer(conn, d.ask(ctx, conn, reader, r, f))
	}
}

// ask has you decide. A process that hangs up asks no longer.
func (d *Server) ask(ctx context.Context, conn *net.UnixConn, from *bufio.Reader, r Request, f Finding) Reply {
	w, ok := d.add(r, f)
	if !ok {
		return Reply{Why: "too many processes are asking to act as you at the same time"}
	}
	defer d.remove(w)
	answer(conn, Reply{Waits: true, Why: f.Why})
	ctx, cancel := context.WithTimeout(ctx, decideTimeout)
	defer cancel()
	if conn.SetDeadline(time.Time{}) != nil {
		return Reply{}
	}
	go func() { _, _ = from.ReadByte(); cancel() }() // nothing more is said: it hung up
	select {
	case allowed := <-w.decided:
		if !allowed {
			return Reply{Why: "you denied it in HQ"}
		}
		return Reply{Allowed: true, Via: "confirmed in HQ: " + f.From}
	case <-ctx.Done():
		return Reply{Why: "you did not confirm it in HQ"}
	}
}

func (d *Server) add(r Request, f Finding) (*waiting, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) >= maxWaiting {
		return nil, false
	}
	d.number++
	w := &waiting{Pending{d.number, r, f, time.Now()}, make(chan bool, 1)}
	d.waiting = append(d.waiting, w)
	d.Changed()
	return w, true
}

func (d *Server) remove(w *waiting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = slices.DeleteFunc(d.waiting, func(other *waiting) bool { return other == w })
	d.Changed()
}

// answer sends a reply. An error is ignored: the process is gone.
func answer(conn *net.UnixConn, r Reply) {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot be: strings and booleans
	}
	_ = conn.SetWriteDeadline(time.Now().Add(readTimeout))
	_, _ = conn.Write(append(line, '\n'))
}

// Ask asks the conductor of a project whether this process may give a command. While you
// are asked it calls waiting, and it waits for your decision.
func Ask(ctx context.Context, project string, r Request, waiting func(why string)) (Reply, error) {
	conn, err := host.ConnectHuman(project)
	if err != nil {
		return Reply{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if pid, err := host.Peer(conn); err != nil || isSession(pid) {
		return Reply{}, errors.Join(errors.New("the process that answers for HQ is not HQ"), err)
	}
	if len(r.Text) > maxText {
		r.Text = r.Text[:maxText]
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	if err != nil {
		return Reply{}, err
	}
	for in := json.NewDecoder(conn); ; {
		var reply Reply
		if err := in.Decode(&reply); err != nil {
			return Reply{}, errors.Join(fmt.Errorf("HQ did not answer: %w", err), ctx.Err())
		}
		if !reply.Waits {
			return reply, nil
		}
		waiting(reply.Why)
	}
}
