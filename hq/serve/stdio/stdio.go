// Package stdio is the transport between an MCP client and its server: one JSON value
// per line, on the standard streams.
//
// It differs from the SDK's in two ways. It answers a malformed line and skips it,
// where the SDK drops the connection. And it still answers requests that came
// before the end of the input.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineLimit bounds one message; a longer one is answered with an error.
const lineLimit = 16 << 20

// openLimit bounds the calls without an answer: each one that waits takes some 100 kB. One more is refused.
const openLimit = 256

// requestID is the header in which a request's id reaches its handler.
const requestID = "Request-Id"

// RequestID returns the id that the client gave a request, as JSON; extra is what came
// with it. It is empty for a request that took another transport.
func RequestID(extra *mcp.RequestExtra) string {
	if extra == nil {
		return ""
	}
	return extra.Header.Get(requestID)
}

// linger is how long a request from before the end of the input may take after it.
const linger = 5 * time.Second

// Transport is both ends of one connection, made by [New]. The SDK calls Connect, Read,
// Write and Close; Close may come at any time and twice.
type Transport struct {
	in     *bufio.Reader
	lines  chan inbound // read, not yet taken
	failed error        // why lines was closed
	queue  []jsonrpc.Message
	linger time.Duration

	ended  chan struct{} // closed at the end of the input
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex // guards what follows
	out      io.Writer
	open     map[jsonrpc.ID]bool // calls without an answer
	answered chan struct{}       // there may be none left; coalesced
}

// inbound is a line, or the news that there was one that was too long.
type inbound struct {
	text []byte
	long bool
}

// New returns the transport over a pair of streams. It reads nothing before Connect.
func New(in io.Reader, out io.Writer) *Transport {
	return &Transport{
		in: bufio.NewReaderSize(in, 64<<10), out: out, linger: linger,
		open: map[jsonrpc.ID]bool{}, lines: make(chan inbound), ended: make(chan struct{}), closed: make(chan struct{}),
		answered: make(chan struct{}, 1),
	}
}

// InputEnded returns a channel that is closed at the end of the input, before Read
// reports it: no call comes any more, so nothing should be waited for.
func (t *Transport) InputEnded() <-chan struct{} { return t.ended }

// Connect starts reading; the server calls it once.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	go t.read()
	return t, nil
}

// read is its own goroutine because nothing interrupts a read of stdin; it ends
// with the next line or the end of the input.
func (t *Transport) read() {
	defer close(t.lines)
	for {
		line, err := t.readLine()
		if err == nil || len(line.text) > 0 {
			select {
			case t.lines <- line:
			case <-t.closed:
				return
			}
		}
		if err != nil {
			t.failed = err
			return
		}
	}
}

// readLine returns the next line without its end.
func (t *Transport) readLine() (inbound, error) {
	var line inbound
	for {
		part, err := t.in.ReadSlice('\n')
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
func (t *Transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(t.queue) > 0 {
			next := t.queue[0]
			t.queue = t.queue[1:]
			return next, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-t.closed:
			return nil, io.EOF
		case line, open := <-t.lines:
			if !open {
				t.finish(ctx)
				return nil, t.end()
			}
			if err := t.queueLine(line); err != nil {
				return nil, err
			}
		}
	}
}

// finish closes the channel of InputEnded and gives the calls that are not answered yet their time.
func (t *Transport) finish(ctx context.Context) {
	close(t.ended)
	limit := time.NewTimer(t.linger)
	defer limit.Stop()
	for t.unanswered() > 0 {
		select {
		case <-t.answered:
		case <-limit.C:
			return
		case <-t.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (t *Transport) unanswered() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// isOpen reports whether a call with this id has no answer yet.
func (t *Transport) isOpen(id jsonrpc.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[id]
}

func (t *Transport) end() error {
	if t.failed == nil {
		return io.EOF
	}
	return t.failed
}

// queueLine queues the messages of a line, or answers what is wrong with it.
func (t *Transport) queueLine(in inbound) error {
	line := in.text
	switch {
	case in.long:
		return t.refuse(nil, jsonrpc.CodeParseError, "a line is longer than 16 MiB; it was skipped")
	case len(line) == 0:
		return nil
	case !utf8.Valid(line):
		return t.refuse(idOf(line), jsonrpc.CodeParseError, "a line is not UTF-8; it was skipped")
	case !json.Valid(line):
		return t.refuse(nil, jsonrpc.CodeParseError, "a line is not one JSON value; it was skipped")
	case line[0] != '[':
		return t.decode(line)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
		return t.refuse(nil, jsonrpc.CodeInvalidRequest, "an empty batch")
	}
	if len(batch) > openLimit { // a line counts as one message where the session's are counted
		const why = "a batch has %d messages, and may have %d; send them one by one"
		return t.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf(why, len(batch), openLimit))
	}
	for _, one := range batch {
		if err := t.decode(one); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transport) decode(data []byte) error {
	message, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return t.refuse(idOf(data), jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message: "+err.Error())
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		if t.unanswered() >= openLimit {
			const why = "%d calls have no answer yet, the maximum; wait for one of them, or cancel it"
			return t.refuse(idOf(data), jsonrpc.CodeInternalError, fmt.Sprintf(why, openLimit))
		}
		id, _ := json.Marshal(request.ID.Raw()) // An id is a string or a number.
		// The SDK would not answer. An answer with this id would be the other call's.
		if t.isOpen(request.ID) {
			const why = "the call %s has no answer yet, so another one with this id was skipped; use a new id"
			return t.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf(why, id))
		}
		request.Extra = &mcp.RequestExtra{Header: http.Header{requestID: {string(id)}}}
		t.mu.Lock()
		t.open[request.ID] = true
		t.mu.Unlock()
	}
	t.queue = append(t.queue, message)
	return nil
}

// idOf returns the id of something that is no message, if it has one that can be sent back.
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
func (t *Transport) refuse(id json.RawMessage, code int64, why string) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why},
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.send(data)
}

// Write sends a message as one line. A client that has read an answer may use its id again.
func (t *Transport) Write(_ context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	t.mu.Lock()
	defer t.mu.Unlock()
	if response, ok := message.(*jsonrpc.Response); ok {
		delete(t.open, response.ID)
		select {
		case t.answered <- struct{}{}:
		default: // A notice is waiting already.
		}
	}
	if err != nil {
		return err
	}
	return t.send(data)
}

// send writes a line. The caller holds mu.
func (t *Transport) send(data []byte) error {
	_, err := t.out.Write(append(data, '\n'))
	return err
}

// Close ends Read; calls in flight are cancelled by that.
func (t *Transport) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// SessionID returns nothing: there is one session.
func (t *Transport) SessionID() string { return "" }
