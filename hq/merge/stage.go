package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/commit"
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
func (m *Merger) stageAll(ctx context.Context, o Options, next *Next) error {
	s, err := m.queue.Load()
	if err != nil {
		return err
	}
	for _, i := range s.World.Items {
		of := m.toStage(i, o.Auto)
		if of == nil {
			continue
		}
		if home, err := git.Locate(m.project.Dir); err == nil && commit.HasHooks(home) {
			m.postpone(i.N, next)
			continue
		}
		if err := noteTrouble(ctx, m.stageOne(ctx, of, i), next.Refused, i.N); err != nil {
			return err
		}
	}
	return nil
}

// toStage returns the task of an item that ferrus is to stage; nil: it is not.
func (m *Merger) toStage(i queue.Item, all bool) *project.Task {
	if i.State != itemParked || i.Dir == "" || i.Held != itemNotHeld || !all && i.Again == "" {
		return nil
	}
	of, err := m.queue.Task(i)
	if err != nil {
		return nil // it is listed with what is wrong
	}
	s, err := of.SharedWorld()
	if err != nil || s.World.State != task.Complete || s.World.Task == nil || s.World.Task.Landed != nil ||
		!all && !judgedAgain(i, s.World) {
		return nil
	}
	return of
}

// stageOne stages the approved work of an item, or returns it where a hook refuses its message.
func (m *Merger) stageOne(ctx context.Context, of *project.Task, i queue.Item) error {
	s, err := of.World()
	if err != nil {
		return err
	}
	err = m.stage(ctx, of, i, project.FerrusActor(), judgedAgain(i, s.World), "")
	if hook := (*land.HookRefused)(nil); errors.As(err, &hook) {
		err = returnRefused(ctx, of, s.World, hook)
	}
	return err
}

// judgedAgain reports whether you had staged the work of an item and it is approved once more.
func judgedAgain(i queue.Item, w core.World) bool {
	return w.Submission != nil && i.Again == w.Submission.Tree
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

// finish records the landing in the tasks of landed items, and removes their worktrees. It notes what
// could not be removed, by the numbers of the items.
func (m *Merger) finish(ctx context.Context, o Options, next *Next) error {
	s, err := m.queue.Load()
	if err != nil {
		return err
	}
	cfg, _ := m.project.Config() // the last good one
	for _, i := range s.World.Items {
		if !m.toFinish(i, o) {
			continue
		}
		if len(cfg.HQ.Teardown) > 0 || o.Apart {
			m.postpone(i.N, next)
			continue
		}
		err := m.finishOne(ctx, o, i)
		if err != nil {
			next.pollAt(time.Now().Add(clearRetry))
		}
		if err := noteTrouble(ctx, err, next.Refused, i.N); err != nil {
			return err
		}
	}
	return nil
}

func (m *Merger) toFinish(i queue.Item, o Options) bool {
	return i.Clears() && (o.Lives == nil || !o.Lives(i.Dir))
}

// How often the removal of a worktree is tried, and at which interval. What is in the way may end
// meanwhile, such as a git command that has outlived its process; what stays is yours.
const (
	maxClears  = 8
	clearRetry = 2 * time.Second
)

// finishOne is finish for one item.
func (m *Merger) finishOne(ctx context.Context, o Options, i queue.Item) error {
	if o.stop != nil && o.stop() {
		return errStopped
	}
	done, err := m.clearAway(ctx, i)
	if err != nil && ctx.Err() == nil && m.givesUp(i.N) {
		done.Kept, err = err.Error(), nil
	}
	if err != nil {
		return fmt.Errorf("clear away %s: %w", i.Name(), err)
	}
	if o.stop != nil && o.stop() {
		return errStopped
	}
	kept := strings.TrimPrefix(done.Kept+"; "+done.Teardown, "; ")
	return m.queue.Finished(ctx, i.N, done.String(), kept)
}

func (m *Merger) clearAway(ctx context.Context, i queue.Item) (land.Done, error) {
	of, err := m.queue.Task(i)
	if err != nil {
		return land.Done{}, err
	}
	by := project.FerrusActor()
	if i.Staged.ByHuman {
		by = project.HumanActor()
	}
	return land.Finish(ctx, of, i.Landed, i.Staged.Target, by)
}

// givesUp counts a failed removal of an item's worktree, and reports whether to stop trying.
func (m *Merger) givesUp(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tries[n]++
	return m.tries[n] >= maxClears
}
