package join

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"ferrus/hq/wire"
)

// OtherBuildError reports that the HQ is another build of ferrus than this one.
type OtherBuildError struct{ There, Here wire.Build }

func (e *OtherBuildError) Error() string {
	if e.There.Version == e.Here.Version && e.There.System == e.Here.System {
		return "it has another build of ferrus " + e.Here.Version
	}
	return fmt.Sprintf("it has ferrus %s (%s), and this machine has %s (%s)", wire.Words(e.There.Version, 60),
		wire.Words(e.There.System, 30), e.Here.Version, e.Here.System)
}

// Enter opens a screen of the HQ at the other end of a link. The connection closes the link; where there is none, the
// caller does. An error that is a [*wire.Refused] is the reason of the other end.
func Enter(ctx context.Context, l wire.Link, h Hello, t Terminal) (Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, wire.HomePatience)
	defer cancel()
	var there wire.Build
	if err := wire.Ask(ctx, l, MethodHello, h, &there); err != nil {
		return nil, cause(l, err)
	}
	if !h.Build.Same(there) {
		return nil, &OtherBuildError{there, h.Build}
	}
	s, err := wire.Open(ctx, l, MethodScreen, t)
	if err == nil {
		_, err = s.Receive(ctx)
	}
	if err != nil {
		return nil, cause(l, err)
	}
	e := &entered{link: l, stream: s}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	e.beating.Go(e.beat)
	return e, nil
}

// cause returns why a link has ended, if it says so.
func cause(l wire.Link, err error) error {
	if why := l.Err(); why != nil && !errors.As(err, new(*wire.Refused)) {
		return why
	}
	return err
}

// entered is the connection of a joined terminal.
type entered struct {
	link    wire.Link
	stream  wire.Stream
	ctx     context.Context
	cancel  context.CancelCauseFunc
	beating sync.WaitGroup

	rest  []byte // received and not read
	taken int    // bytes that were read, and are not acknowledged

	mu sync.Mutex // one at a time sends
}

// errSilent is why a link is given up.
var errSilent = fmt.Errorf("the other machine has not answered for %s", wire.HomePatience)

// beat asks whether the other end is there, until it is not.
func (e *entered) beat() {
	tick := time.NewTicker(wire.Beat)
	defer tick.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.link.Done():
			return
		case <-tick.C:
		}
		ask, cancel := context.WithTimeout(e.ctx, wire.HomePatience)
		err := wire.Ask(ask, e.link, MethodBeat, nil, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			e.cancel(errSilent)
		}
	}
}

// Read returns output. What was read before has reached the terminal then, and is acknowledged.
func (e *entered) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.taken > 0 {
			_ = e.Send(shown, binary.BigEndian.AppendUint32(nil, uint32(e.taken))) // a link that ended is noticed below
			e.taken = 0
		}
		m, err := e.stream.Receive(e.ctx)
		if why := context.Cause(e.ctx); err != nil && errors.Is(why, errSilent) {
			return 0, why
		}
		if err != nil {
			return 0, cause(e.link, err)
		}
		e.rest = m
	}
	n := copy(p, e.rest)
	e.rest, e.taken = e.rest[n:], e.taken+n
	return n, nil
}

// maxTyped bounds one message of what was typed.
const maxTyped = 16 << 10

func (e *entered) Send(kind byte, body []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		n := min(len(body), maxTyped)
		if err := e.stream.Send(e.ctx, append([]byte{kind}, body[:n]...)); err != nil {
			return err
		}
		if body = body[n:]; len(body) == 0 {
			return nil
		}
	}
}

func (e *entered) Close() error {
	e.cancel(context.Canceled)
	err := e.link.Close()
	e.beating.Wait()
	return err
}

// encodeSize is a size as [Sized] has it.
func encodeSize(columns, rows int) []byte {
	b, _ := json.Marshal([2]int{columns, rows}) // it has numbers only
	return b
}

// Resize sends the size of the terminal.
func Resize(c Conn, columns, rows int) error { return c.Send(Sized, encodeSize(columns, rows)) }
