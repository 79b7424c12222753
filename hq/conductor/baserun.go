package conductor

import (
	"context"
	"errors"
	"time"

	"ferrus/hq/gate"
	"ferrus/store"
)

// baseRunner runs the checks on the tree that the open task started from, off the loop and
// while no gate runs.
type baseRunner struct {
	*observed
	turn   *baseTurn   // of all tasks
	cancel func()      // ends the run; nil: none runs
	tree   string      // of the last run that ended
	retry  *time.Timer // before this time a run would find the lock taken; nil: none is running
}

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
		b.turn.leave(b)
		return
	}
	if b.retry != nil || !b.turn.claim(b) {
		return
	}
	if !gate.BaseWanted(b.project, w) {
		b.turn.leave(b)
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
	b.turn.leave(b)
	switch w := *b.world(); {
	case ended:
	case err != nil:
		b.tree = tree // Its cause would be there again.
		b.notices.add(true, "the checks could not run on the tree that the task started from: %v", err)
	case !gate.BaseWanted(b.project, w):
		b.tree = tree
		if w.Task != nil && w.Task.Base.Tree == tree && w.Task.Base.Red != "" {
			b.notices.add(true, "the checks failed before the task started: %s", w.Task.Base.Red)
		}
	}
}

// stop ends the run.
func (b *baseRunner) stop() {
	b.turn.leave(b)
	if b.cancel != nil {
		b.cancel()
	}
}
