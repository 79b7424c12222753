package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineLimit bounds one message; a longer one is answered with an error.
const lineLimit = 16 << 20

// requestID is the header in which a request's id reaches its handler.
const requestID = "Request-Id"

// linger is how long a request that came before the end of the input may take to
// be answered after it.
const linger = 5 * time.Second

// wire is the stdio transport: one JSON value per line. Unlike the SDK's own it
// outlives a malformed line, which it answers and skips, and what was asked before
// the end of the input is answered.
type wire struct {
	in     *bufio.Reader
	lines  chan inbound // read, not yet taken
	failed error        // why lines was closed
	queue  []jsonrpc.Message
	linger time.Duration

	over   chan struct{} // closed at the end of the input: no call comes any more
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex // guards what follows
	out      io.Writer
	open     int           // calls without an answer
	answered chan struct{} // there may be none left; coalesced
}

// inbound is a line, or the news that there was one that was too long.
type inbound struct {
	text []byte
	long bool
}

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{
		in: bufio.NewReaderSize(in, 64<<10), out: out, linger: linger,
		lines: make(chan inbound), over: make(chan struct{}), closed: make(chan struct{}),
		answered: make(chan struct{}, 1),
	}
}

// Connect starts reading; the server calls it once.
func (w *wire) Connect(context.Context) (mcp.Connection, error) {
	go w.read()
	return w, nil
}

// read is its own goroutine because nothing interrupts a read of stdin; it ends
// with the next line or the end of the input.
func (w *wire) read() {
	defer close(w.lines)
	for {
		line, err := w.readLine()
		if err == nil || len(line.text) > 0 {
			select {
			case w.lines <- line:
			case <-w.closed:
				return
			}
		}
		if err != nil {
			w.failed = err
			return
		}
	}
}

// readLine is the next line without its end.
func (w *wire) readLine() (inbound, error) {
	var line inbound
	for {
		part, err := w.in.ReadSlice('\n')
		if line.long = line.long || len(line.text)+len(part) > lineLimit; line.long {
			line.text = nil
		} else {
			line.text = append(line.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line.text = bytes.TrimSpace(line.text)
		return line, err
	}
}

// Read returns the next message that is one.
func (w *wire) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(w.queue) > 0 {
			next := w.queue[0]
			w.queue = w.queue[1:]
			return next, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.closed:
			return nil, io.EOF
		case line, open := <-w.lines:
			if !open {
				w.finish(ctx)
				return nil, w.end()
			}
			if err := w.queueLine(line); err != nil {
				return nil, err
			}
		}
	}
}

// finish tells those who wait that the input is over, and gives the calls that are
// not answered yet their time.
func (w *wire) finish(ctx context.Context) {
	close(w.over)
	limit := time.NewTimer(w.linger)
	defer limit.Stop()
	for w.unanswered() > 0 {
		select {
		case <-w.answered:
		case <-limit.C:
			return
		case <-w.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (w *wire) unanswered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open
}

// count adds to the open calls; an answered call counts -1.
func (w *wire) count(calls int) {
	w.mu.Lock()
	w.open += calls
	w.mu.Unlock()
	select {
	case w.answered <- struct{}{}:
	default: // A notice is waiting already.
	}
}

func (w *wire) end() error {
	if w.failed == nil {
		return io.EOF
	}
	return w.failed
}

// queueLine queues the messages of a line, or answers what is wrong with it.
func (w *wire) queueLine(in inbound) error {
	line := in.text
	switch {
	case in.long:
		return w.refuse(nil, jsonrpc.CodeParseError, "a line is longer than 16 MiB; it was skipped")
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return w.refuse(nil, jsonrpc.CodeParseError, "a line is not one JSON value; it was skipped")
	case line[0] != '[':
		return w.decode(line)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "an empty batch")
	}
	for _, one := range batch {
		if err := w.decode(one); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) decode(data []byte) error {
	message, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return w.refuse(idOf(data), jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message: "+err.Error())
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		id, _ := json.Marshal(request.ID.Raw()) // An id is a string or a number.
		request.Extra = &mcp.RequestExtra{Header: http.Header{requestID: {string(id)}}}
		w.count(1)
	}
	w.queue = append(w.queue, message)
	return nil
}

// idOf is the id of something that is no message, if it has one that can be sent back.
func idOf(data []byte) json.RawMessage {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(data, &head) != nil || len(head.ID) == 0 {
		return nil
	}
	if first := head.ID[0]; first == '"' || first == '-' || first >= '0' && first <= '9' {
		return head.ID
	}
	return nil
}

// refuse answers what never reached the server. The SDK's responses cannot say
// "id": null, which the protocol wants here.
func (w *wire) refuse(id json.RawMessage, code int64, why string) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why},
	})
	if err != nil {
		return err
	}
	return w.send(data)
}

// Write sends a message as one line.
func (w *wire) Write(_ context.Context, message jsonrpc.Message) error {
	if _, answer := message.(*jsonrpc.Response); answer {
		defer w.count(-1)
	}
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return w.send(data)
}

func (w *wire) send(data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(append(data, '\n'))
	return err
}

// Close ends Read; calls in flight are cancelled by that.
func (w *wire) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

// SessionID is empty: there is one session.
func (w *wire) SessionID() string { return "" }
