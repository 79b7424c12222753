package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// errClosed reports that an agent closed its output.
var errClosed = errors.New("ended in the middle of its work")

// The errors of JSON-RPC.
const (
	codeInvalid   = -32600
	codeNoMethod  = -32601
	codeBadParams = -32602
)

// message is a request, a notification or a response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// maxQueued is how many messages an agent may leave unread before its own messages are not
// read either.
const maxQueued = 64

// conn is a connection. One goroutine reads it, and handles all that comes in its order; another
// writes.
type conn struct {
	handle func(m message)
	notes  interface{ note(string) }
	closed chan struct{} // once nothing more comes

	queue chan message  // to be written
	deaf  chan struct{} // closed once the agent takes nothing more

	mu      sync.Mutex // guards the rest
	last    int
	pending map[string]chan message // by id, each of size 1
}

func newConn(out io.Writer, handle func(*conn, message), notes interface{ note(string) }) *conn {
	c := &conn{notes: notes, closed: make(chan struct{}), pending: map[string]chan message{},
		queue: make(chan message, maxQueued), deaf: make(chan struct{})}
	c.handle = func(m message) { handle(c, m) }
	go c.write(out)
	return c
}

// read handles messages until the agent closes its output.
func (c *conn) read(in io.Reader) {
	defer close(c.closed)
	for lines := newLines(in); ; {
		line, skipped, err := lines.next()
		switch {
		case err != nil:
			return
		case skipped > 0:
			c.tooLong(line, skipped)
		case len(line) > 0:
			c.receive(line)
		}
	}
}

// receive handles a line. What is no message is shown.
func (c *conn) receive(line []byte) {
	var m message
	if line[0] != '{' || json.Unmarshal(line, &m) != nil {
		c.notes.note(string(line))
		return
	}
	if m.Method != "" {
		c.handle(m)
		return
	}
	c.mu.Lock()
	waiting := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	if waiting != nil { // the answer to what was not asked changes nothing
		waiting <- m
	}
}

// tooLong handles a message that was too long, so only its beginning was kept. It answers the side
// that waits for it.
func (c *conn) tooLong(head []byte, size int) {
	id, method := envelope(head)
	what := fmt.Sprintf("a message of %.1f MB, which is too large", float64(size)/1e6)
	c.notes.note("(" + what + ")")
	switch {
	case len(id) == 0:
	case method != "":
		c.send(message{ID: id, Error: &Error{Code: codeInvalid, Message: what}})
	default:
		c.receive(encode(message{ID: id, Error: &Error{Code: codeInvalid, Message: what}}))
	}
}

// envelope returns the id and the method of a message, if they come before what is long.
func envelope(head []byte) (id json.RawMessage, method string) {
	decoder := json.NewDecoder(bytes.NewReader(head))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, ""
	}
	for {
		key, err := decoder.Token()
		if err != nil {
			return id, method
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return id, method
		}
		switch key {
		case "id":
			id = value
		case "method":
			_ = json.Unmarshal(value, &method) // another value is no method
		}
	}
}

// call sends a request and decodes its result into what result points to; nil: it is not
// needed. An error that the agent answers with is an *[Error].
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	return c.await(ctx, c.request(method, params), method, result)
}

// request sends a request and returns where its answer comes.
func (c *conn) request(method string, params any) <-chan message {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := strconv.Itoa(c.last)
	c.pending[id] = answer
	c.mu.Unlock()
	c.send(message{ID: json.RawMessage(id), Method: method, Params: encode(params)})
	return answer
}

// await waits for the answer to a request.
func (c *conn) await(ctx context.Context, answer <-chan message, method string, result any) error {
	var m message
	select {
	case m = <-answer:
	case <-c.closed:
		select {
		case m = <-answer: // it came last
		default:
			return errClosed
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if m.Error != nil {
		return m.Error
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("read the answer to %s: %w", method, err)
	}
	return nil
}

// notify sends a notification.
func (c *conn) notify(method string, params any) {
	c.send(message{Method: method, Params: encode(params)})
}

// send queues a message, or drops it once the agent is gone.
func (c *conn) send(m message) {
	m.JSONRPC = "2.0"
	select {
	case c.queue <- m:
	case <-c.deaf:
	case <-c.closed:
	}
}

// write writes what is queued. An agent that has closed its input ends in some other way, which
// is reported there.
func (c *conn) write(out io.Writer) {
	defer close(c.deaf)
	for {
		select {
		case m := <-c.queue:
			if _, err := out.Write(append(encode(m), '\n')); err != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

// encode returns JSON of values that always have some.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers and lists of them only
	}
	return data
}
