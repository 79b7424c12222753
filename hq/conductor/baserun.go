package conductor

import (
	"context"
	"errors"
	"time"

	"ferrus/hq/conductor/turn"
	"ferrus/hq/gate"
	"ferrus/store"
)

// baseRunner runs the checks on the tree that the open task started from, off the loop and
// while no gate runs.
type baseRunner struct {
	*observed
	turn   *turn.Bases // of all tasks
	cancel func()      // ends the run; nil: none runs
	tree   string      // of the last run that ended
	retry  *time.Timer // before this time a run would find the lock taken; nil: none is running
}

// Notify has the run claim its turn.
func (b *baseRunner) Notify() bool { return b.loop.Post(func() {}) }

// reconcile starts the run that is due, and ends one that is not.
func (b *baseRunner) reconcile() {
	w := *b.world()
	due := w.Hold == nil && w.IsOpen() && !w.GateRunning() && w.Task != nil && w.Task.Base.Tree != ""
	if b.cancel != nil {
		if !due {
			b.cancel()
		}
		return
	}
	if !due || b.tree == w.Task.Base.Tree {
		b.turn.Leave(b)
		return
	}
	if b.retry != nil || !b.turn.Claim(b) {
		return
	}
	if !gate.BaseWanted(b.project, w) {
		b.turn.Leave(b)
		return
	}
	ctx, cancel := context.WithCancel(b.loop.Context)
	b.cancel = cancel
	b.loop.Go(func() {
		defer cancel()
		err := gate.RunBase(ctx, b.project)
		b.loop.Post(func() { b.finished(w.Task.Base.Tree, ctx.Err() != nil, err) })
	})
}

// finished handles the end of a run. What a gate interrupted runs again after it.
func (b *baseRunner) finished(tree string, ended bool, err error) {
	b.cancel = nil
	b.reload()
	if !ended && errors.As(err, new(*store.LockedError)) { // it keeps its turn: the others would wait as well
		b.retry = b.loop.After(gateRetry, func() { b.retry = nil })
		return
	}
	b.turn.Leave(b)
	switch w := *b.world(); {
	case ended:
	case err != nil:
		b.tree = tree // Its cause would be there again.
		b.notices.Add(true, "the checks could not run on the tree that the task started from: %v", err)
	case !gate.BaseWanted(b.project, w):
		b.tree = tree
		if w.Task != nil && w.Task.Base.Tree == tree && w.Task.Base.Red != "" {
			b.notices.Add(true, "the checks failed before the task started: %s", w.Task.Base.Red)
		}
	}
}

// stop ends the run.
func (b *baseRunner) stop() {
	b.turn.Leave(b)
	if b.cancel != nil {
		b.cancel()
	}
}
