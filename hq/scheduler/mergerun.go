package scheduler

import (
	"context"
	"sync/atomic"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/turn"
	"ferrus/hq/fleet"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// mergeRun merges what is staged, off the loop: the goroutine of the queue takes the steps, and each gate
// of a candidate has one of its own.
type mergeRun struct {
	project *project.Task
	line    *turn.Gates // of the gates of all tasks
	changed func()
	view    gateview.Watch // the gate of the candidate that runs
	fleet   *fleet.Fleet   // whose workers run gates
	turns   atomic.Uint64  // that gates of merges got
	merger  *merge.Merger  // nil: nothing has been merged yet; only the goroutine of the queue sets it
}

// mergeNext is what follows from the steps of a look at the queue.
type mergeNext struct {
	merge.Next
	merger  *merge.Merger
	changed bool // items were landed, returned or staged
	doc     queue.Document
}

// advance takes the steps that need no gate.
func (m *mergeRun) advance(ctx context.Context, q *queue.Queue, lives func(string) bool) (next mergeNext, err error) {
	if m.merger == nil {
		m.merger = merge.New(m.project, q)
	}
	m.merger = m.merger.On(q)
	before, err := q.Load()
	if err != nil {
		return next, err
	}
	o := m.options()
	o.Lives = lives
	next.merger, next.doc = m.merger, before.World
	if next.Next, err = m.merger.Advance(ctx, o); err != nil {
		return next, err
	}
	after, err := q.Load()
	next.changed, next.doc = after.Seq != before.Seq, after.World
	return next, err
}

// mergePatience bounds how long other gates wait for a merge to take its steps.
const mergePatience = 30 * time.Second

// options returns how it merges.
func (m *mergeRun) options() merge.Options {
	o := merge.OptionsOf(m.project)
	o.Apart, o.RunGate = true, m.fleet.RunGate
	o.Turn = func(ctx context.Context) func() {
		place := m.line.Join(turn.Merge, func(int) {})
		select {
		case <-place.Turn:
		case <-ctx.Done():
		}
		m.turns.Add(1)
		return func() {
			m.line.Expect(true)
			m.line.Leave(place)
			time.AfterFunc(mergePatience, func() { m.line.Expect(false) })
		}
	}
	o.Watch = func(target string, commands []string) land.Watch {
		m.view.Remember(gate.Took(m.project, time.Now()))
		progress, over := m.view.Track(target, commands, m.changed)
		setup := func(of int, p checks.Progress) { m.view.Setup(of, p); m.changed() }
		return land.Watch{Progress: progress, Setup: setup, Over: over}
	}
	return o
}

// close gives the branches up.
func (m *mergeRun) close() error {
	if m.merger == nil {
		return nil
	}
	return m.merger.Close()
}
