package workflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/worktree"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// Apart reports whether the workflow has its own worktree and branch. The plan's tasks are then
// merged to that branch, each from its own worktree. Otherwise everything happens in the
// project directory.
func (d *Document) Apart() bool { return d.Base.Dir != "" }

// Busy returns why no task of the queue may start in the project's checkout; empty: the workflow has ended, or its
// tasks change other directories.
func (d *Document) Busy() string {
	if d.IsFinal() || d.Apart() {
		return ""
	}
	return "a workflow is open"
}

// Branch returns where the work is published, and, apart, where the tasks land.
func (d *Document) Branch() string { return worktree.Place{ID: d.ID}.Branch() }

// Lands reports whether ferrus land brings the result to its branch: it is completed, and no pull request
// or command of yours has published it elsewhere.
func (d *Document) Lands() bool {
	s := d.Synthesis
	elsewhere := s != nil && s.PRURL != "" && !strings.HasPrefix(s.PRURL, ".ferrus/")
	return d.Phase == flow.Completed && !elsewhere && (d.Apart() || s != nil)
}

// StaysHere reports whether the result is uncommitted in your checkout, and nothing of ferrus will commit it.
func (d *Document) StaysHere() bool {
	return d.Phase == flow.Completed && d.Synthesis == nil && !d.Apart()
}

// Workspace returns the directory of the work: the project's, or the one in the worktree. One that
// ferrus did not write is the worktree's own.
func (b *Store) Workspace(d *Document) string {
	if !d.Apart() {
		return b.Project.Dir
	}
	place := b.Project.Worktree(d.ID)
	if !filepath.IsLocal(d.Base.Dir) || !strings.HasPrefix(path.Clean(d.Base.Dir)+"/", worktree.Folder+"/"+d.ID+"/") {
		return place.Top()
	}
	return filepath.Join(b.Project.Dir, ".ferrus", filepath.FromSlash(d.Base.Dir))
}

// makeWorktree makes the worktree of a new workflow and has its base say so.
func (b *Store) makeWorktree(ctx context.Context, d *Document, clone []string) error {
	made, err := worktree.Make(ctx, b.Project.Worktree(d.ID), worktree.Options{Clone: clone})
	if err != nil {
		return err
	}
	below, err := filepath.Rel(filepath.Join(b.Project.Dir, ".ferrus"), made.Dir)
	d.Base = Base{Commit: made.Commit, Branch: made.From, Dir: filepath.ToSlash(below)}
	return err
}

// parallel returns the steps of tasks that go through the queue; false when nothing of it is to be
// done.
func (d *Document) parallel(l TaskLoop) (Next, bool) {
	if strings.HasPrefix(d.openTasks(), flow.NoTasks) && d.failedTask() == "" {
		return Next{Do: DoSession, Role: machine.Supervisor, WaitingFor: d.openTasks()}, true
	}
	var open []string
	role := machine.Executor
	for _, t := range d.Tasks {
		if t.Status == Done || t.Status == Failed {
			continue
		}
		next, ferrus := d.queued(t, l.Rows)
		if ferrus {
			return next, true
		}
		if open = append(open, next.WaitingFor); next.Role != "" {
			role = next.Role
		}
	}
	switch {
	case len(open) > 0:
		return Next{Do: DoLoop, Role: role, WaitingFor: strings.Join(open, ", ")}, true
	case d.failedTask() != "" || d.Team == nil || !d.Team.Spawned || d.Team.Disbanded:
		return Next{}, false
	case l.Lives:
		return Next{Do: DoLoop, Role: machine.Ferrus, WaitingFor: "waits for the executors to end"}, true
	}
	return Next{Do: DoRecord, Command: Command{Kind: KindDisbanded}, Role: machine.Ferrus,
		WaitingFor: "no executor is running"}, true
}

// queued returns one task that is not over: what ferrus does about it, or what it waits
// for.
func (d *Document) queued(t Task, rows []queue.Row) (next Next, ferrus bool) {
	r := d.Row(t, rows)
	assigned := Command{Kind: KindAssigned, Task: &Task{ID: t.ID}}
	switch {
	case t.Status == Pending && (r == nil || r.IsCancelled()):
		if d.failedTask() != "" {
			return Next{}, false
		}
		return Next{Do: DoQueue, Role: machine.Ferrus, WaitingFor: "queues task " + t.ID}, true
	case r == nil:
		return Next{WaitingFor: "task " + t.ID + " is in the queue"}, false
	case t.Status == Pending:
		return Next{Do: DoRecord, Command: assigned, Role: machine.Ferrus, WaitingFor: t.ID + " is " + r.Name()}, true
	case r.Item.Task != "" && t.Loop == "":
		assigned.Task.Loop = r.Item.Task
		return Next{Do: DoRecord, Command: assigned, Role: machine.Ferrus, WaitingFor: t.ID + " has started"}, true
	case r.IsLanded():
		return endTask(t.ID, Done, ""), true
	case r.IsCancelled():
		return endTask(t.ID, Failed, "it was cancelled"), true
	case r.IsParked() && r.Task == task.Complete && !r.CannotBegin():
		return Next{Do: DoLand, Item: r.N, Role: machine.Ferrus,
			WaitingFor: "lands task " + t.ID + " on " + d.Branch()}, true
	}
	if r.NeedsYou() {
		next.Role = machine.Human
	}
	next.WaitingFor = fmt.Sprintf("task %s (%s) %s", t.ID, r.Name(), r.Words())
	return next, false
}

// Row returns what the queue says of a task of the plan; nil: nothing.
func (d *Document) Row(t Task, rows []queue.Row) *queue.Row {
	for i := len(rows) - 1; i >= 0; i-- {
		if o := rows[i].Origin; o != nil && *o == *d.Origin(t) {
			return &rows[i]
		}
	}
	return nil
}

// Enqueue adds the tasks of the plan that are not in the queue yet, each after the tasks that it waits
// for. It may be called any number of times; what was added before a crash is found.
func (b *Store) Enqueue(ctx context.Context, d *Document) (added int, err error) {
	q, err := queue.OpenOrCreate(ctx, b.Project)
	if err != nil {
		return 0, err
	}
	s, err := q.Load()
	if err != nil {
		return 0, err
	}
	known := map[string]int{} // the number of an item, by the id in the plan
	for _, t := range d.Tasks {
		for _, i := range s.World.Items {
			if i.Origin != nil && *i.Origin == *d.Origin(t) && !i.IsCancelled() {
				known[t.ID] = i.N
			}
		}
	}
	for again := true; again; {
		again = false
		for _, t := range d.Tasks {
			after, ready := d.waitsFor(t, known)
			if t.Status != Pending || known[t.ID] > 0 || !ready {
				continue
			}
			items, err := q.Add(ctx, t.Planner(), []queue.New{{Text: d.TaskText(t), After: after, Origin: d.Origin(t)}})
			if err != nil {
				return added, fmt.Errorf("queue task %s of %s: %w", t.ID, d.ID, err)
			}
			known[t.ID], again = items[0].N, true
			added++
		}
	}
	return added, b.Project.Store.WriteFile(queue.WakeFile, nil)
}

// waitsFor returns the items that a task waits for; false while one of them is not in the queue.
func (d *Document) waitsFor(t Task, known map[string]int) (after []queue.Ref, ready bool) {
	for _, id := range t.After {
		switch before := d.task(id); {
		case known[id] > 0:
			after = append(after, queue.Ref{N: known[id]})
		case before == nil || before.Status != Done:
			return nil, false
		}
	}
	return after, true
}

// Planner returns the actor that a task of the plan is created as.
func (t Task) Planner() core.Actor {
	id := t.By
	if id == "" || core.IsHuman(id) {
		id = "supervisor"
	}
	return core.Actor{Role: machine.Supervisor, ID: id}
}

// registries returns the sessions of the workflow: of the project, and of the tasks that went
// through the queue.
func (b *Store) registries(d *Document) (all []project.Registry, err error) {
	ids := []string{""}
	if d.Apart() {
		ids = append(ids, d.looped()...)
	}
	for _, id := range ids {
		of, err := b.Project.OpenTask(id)
		if id != "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r, err := of.Registry()
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
