package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
)

// conn is a link over a pipe. The dialing end asks, the serving end answers.
type conn struct {
	pipe    Pipe
	handler Handler // nil: the dialing end
	ctx     context.Context
	end     context.CancelCauseFunc
	done    chan struct{} // closed when everything has ended
	serving sync.WaitGroup
	asking  sync.Mutex // held while a number is given out and sent: the other end counts upwards

	mu      sync.Mutex // guards the rest
	last    uint32     // number of the newest call or stream
	calls   map[uint32]*call
	streams map[uint32]*stream
}

// call is a call under way: on the dialing end until its answer has come, even after its
// caller has given up; on the serving end until it is answered.
type call struct {
	answer chan answer // size 1
	cancel context.CancelFunc
}

type answer struct {
	body []byte
	err  error
}

// Dial returns the link of the end that asks.
func Dial(p Pipe) Link {
	c := newConn(p, nil)
	go c.run()
	return c
}

// Serve answers what comes over a pipe until the pipe or the context ends, and closes the
// pipe. It returns once every handler has.
func Serve(ctx context.Context, p Pipe, h Handler) error {
	c := newConn(p, h)
	defer context.AfterFunc(ctx, func() { c.end(context.Cause(ctx)); p.Close() })() //nolint:errcheck // its reader ends
	c.run()
	return c.Err()
}

func newConn(p Pipe, h Handler) *conn {
	c := &conn{pipe: p, handler: h, done: make(chan struct{}), calls: map[uint32]*call{}, streams: map[uint32]*stream{}}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	return c
}

// run handles frames until the pipe ends. It never writes, so two ends cannot wait for each
// other.
func (c *conn) run() {
	for {
		b, err := c.pipe.Receive()
		if err == nil {
			err = c.receive(b)
		}
		if err != nil {
			c.end(err)
			break
		}
	}
	c.pipe.Close() //nolint:errcheck // it has ended
	c.serving.Wait()
	close(c.done)
}

func (c *conn) Done() <-chan struct{} { return c.ctx.Done() }

// Err returns why the link has ended; nil: it has not, or was closed by this end.
func (c *conn) Err() error {
	if err := context.Cause(c.ctx); !errors.Is(err, errClosed) && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// errClosed is the reason of a link that this end has closed.
var errClosed = errors.New("closed")

func (c *conn) Close() error {
	c.end(errClosed)
	err := c.pipe.Close()
	<-c.done
	return err
}

// lost is what becomes of what was under way.
func (c *conn) lost() error {
	if err := context.Cause(c.ctx); err != nil {
		if v, ok := errors.AsType[*Violation](err); ok {
			return v
		}
	}
	return ErrLost
}

func (c *conn) receive(b []byte) error {
	f, err := decodeFrame(b)
	if err != nil {
		return err
	}
	if len(f.body) > MaxBody+64 || (f.kind == frameData && len(f.body) > MaxMessage) {
		return violation("sent a message of %d bytes, which is too long", len(f.body))
	}
	switch f.kind {
	case frameCall, frameOpen, frameCancel:
		return c.asked(f)
	case frameReply, frameError:
		return c.answered(f)
	case frameData, frameCredit, frameClose:
		return c.streamed(f)
	}
	return violation("sent a frame of an unknown kind, %q", f.kind)
}

// asked handles what only the dialing end sends.
func (c *conn) asked(f frame) error {
	if c.handler == nil {
		return violation("asked something of home, which only home may do")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.kind == frameCancel {
		if asked := c.calls[f.id]; asked != nil {
			asked.cancel()
		}
		return nil
	}
	if f.id <= c.last || len(c.calls) >= MaxCalls+1 || len(c.streams) >= MaxStreams+1 {
		return violation("opened number %d after %d, with %d calls and %d streams open", f.id, c.last, len(c.calls),
			len(c.streams))
	}
	c.last = f.id
	name, body, _ := bytes.Cut(f.body, []byte("\n"))
	m, body := Method(name), bytes.Clone(body)
	ctx, cancel := context.WithCancel(c.ctx)
	if f.kind == frameOpen {
		s := newStream(c, f.id)
		c.streams[f.id] = s
		c.serving.Go(func() { defer cancel(); s.Close(c.handler.Stream(ctx, m, body, s)) })
		return nil
	}
	c.calls[f.id] = &call{cancel: cancel}
	c.serving.Go(func() { defer cancel(); c.reply(ctx, f.id, m, body) })
	return nil
}

// reply answers a call.
func (c *conn) reply(ctx context.Context, id uint32, m Method, body []byte) {
	answer, err := c.handler.Call(ctx, m, body)
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
	f := frame{kind: frameReply, id: id, body: answer}
	if err == nil && len(answer) > MaxBody {
		err = errors.New("the answer is too long")
	}
	if err != nil {
		f.kind, f.body = frameError, reason(err)
	}
	c.send(f) //nolint:errcheck // a caller that is gone needs no answer
}

// reason returns an error as it is sent.
func reason(err error) []byte {
	words := cmp.Or(err.Error(), "no reason was given")
	return []byte(words[:min(len(words), maxError)])
}

// answered handles the answer to our call.
func (c *conn) answered(f frame) error {
	c.mu.Lock()
	asked := c.calls[f.id]
	delete(c.calls, f.id)
	c.mu.Unlock()
	if c.handler != nil || asked == nil {
		return violation("answered what was not asked")
	}
	a := answer{body: bytes.Clone(f.body)}
	if f.kind == frameError {
		a = answer{err: &Refused{Words(string(f.body), maxError)}}
	}
	asked.answer <- a
	return nil
}

// send sends a frame.
func (c *conn) send(f frame) error {
	if c.ctx.Err() != nil {
		return c.lost()
	}
	if err := c.pipe.Send(f.encode()); err != nil {
		c.end(err)
		return c.lost()
	}
	return nil
}

func (c *conn) Call(ctx context.Context, m Method, body []byte) ([]byte, error) {
	if len(body) > MaxBody {
		return nil, errors.New("ask a worker: the question is too long")
	}
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	asked := &call{answer: make(chan answer, 1)}
	id, err := c.number(func(id uint32) error {
		if len(c.calls) >= MaxCalls {
			return errors.New("ask a worker: too many calls wait for their answers")
		}
		c.calls[id] = asked
		return nil
	}, frame{kind: frameCall, body: request(m, body)})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-asked.answer:
		return a.body, a.err
	case <-c.ctx.Done():
		return nil, c.lost()
	case <-ctx.Done():
		go c.send(frame{kind: frameCancel, id: id}) //nolint:errcheck // a link that is lost needs none
		return nil, ctx.Err()
	}
}

func request(m Method, body []byte) []byte { return append([]byte(string(m)+"\n"), body...) }

// number gives a call or a stream its number, notes it with note, and sends its first frame.
func (c *conn) number(note func(id uint32) error, f frame) (uint32, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.mu.Lock()
	if c.handler != nil {
		c.mu.Unlock()
		return 0, errors.New("a worker asks nothing of home")
	}
	f.id = c.last + 1
	err := note(f.id)
	if err == nil {
		c.last = f.id
	}
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return f.id, c.send(f)
}

func (c *conn) Stream(_ context.Context, m Method, body []byte) (Stream, error) {
	if len(body) > MaxBody {
		return nil, errors.New("open a stream: the request is too long")
	}
	var s *stream
	_, err := c.number(func(id uint32) error {
		if len(c.streams) >= MaxStreams {
			return errors.New("open a stream: too many are open")
		}
		s = newStream(c, id)
		c.streams[id] = s
		return nil
	}, frame{kind: frameOpen, body: request(m, body)})
	if err != nil {
		return nil, err
	}
	return s, nil
}
