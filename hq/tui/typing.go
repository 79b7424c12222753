package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/core"
	"ferrus/ui"
	"ferrus/ui/intent"
)

// maxTyped limits the input that waits for an agent that does not read, in bytes.
const maxTyped = 1 << 20

// typing hands over what is typed into panes, in order, without making the screen wait
// for an agent.
type typing struct {
	terminals Terminals
	ended     sync.WaitGroup // what is being handed over
	mu        sync.Mutex
	queues    map[typedTo]*typed // guarded by mu
	closed    bool               // guarded by mu
}

// typedTo names a session by its place.
type typedTo struct {
	task  string // as in [intent.Input]
	slot  core.Slot
	where Terminals // whose selected task it is of, where task is empty
}

// session returns whose input it is.
func (a *app) session(i intent.Input) typedTo {
	to := typedTo{task: i.Task, slot: core.Slot(i.Slot)}
	if i.Task == "" {
		to.where = a.Engine
	}
	return to
}

// typed is what waits for one slot.
type typed struct {
	waiting []byte
	busy    bool // a command hands it over, or is about to
}

func newTyping(t Terminals) *typing {
	return &typing{terminals: t, queues: map[typedTo]*typed{}}
}

// put adds to what a slot is typed, and returns the command that hands it over; nil when
// one is doing that already.
func (t *typing) put(to typedTo, data []byte) tea.Cmd {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[to]
	if q == nil {
		q = &typed{}
		t.queues[to] = q
	}
	if t.closed || len(q.waiting)+len(data) > maxTyped {
		return notRead
	}
	q.waiting = append(q.waiting, data...)
	if q.busy {
		return nil
	}
	q.busy = true
	return func() tea.Msg { t.handOver(to, q); return nil }
}

func notRead() tea.Msg {
	return ui.DoneMsg{Text: "The agent is not reading its input; your last keys were not sent", Error: true}
}

// handOver passes queued input on until there is none. An agent that never reads blocks
// it until the engine ends that session, as Close does.
func (t *typing) handOver(to typedTo, q *typed) {
	if !t.startWriting() {
		return
	}
	defer t.ended.Done()
	for data := t.drain(q); data != nil; data = t.drain(q) {
		inputTo(t.terminals, to, data)
	}
}

// startWriting reports whether something may still be handed over.
func (t *typing) startWriting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.ended.Add(1)
	return true
}

// drain empties a queue; nil ends the command.
func (t *typing) drain(q *typed) (data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		data, q.waiting = q.waiting, nil
	}
	q.busy = data != nil
	return data
}

// close stops accepting input. A handover that is under way ends with its session:
// wait for ended after the engine was closed.
func (t *typing) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
