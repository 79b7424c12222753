package agent

import (
	"context"
	"sync"
)

// broadcaster is a screen with its followers. One goroutine writes.
type broadcaster struct {
	screen    Screen
	exited    chan struct{} // closed when the process is gone: there is nothing left to slow down
	abandoned chan struct{} // closed when the terminal is given up: it waits for no follower

	mu        sync.Mutex // keeps a snapshot and what follows it in step; guards the rest
	followers map[*follower]struct{}
	closed    bool
}

func newBroadcaster(screen Screen) *broadcaster {
	return &broadcaster{screen: screen, exited: make(chan struct{}), abandoned: make(chan struct{}),
		followers: map[*follower]struct{}{}}
}

// write writes p to the screen, passes it to every follower and returns the replies of the
// screen. It blocks until the slowest follower has taken it.
func (b *broadcaster) write(p []byte) (replies []byte, err error) {
	b.mu.Lock()
	_, err = b.screen.Write(p)
	if r, ok := b.screen.(Replier); ok {
		replies = r.Replies()
	}
	following := make([]*follower, 0, len(b.followers))
	for f := range b.followers {
		following = append(following, f)
	}
	b.mu.Unlock()
	if len(following) > 0 {
		p = append([]byte(nil), p...)
	}
	for _, f := range following {
		f.push(p, b.exited, b.abandoned)
	}
	return replies, err
}

func (b *broadcaster) attach(ctx context.Context) ([]byte, <-chan []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := newFollower(ctx)
	if b.closed {
		f.end()
	} else {
		b.followers[f] = struct{}{}
	}
	go func() {
		f.pump()
		b.mu.Lock()
		delete(b.followers, f)
		b.mu.Unlock()
	}()
	return b.screen.Snapshot(), f.out
}

func (b *broadcaster) resize(columns, rows int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.screen.Resize(columns, rows)
}

// close ends every follower after it has read what is queued.
func (b *broadcaster) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for f := range b.followers {
		f.end()
	}
}

// maxBacklog limits what is queued for a slow follower after the process has ended; a
// terminal holds far less.
const maxBacklog = 1 << 20

// follower reads a screen at its own pace.
type follower struct {
	ctx  context.Context
	out  chan []byte
	room chan struct{} // of size 1: the queue was emptied
	more chan struct{} // of size 1: the queue is not empty, or has ended

	mu    sync.Mutex // guards the rest
	queue [][]byte
	size  int
	ended bool
}

func newFollower(ctx context.Context) *follower {
	return &follower{ctx: ctx, out: make(chan []byte), room: make(chan struct{}, 1), more: make(chan struct{}, 1)}
}

// push queues p. While the process runs it first waits until everything queued before has
// been taken, which slows the process down; afterwards it does not wait.
func (f *follower) push(p []byte, over, cut <-chan struct{}) {
	for !f.tryPush(p, isClosed(over)) {
		wait := over
		if isClosed(over) {
			wait = nil
		}
		select {
		case <-f.room:
		case <-wait:
		case <-cut:
			return
		case <-f.ctx.Done():
			return
		}
	}
}

func (f *follower) tryPush(p []byte, over bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size > 0 && (!over || f.size+len(p) > maxBacklog) && !f.ended {
		return false
	}
	f.queue, f.size = append(f.queue, p), f.size+len(p)
	notify(f.more)
	return true
}

func (f *follower) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	notify(f.more)
}

func (f *follower) drain() (queue [][]byte, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	queue, f.queue = f.queue, nil
	return queue, f.ended
}

// acknowledge reports that n bytes of the queue have been taken.
func (f *follower) acknowledge(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size -= n
	notify(f.room)
}

func (f *follower) pump() {
	defer close(f.out)
	for {
		queue, ended := f.drain()
		for _, p := range queue {
			select {
			case f.out <- p:
				f.acknowledge(len(p))
			case <-f.ctx.Done():
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
		case <-f.more:
		case <-f.ctx.Done():
			return
		}
	}
}

// notify sets a flag that is a channel of size 1.
func notify(flag chan struct{}) {
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
