// Package wire is the protocol between home, where every decision is made, and a worker, a
// machine that runs sessions for it.
//
// A [Link] is a connection to one worker. It has two calls: [Link.Call] sends a request and
// waits for the answer, and [Link.Stream] opens a stream of messages in both directions with
// flow control. Only home makes calls and opens streams; the worker answers with a
// [Handler]. A request is a [Method] with a JSON body; message.go has all of them.
//
// A transport moves frames (frame.go). It is either a [Pipe], on which [Dial] and [Serve]
// build the rest, such as [Bytes] over the standard streams of ssh; or its own Link.
// Nothing above this package knows which it is.
//
// A link is lost as a whole: its calls and its streams fail with [ErrLost], and the caller
// opens new ones. The messages of a stream are numbered, and a missing one is reported
// ([ErrGap]), never skipped: a pane then starts with a fresh snapshot, and other streams
// name the number after which they continue.
//
// The other end is not trusted. Everything that it sends is bounded: the length of a frame,
// the unacknowledged part of a stream, the open calls and streams. Exceeding a bound, or
// sending anything but a frame of the protocol, ends the link with a [*Violation] that says
// why. Texts that are shown pass through [Words].
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"ferrus/ui/text"
)

// Protocol is the version that both ends must speak. It grows with every change of a frame
// or of a message that an older end would misread.
const Protocol = 1

// What one end accepts of the other at most.
const (
	MaxBody     = 1 << 20  // bytes of a call, of its answer, and of the request for a stream
	MaxMessage  = 64 << 10 // bytes of one message of a stream
	Window      = 4 * MaxMessage
	MaxCalls    = 256      // that wait for their answer
	MaxStreams  = 4096     // that are open
	MaxUserFile = 21 << 20 // bytes of a file for the sessions of a task
	MaxGateLog  = 32 << 20 // bytes of the log of a gate; the rest of a longer one is left out
	maxError    = 4 << 10
)

// CallTimeout bounds a call whose context has no deadline.
const CallTimeout = 30 * time.Second

var (
	// ErrLost is returned for what was under way on a link that has ended.
	ErrLost = errors.New("the connection is lost")
	// ErrGap is returned by a stream that lacks a message. Nothing follows on it.
	ErrGap = errors.New("a message of the stream is missing")
)

// Link is a connection to a worker. Its methods may be called from any goroutine.
type Link interface {
	// Call asks, and returns the answer. The error is a [*Refused] where the other end
	// refused, else ErrLost or the context's. What was asked may have been done even so.
	Call(ctx context.Context, m Method, body []byte) ([]byte, error)
	// Stream opens a stream. Whether the other end accepts it is known when the first
	// message is received. The context is for the opening alone.
	Stream(ctx context.Context, m Method, body []byte) (Stream, error)
	// Done is closed when the link has ended, and Err then says why.
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Stream is one stream of messages in both directions. One goroutine at a time may send, and
// one may receive.
type Stream interface {
	// Send sends a message of at most MaxMessage bytes. It waits while the other end has a
	// Window of messages that it has not received.
	Send(ctx context.Context, message []byte) error
	// Receive returns the next message. The error is io.EOF once the other end has closed
	// the stream, a [*Refused] where it gave a reason, and else ErrGap, ErrLost or the
	// context's.
	Receive(ctx context.Context) ([]byte, error)
	// Close ends the stream in both directions; what was sent before arrives. A reason
	// other than nil is sent to the other end.
	Close(reason error)
}

// Handler answers what the other end asks. It is called on a goroutine for each call and
// each stream; the context ends with the link, and the context of a call when its caller has
// given up.
type Handler interface {
	Call(ctx context.Context, m Method, body []byte) ([]byte, error)
	// Stream serves a stream until it returns, which closes the stream with its error.
	Stream(ctx context.Context, m Method, body []byte, s Stream) error
}

// Refused is the other end's reason why something was not done.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

// Violation is what the other end did against the protocol.
type Violation struct{ What string }

func (v *Violation) Error() string { return v.What }

func violation(format string, args ...any) error { return &Violation{fmt.Sprintf(format, args...)} }

// Words returns a text of the other end as it may be shown: one line, without control
// characters, and at most so many bytes long.
func Words(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return text.Sanitize(s)
}

// Ask calls a method with a value as JSON, and reads the answer into another; nil: nothing.
func Ask(ctx context.Context, l Link, m Method, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("ask %s: %w", m, err)
	}
	if body, err = l.Call(ctx, m, body); err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return violation("answered %s with what cannot be read: %v", m, err)
	}
	return nil
}

// Open opens a stream with a value as JSON.
func Open(ctx context.Context, l Link, m Method, question any) (Stream, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m, err)
	}
	return l.Stream(ctx, m, body)
}

// Read decodes the body of what was asked.
func Read(m Method, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read %s: %w", m, err)
	}
	return nil
}

// Copy sends all of a reader as messages.
func Copy(ctx context.Context, s Stream, from io.Reader) error {
	buf := make([]byte, MaxMessage)
	for {
		n, err := io.ReadFull(from, buf)
		if n > 0 {
			if err := s.Send(ctx, buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
