package agent

import (
	"context"
	"sync"
)

// broadcaster is a screen and those who follow it. One goroutine writes.
type broadcaster struct {
	screen Screen
	over   chan struct{} // closed when the process is gone: nobody is left to slow down
	cut    chan struct{} // closed when the terminal is given up: nobody is waited for

	mu      sync.Mutex // keeps a snapshot and what follows it in step; guards the rest
	readers map[*reader]struct{}
	closed  bool
}

func newHub(screen Screen) *broadcaster {
	return &broadcaster{screen: screen, over: make(chan struct{}), cut: make(chan struct{}), readers: map[*reader]struct{}{}}
}

// write shows p, hands it to every reader and returns what the screen answers.
// It takes as long as the slowest reader.
func (h *broadcaster) write(p []byte) (replies []byte, err error) {
	h.mu.Lock()
	_, err = h.screen.Write(p)
	if r, ok := h.screen.(Replier); ok {
		replies = r.Replies()
	}
	following := make([]*reader, 0, len(h.readers))
	for r := range h.readers {
		following = append(following, r)
	}
	h.mu.Unlock()
	if len(following) > 0 {
		p = append([]byte(nil), p...)
	}
	for _, r := range following {
		r.push(p, h.over, h.cut)
	}
	return replies, err
}

func (h *broadcaster) attach(ctx context.Context) ([]byte, <-chan []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := newReader(ctx)
	if h.closed {
		r.end()
	} else {
		h.readers[r] = struct{}{}
	}
	go func() {
		r.pump()
		h.mu.Lock()
		delete(h.readers, r)
		h.mu.Unlock()
	}()
	return h.screen.Snapshot(), r.out
}

func (h *broadcaster) resize(columns, rows int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.screen.Resize(columns, rows)
}

// close ends every reader after what it still has to read.
func (h *broadcaster) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for r := range h.readers {
		r.end()
	}
}

// tail is how much may wait for a slow reader once the process is gone; a
// terminal holds far less.
const tail = 1 << 20

// reader is one who follows a screen at its own pace.
type reader struct {
	ctx  context.Context
	out  chan []byte
	room chan struct{} // of size 1: the queue was emptied
	more chan struct{} // of size 1: the queue is not empty, or has ended

	mu    sync.Mutex // guards the rest
	queue [][]byte
	size  int
	ended bool
}

func newReader(ctx context.Context) *reader {
	return &reader{ctx: ctx, out: make(chan []byte), room: make(chan struct{}, 1), more: make(chan struct{}, 1)}
}

// push returns when p is queued. While the process lives that is when all before
// it was taken; afterwards there is nobody to slow down, and it is at once.
func (r *reader) push(p []byte, over, cut <-chan struct{}) {
	for !r.offer(p, isClosed(over)) {
		wait := over
		if isClosed(over) {
			wait = nil
		}
		select {
		case <-r.room:
		case <-wait:
		case <-cut:
			return
		case <-r.ctx.Done():
			return
		}
	}
}

func (r *reader) offer(p []byte, over bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size > 0 && (!over || r.size+len(p) > tail) && !r.ended {
		return false
	}
	r.queue, r.size = append(r.queue, p), r.size+len(p)
	set(r.more)
	return true
}

func (r *reader) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	set(r.more)
}

func (r *reader) take() (queue [][]byte, ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	queue, r.queue = r.queue, nil
	return queue, r.ended
}

// taken says that the reader has all that was queued.
func (r *reader) taken(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.size -= n
	set(r.room)
}

func (r *reader) pump() {
	defer close(r.out)
	for {
		queue, ended := r.take()
		for _, p := range queue {
			select {
			case r.out <- p:
				r.taken(len(p))
			case <-r.ctx.Done():
				return
			}
		}
		if ended && len(queue) == 0 {
			return
		}
		if len(queue) > 0 {
			continue
		}
		select {
		case <-r.more:
		case <-r.ctx.Done():
			return
		}
	}
}

// set sets a flag that is a channel of size 1; set twice is set.
func set(flag chan struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
