package worker

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"ferrus/hq/project"
	"ferrus/hq/wire"
)

// SocketEnv is the variable with which `ferrus worker tools` finds its worker, and sessionEnv
// the one that names its session.
const (
	SocketEnv  = "FERRUS_WORKER"
	sessionEnv = "FERRUS_WORKER_SESSION"
)

// maxLine bounds one message of an agent to its server, in bytes, as a door does.
const maxLine = 16 << 20

// waitForHome is how long a call waits for a link before its agent hears that there is none.
const waitForHome = 40 * time.Second

// tools connects the agent of a session to the servers that home has for it. It has more than 12 fields because it is
// all that one connection of a session is made of.
type tools struct {
	session *running
	secret  string
	channel *wire.Channel
	ctx     context.Context
	close   context.CancelFunc
	hosts   atomic.Pointer[project.Task] // whose answers about hosts count; nil: the session has no proxy
	asks    atomic.Bool                  // the client asks for permission through its server

	mu       sync.Mutex // guards the rest
	last     uint32
	open     map[uint32]wire.Stream
	tree     string        // that home was sent last
	links    int           // that carry the channel now
	linked   chan struct{} // closed while one does
	treating sync.Mutex    // one tree at a time, and in order with the data that follows it
}

func newTools(s *running) *tools {
	secret := make([]byte, 16)
	rand.Read(secret) //nolint:errcheck // it never fails
	t := &tools{session: s, secret: hex.EncodeToString(secret), channel: wire.NewChannel(),
		open: map[uint32]wire.Stream{}, linked: make(chan struct{})}
	t.ctx, t.close = context.WithCancel(context.Background())
	go t.receive()
	return t
}

// carryTools carries the channel of a session over the stream of a link.
func (h *home) carryTools(ctx context.Context, q wire.Tools, stream wire.Stream) error {
	s, err := h.session(q.Task, q.Session)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.tools.ctx, cancel)()
	s.tools.link(1)
	defer s.tools.link(-1)
	return s.tools.channel.Run(ctx, stream, int64(q.Received))
}

func (t *tools) link(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.links > 0
	t.links += n
	switch is := t.links > 0; {
	case is && !was:
		close(t.linked)
	case was && !is:
		t.linked = make(chan struct{})
	}
}

// awaitLink waits until a link carries the channel.
func (t *tools) awaitLink(ctx context.Context, most time.Duration) bool {
	t.mu.Lock()
	linked := t.linked
	t.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-linked:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// receive passes on what home's servers say.
func (t *tools) receive() {
	for {
		m, err := t.channel.Receive(t.ctx)
		if err != nil {
			return
		}
		if len(m) < 5 {
			continue
		}
		if m[0] == wire.ToolsReach {
			if of := t.hosts.Load(); of != nil {
				reach(of, m[5:])
			}
			continue
		}
		id := binary.BigEndian.Uint32(m[1:])
		t.mu.Lock()
		s := t.open[id]
		t.mu.Unlock()
		switch {
		case s == nil: // its process has ended
		case m[0] == wire.ToolsData:
			if err := s.Send(t.ctx, m[5:]); err != nil {
				s.Close(nil)
			}
		case m[0] == wire.ToolsClose:
			t.remove(id)
			s.Close(nil)
		}
	}
}

func (t *tools) remove(id uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
}

func message(kind byte, id uint32, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, id), body...)
}

// connect serves one process of the session: what it says goes to a server of its own at home.
func (t *tools) connect(ctx context.Context, s wire.Stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	t.mu.Lock()
	t.last++
	id := t.last
	t.open[id] = s
	t.mu.Unlock()
	defer t.remove(id)
	var asks []byte
	if t.asks.Load() {
		asks = []byte{1}
	}
	if err := t.channel.Send(ctx, message(wire.ToolsOpen, id, asks)); err != nil {
		return err
	}
	err := t.pass(ctx, id, s)
	return errors.Join(err, t.channel.Send(t.ctx, message(wire.ToolsClose, id, nil)))
}

// pass passes on the lines of an agent. Before a call of a tool home has the tree as it is now.
func (t *tools) pass(ctx context.Context, id uint32, s wire.Stream) error {
	lines := bufio.NewReaderSize(&reader{ctx: ctx, stream: s}, wire.MaxMessage)
	for {
		line, err := readLine(lines)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if why := t.beforeCall(ctx, line); why != "" {
			if err := s.Send(ctx, refusal(line, why)); err != nil {
				return err
			}
			continue
		}
		for len(line) > 0 {
			n := min(len(line), 48<<10)
			if err := t.channel.Send(ctx, message(wire.ToolsData, id, line[:n])); err != nil {
				return err
			}
			line = line[n:]
		}
	}
}

func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			return nil, errors.New("a message is too long")
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// reader reads the messages of a stream as bytes.
type reader struct {
	ctx    context.Context
	stream wire.Stream
	left   []byte
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		m, err := r.stream.Receive(r.ctx)
		if err != nil {
			return 0, err
		}
		r.left = m
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// toolCall is what is read of a message of an agent.
type toolCall struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// beforeCall waits for a link and announces the present tree, if a line calls a tool. It returns
// why the call is not passed on; empty: it is.
func (t *tools) beforeCall(ctx context.Context, line []byte) string {
	var call toolCall
	if !bytes.Contains(line, []byte("tools/call")) || json.Unmarshal(line, &call) != nil ||
		call.Method != "tools/call" {
		return ""
	}
	if !t.awaitLink(ctx, waitForHome) {
		return "home is not reachable from this worker. Nothing was done. Wait a minute, then make the same call again."
	}
	if err := t.announce(ctx); err != nil {
		return "this worker cannot record your work, so nothing was done: " + err.Error() +
			". Wait a minute, then make the same call again."
	}
	return ""
}

// announce sends the present tree to the home, unless it was the last one sent.
func (t *tools) announce(ctx context.Context) error {
	t.treating.Lock()
	defer t.treating.Unlock()
	w, err := t.session.home.tree(ctx, t.session.Task)
	if err != nil {
		return err
	}
	if w.Tree == t.tree {
		return nil
	}
	body, err := json.Marshal(w)
	if err == nil {
		err = t.channel.Send(ctx, message(wire.ToolsTree, 0, body))
	}
	if err == nil {
		t.tree = w.Tree
	}
	return err
}

// refusal answers a call in the place of its server.
func refusal(line []byte, why string) []byte {
	var call toolCall
	_ = json.Unmarshal(line, &call) // it was read before
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{
		"isError": true, "content": []any{map[string]any{"type": "text", "text": why}}}})
	return append(answer, '\n')
}

// find returns the tools of the session that a process knows the secret of.
func (w *Worker) find(secret string) (*tools, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.homes {
		h.mu.Lock()
		for _, s := range h.sessions {
			if subtle.ConstantTimeCompare([]byte(s.tools.secret), []byte(secret)) == 1 {
				h.mu.Unlock()
				return s.tools, nil
			}
		}
		h.mu.Unlock()
	}
	return nil, errors.New(errNoSession)
}
