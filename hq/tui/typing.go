package tui

import (
	"sync"

	"ferrus/hq/core"
)

// maxTyped bounds what waits for an agent that does not read.
const maxTyped = 1 << 20

// typing carries what is typed into panes, in order, without making the screen
// wait for an agent.
type typing struct {
	engine Engine
	guard  func() // deferred by each goroutine
	ended  sync.WaitGroup
	mu     sync.Mutex
	queues map[core.Slot]*queue // guarded by mu
	closed bool                 // guarded by mu
}

// queue is what waits for one slot. Its goroutine lives while there is some.
type queue struct {
	waiting []byte
	busy    bool
}

func newTyping(e Engine, guard func()) *typing {
	return &typing{engine: e, guard: guard, queues: map[core.Slot]*queue{}}
}

// put adds to what a slot is typed, and reports whether there was room.
func (t *typing) put(slot core.Slot, data []byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[slot]
	if q == nil {
		q = &queue{}
		t.queues[slot] = q
	}
	if t.closed || len(q.waiting)+len(data) > maxTyped {
		return false
	}
	q.waiting = append(q.waiting, data...)
	if !q.busy {
		q.busy = true
		t.ended.Add(1)
		go t.drain(slot, q)
	}
	return true
}

// drain hands over what waits until there is no more. An agent that never reads
// holds it up until the engine ends that session, which closing does.
func (t *typing) drain(slot core.Slot, q *queue) {
	defer t.ended.Done()
	defer t.guard()
	for data := t.take(q); data != nil; data = t.take(q) {
		t.engine.Input(slot, data)
	}
}

// take empties a queue; nil ends its goroutine.
func (t *typing) take(q *queue) (data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		data, q.waiting = q.waiting, nil
	}
	q.busy = data != nil
	return data
}

// close takes nothing any more. What is being handed over ends with its session:
// wait for ended after the engine was closed.
func (t *typing) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
