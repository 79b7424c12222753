package land

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/workflow"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// isWorkflow reports whether an id is a workflow's.
func isWorkflow(id string) bool { return strings.HasPrefix(id, "w-") }

// endedWorkflow returns the newest ended workflow, if a landing without a name can mean nothing else:
// there is no task, or the task belongs to the workflow. Empty: there is none.
func (l *landing) endedWorkflow(w core.World) (string, error) {
	own := w.Task != nil && w.Task.Origin != nil && (w.State == task.Complete || w.State == task.Idle)
	if l.project.HasDirectory() || w.Task != nil && !own && w.Task.Landed == nil {
		return "", nil
	}
	id, err := workflow.Open(l.project).Result()
	if own && w.Task.Origin.Workflow != id {
		return "", err
	}
	return id, err
}

// findWorkflow reads a workflow as if it were a task that is approved: its result is one change of
// the branch that it began on.
func (l *landing) findWorkflow(ctx context.Context, id string) error {
	found, err := workflow.Open(l.project).Load(id)
	if errors.Is(err, workflow.ErrNone) {
		return refuse("ferrus workflow list lists them", "there is no workflow %q in this project", id)
	}
	if err != nil {
		return err
	}
	d := &found.Document
	l.flow, l.past, l.Task = d, true, id
	t := &core.Task{ID: id, Title: d.Title, Definition: d.Definition, Base: core.Base{Commit: d.Base.Commit}}
	if d.Apart() {
		t.Workspace = &core.Workspace{Dir: d.Base.Dir, Branch: d.Branch(), From: d.Base.Branch, Ready: true}
	}
	if d.Base.Commit != "" {
		if t.Base.Tree, err = git.Around(l.project.Dir).TreeOf(ctx, d.Base.Commit); err != nil {
			return err
		}
	}
	l.w = core.World{State: task.Complete, Task: t, Submission: &core.Submission{}}
	switch data, err := l.project.Store.ReadFile(landedFile(id)); {
	case err == nil:
		t.Landed = &core.Landed{}
		return json.Unmarshal(data, t.Landed)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	// What cannot be read is refused before anything moves.
	if tree, err := l.project.Work(l.w).Tree(ctx); err == nil && len(tree.Problems) == 0 {
		l.w.Submission.Tree = tree.Hash
	}
	return nil
}

// readyWorkflow refuses a workflow whose result is not there to land.
func (l *landing) readyWorkflow(ctx context.Context) error {
	d := l.flow
	switch {
	case d == nil:
		return nil
	case d.Phase != flow.Completed:
		return refuse("ferrus workflow show says where it is", "the workflow is in %s, and only a completed one lands",
			d.Phase)
	case d.StaysHere():
		return refuse("commit what you want of it",
			"the workflow was not published, and its changes are in your checkout")
	case !d.Lands():
		return refuse("merge it there; ferrus workflow cleanup then records it", "the workflow was published as %s",
			d.Synthesis.PRURL)
	case l.w.Submission.Tree == "":
		return refuse("ferrus doctor shows what exists", "the files of the workflow cannot be read")
	case d.Synthesis == nil:
		return nil
	}
	published, err := git.Around(l.project.Dir).TreeOf(ctx, d.Synthesis.Commit)
	if err != nil {
		return refuse("ferrus workflow show says what is known", "the commit %.12s that was published is gone",
			d.Synthesis.Commit)
	}
	now, err := l.project.Work(l.w).Stored(ctx, l.w.Submission.Tree, published)
	if err != nil || now == published {
		return err
	}
	names, _ := l.project.Work(l.w).Changed(ctx, published, now) // Without names it is refused as well.
	return refuse("undo the change, or commit by hand what you want",
		"files changed since the workflow was published: %s", checks.JoinPaths(names))
}

// workflowMessage returns the commit message of a workflow: its title and its tasks.
func workflowMessage(d *workflow.Document) string {
	var b strings.Builder
	b.WriteString(d.Title + "\n")
	for i, t := range d.Tasks {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "* %s\n", t.Title)
	}
	return b.String()
}

func landedFile(id string) string {
	if isWorkflow(id) {
		return path.Join(workflow.Dir, id, workflow.LandedFile)
	}
	return path.Join("archive", id, "landed.json")
}
