package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/task"
)

// Stage gives the approved work of an item to the merge queue. An empty message is the task's own. The
// error is a *land.RefusedError where it cannot land, and a *machine.Refusal where the item is not parked.
func Stage(ctx context.Context, q *queue.Queue, i queue.Item, by core.Actor, message string) error {
	of, err := q.Task(i)
	if err != nil {
		return err
	}
	return New(of, q).stage(ctx, of, i, by, by.Role == machine.Human, message)
}

// stage is Stage for the task of an item. Human says that you want it, now or before it was judged again.
func (m *Merger) stage(ctx context.Context, of *project.Task, i queue.Item, by core.Actor, human bool,
	message string) error {
	via, publish, err := m.viaOf(of, i)
	if err != nil {
		return err
	}
	w, err := land.Approved(ctx, of, land.Options{Message: message}, !human || via != "")
	if err != nil {
		return err
	}
	sub := w.World.Submission
	s := queue.Staged{Target: w.Plan.Onto, At: sub.At, Tree: sub.Tree, Base: w.Base, Commit: w.Commit,
		Checks: checksOf(m.definition(w.World)), ByHuman: human,
		Spec: w.World.TaskSpec, Milestone: w.World.TaskMilestone, Notes: strings.Join(w.Skipped, "; "),
		Via: via, Publish: publish}
	if via != "" && human {
		if err := m.tryForge(ctx, i.Task, s); err != nil {
			return err
		}
	}
	return m.queue.Stage(ctx, by, i.N, s, stageEvent(by.Role == machine.Human))
}

// stageAll stages what is approved: everything, or what you had staged before it was judged again. It
// notes why it cannot stage the others, by their numbers: the trouble of one keeps no other from its landing.
func (m *Merger) stageAll(ctx context.Context, all bool, refused map[int]string) error {
	s, err := m.queue.Load()
	if err != nil {
		return err
	}
	for _, i := range s.World.Items {
		if i.State != itemParked || i.Dir == "" || i.Held != itemNotHeld || !all && i.Again == "" {
			continue
		}
		of, err := m.queue.Task(i)
		if err != nil {
			continue // it is listed with what is wrong
		}
		w, err := of.World()
		if err != nil || w.World.State != task.Complete || w.World.Task == nil || w.World.Task.Landed != nil {
			continue
		}
		by, again := project.FerrusActor(), w.World.Submission != nil && i.Again == w.World.Submission.Tree
		if !all && !again {
			continue
		}
		err = m.stage(ctx, of, i, by, again, "")
		if hook := (*land.HookRefused)(nil); errors.As(err, &hook) {
			err = returnRefused(ctx, of, w.World, hook)
		}
		if err := noteTrouble(ctx, err, refused, i.N); err != nil {
			return err
		}
	}
	return nil
}

// noteTrouble notes what went wrong with one item. It returns what ends the work on all of them.
func noteTrouble(ctx context.Context, err error, refused map[int]string, n int) error {
	off := (*land.RefusedError)(nil)
	switch {
	case err == nil || machine.IsRefusal(err):
	case ctx.Err() != nil || errors.Is(err, errStopped):
		return err
	case errors.As(err, &off):
		refused[n] = off.What
	default:
		refused[n] = err.Error()
	}
	return nil
}

// finish has the tasks of landed items know it, and removes their worktrees. It notes what could not be cleared
// away, by the numbers of the items.
func (m *Merger) finish(ctx context.Context, o Options, refused map[int]string) error {
	s, err := m.queue.Load()
	if err != nil {
		return err
	}
	for _, i := range s.World.Items {
		if i.State != itemLanded || i.Staged == nil || o.Lives != nil && o.Lives(i.Dir) {
			continue
		}
		if err := noteTrouble(ctx, m.finishOne(ctx, o, i), refused, i.N); err != nil {
			return err
		}
	}
	return nil
}

// finishOne is finish for one item.
func (m *Merger) finishOne(ctx context.Context, o Options, i queue.Item) error {
	if o.stop != nil && o.stop() {
		return errStopped
	}
	of, err := m.queue.Task(i)
	if err != nil {
		return err
	}
	done, err := land.Finish(ctx, of, i.Landed, i.Staged.Target)
	if err != nil {
		return fmt.Errorf("clear away %s: %w", i.Name(), err)
	}
	if o.stop != nil && o.stop() {
		return errStopped
	}
	kept := strings.TrimPrefix(done.Kept+"; "+done.Teardown, "; ")
	return m.queue.Finished(ctx, i.N, done.String(), kept)
}
