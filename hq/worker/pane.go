package worker

import (
	"context"
	"encoding/json"
	"sync"

	"ferrus/hq/host"
	"ferrus/hq/wire"
)

// paneBehind is how many bytes of output may wait for the link. What is more is dropped, and the
// pane gets a new snapshot: a slow link shows the present screen, not its history.
const paneBehind = 256 << 10

// paneMessage is the length of the longest message of a pane, and paneUnderWay how many bytes are sent before home has
// taken them: what a slow link has under way, it shows late.
const (
	paneMessage  = 16 << 10
	paneUnderWay = wire.Window/4 + paneMessage
)

// maxFinal bounds the last message of an agent that is sent with its ending, in bytes.
const maxFinal = 48 << 10

// recentLines is how many lines above the screen a pane gets anew that was behind.
const recentLines = 500

// screen is what a pane is attached to: a [host.View].
type screen interface {
	Input(data []byte) error
	Resize(columns, rows int) error
	Close()
}

// pane shows a session over one stream.
type pane struct {
	session *running
	stream  wire.Stream
	more    chan struct{} // size 1: something waits
	viewed  chan struct{} // size 1: it is attached

	mu      sync.Mutex // guards the rest
	size    wire.PaneSizes
	view    screen   // nil: it is attached anew
	waiting [][]byte // messages
	bytes   int      // of waiting
	behind  bool     // messages were dropped
	over    bool     // the screen has ended
}

// showPane shows a session until the stream or the session ends.
func (h *home) showPane(ctx context.Context, q wire.Pane, stream wire.Stream) error {
	s, err := h.session(q.Task, q.Session)
	if err != nil {
		return err
	}
	p := &pane{session: s, stream: stream, size: q.PaneSizes, more: make(chan struct{}, 1),
		viewed: make(chan struct{}, 1)}
	wire.Limit(stream, paneUnderWay)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { defer cancel(); p.readInput(ctx) }()
	defer p.detach()
	for recent := false; !s.isOver(); recent = true {
		if err := p.attach(ctx, recent); err != nil {
			break // its host has ended
		}
		if err := p.sendAll(ctx); err != nil {
			return err
		}
		if p.isOver() {
			break
		}
	}
	select {
	case <-s.ended:
		return p.sendEnding(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pane) sendEnding(ctx context.Context) error {
	e := *p.session.ending
	body, err := json.Marshal(e)
	for most := maxFinal; err == nil && len(body) >= wire.MaxMessage && e.Final != nil; most /= 2 { // it is one message
		cut := (*e.Final)[:min(len(*e.Final), most)]
		e.Final = &cut
		body, err = json.Marshal(e)
	}
	if err != nil {
		return err
	}
	return p.stream.Send(ctx, append([]byte{wire.PaneEnded}, body...))
}

func (p *pane) isBehind() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.behind
}

func (p *pane) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// attach attaches to the screen, and sends what is on it, and all lines above it or the recent ones.
func (p *pane) attach(ctx context.Context, recent bool) error {
	p.mu.Lock()
	size := p.size
	p.mu.Unlock()
	v, err := p.session.view(size)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.view, p.waiting, p.bytes, p.behind = v, nil, 0, false
	p.mu.Unlock()
	select {
	case p.viewed <- struct{}{}:
	default: // it is known already
	}
	go p.readOutput(v)
	if err := p.sendSize(ctx, v.Columns, v.Rows); err != nil {
		return err
	}
	screen := v.Screen
	if recent {
		screen = host.Recent(screen, max(recentLines, v.Rows))
	}
	return p.send(ctx, wire.PaneSnapshot, screen)
}

func (p *pane) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view != nil {
		p.view.Close()
	}
}

// readOutput takes what is written to the screen at once, so that a slow link slows no agent.
func (p *pane) readOutput(v *host.View) {
	defer v.Close()
	for {
		e, err := v.Next()
		if err != nil || e.Exit != nil {
			p.queue(v, nil, true)
			return
		}
		switch {
		case e.Columns > 0:
			body, _ := json.Marshal(wire.PaneSizes{Columns: e.Columns, Rows: e.Rows})
			p.queue(v, append([]byte{wire.PaneSize}, body...), false)
		case len(e.Output) > 0:
			if !p.queue(v, append([]byte{wire.PaneOutput}, e.Output...), false) {
				return
			}
		}
	}
}

// queue queues a message, or notes the end; false: the pane is behind, and starts afresh.
func (p *pane) queue(v *host.View, message []byte, over bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view != v {
		return false
	}
	if over {
		p.over = true
	} else {
		p.waiting, p.bytes = append(p.waiting, message), p.bytes+len(message)
	}
	if p.bytes > paneBehind {
		p.waiting, p.bytes, p.behind, p.view = nil, 0, true, nil
	}
	select {
	case p.more <- struct{}{}:
	default:
	}
	return !p.behind
}

// sendAll sends what is queued until the screen ends, or the pane is behind.
func (p *pane) sendAll(ctx context.Context) error {
	for {
		p.mu.Lock()
		waiting, stops := p.waiting, p.behind || p.over
		p.waiting, p.bytes = nil, 0
		p.mu.Unlock()
		for _, m := range waiting {
			if p.isBehind() { // what is newer is shown next
				return nil
			}
			if err := p.send(ctx, m[0], m[1:]); err != nil {
				return err
			}
		}
		if len(waiting) > 0 {
			continue
		}
		if stops {
			return nil
		}
		select {
		case <-p.more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// send sends bytes of a kind, in as many messages as it takes.
func (p *pane) send(ctx context.Context, kind byte, body []byte) error {
	for {
		n := min(len(body), paneMessage-1)
		if err := p.stream.Send(ctx, append([]byte{kind}, body[:n]...)); err != nil {
			return err
		}
		if body = body[n:]; len(body) == 0 {
			return nil
		}
		if kind == wire.PaneSnapshot {
			kind = wire.PaneMore
		}
	}
}

func (p *pane) sendSize(ctx context.Context, columns, rows int) error {
	body, _ := json.Marshal(wire.PaneSizes{Columns: columns, Rows: rows})
	return p.send(ctx, wire.PaneSize, body)
}

// readInput types what home sends, and asks for its size.
func (p *pane) readInput(ctx context.Context) {
	for {
		m, err := p.stream.Receive(ctx)
		if err != nil {
			return
		}
		if len(m) == 0 {
			continue
		}
		switch m[0] {
		case wire.PaneInput:
			p.input(ctx, m[1:])
		case wire.PaneResize:
			p.resize(m[1:])
		}
	}
}

// input types bytes. While the pane is behind, it waits until that is attached anew.
func (p *pane) input(ctx context.Context, data []byte) {
	for {
		p.mu.Lock()
		v, over := p.view, p.over
		p.mu.Unlock()
		if over || v != nil && v.Input(data) == nil {
			return // a screen that has ended takes nothing
		}
		select {
		case <-p.viewed:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pane) resize(body []byte) {
	var size wire.PaneSizes
	if json.Unmarshal(body, &size) != nil || size.Columns < 1 || size.Rows < 1 {
		return
	}
	p.mu.Lock()
	v := p.view
	p.size = size
	p.mu.Unlock()
	if v != nil {
		_ = v.Resize(size.Columns, size.Rows) // one that has ended takes nothing
	}
}
