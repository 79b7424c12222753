package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/worktree"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
	"ferrus/store"
)

// IncompleteCancelError says that steps of a cancellation failed: the workflow stays open, and
// the next cancel tries them again.
type IncompleteCancelError struct{ Failed []Step }

func (p *IncompleteCancelError) Error() string {
	var all []string
	for _, s := range p.Failed {
		all = append(all, s.ID+": "+s.Message)
	}
	return "the cancellation is not complete, the workflow is still open: " + strings.Join(all, "; ")
}

// CancelSteps returns what a cancellation would have to do, newest effect first. It is
// a function of the document alone. Files in the working tree are left as they are.
func CancelSteps(d *Document) []Step {
	var steps []Step
	if t := d.task(d.Current); t != nil && t.Loop != "" {
		steps = append(steps, Step{ID: "reset-task", What: "archive the task " + t.Loop})
	}
	if d.Apart() {
		steps = append(steps, Step{ID: "tasks", What: "cancel its tasks in the queue"})
	}
	steps = append(steps, Step{ID: "sessions", What: "stop the sessions of the workflow"})
	if s := d.Synthesis; s != nil && strings.HasPrefix(s.PRURL, "http") {
		steps = append(steps, Step{ID: "close-pr", What: "close " + s.PRURL},
			Step{ID: "remote-branch", What: "delete the branch " + s.Branch + " where it was pushed to"})
	}
	switch {
	case d.Apart():
		steps = append(steps, Step{ID: "worktrees",
			What: "remove its worktree and its tasks' worktrees, where nothing is lost"})
	case len(d.looped()) > 0:
		steps = append(steps, Step{ID: "worktrees",
			What: "remove its tasks' worktrees, where nothing is lost"})
	}
	if s := d.Synthesis; d.Apart() || s != nil && s.Branch != "" {
		steps = append(steps, Step{ID: "branch", What: fmt.Sprintf("delete the branch %s; its commit stays as %s",
			d.Branch(), keptRef(d))})
	}
	return steps
}

// keptRef keeps what a deleted branch led to.
func keptRef(d *Document) string { return "refs/ferrus/kept/" + d.ID }

// Cancel compensates what a workflow did and then cancels it. Each step is
// recorded when it is done, so that an interrupted one continues where it stopped;
// the error is a [*IncompleteCancelError] when a step failed.
func (b *Store) Cancel(ctx context.Context, id, reason string) (Workflow, error) {
	w, err := b.Load(id)
	if err != nil {
		return w, err
	}
	if w.Cancelling == nil || w.IsFinal() {
		c := Command{Kind: KindCancelling, By: project.FerrusActor(), Text: reason, Steps: CancelSteps(&w.Document)}
		if w.IsFinal() {
			c = Command{Kind: flow.KindCancel, By: project.HumanActor()} // The table says that it is over.
		}
		if w, err = b.Do(ctx, id, store.Call{}, c); err != nil {
			return w, err
		}
	}
	var failed []Step
	for _, step := range w.Compensation {
		if step.Status == StepExecuted || step.Status == StepSkipped {
			continue
		}
		step = b.compensate(ctx, &w.Document, step)
		if w, err = b.Do(ctx, id, store.Call{}, Command{Kind: flow.KindCompensated, By: project.FerrusActor(),
			Steps: []Step{step}}); err != nil {
			return w, err
		}
		if step.Status == StepFailed {
			failed = append(failed, step)
		}
	}
	if len(failed) > 0 {
		return w, &IncompleteCancelError{failed}
	}
	return b.Do(ctx, id, store.Call{}, Command{Kind: flow.KindCancel, By: project.HumanActor(),
		Text: cmp.Or(reason, w.Cancelling.Text)})
}

// compensate takes one step.
func (b *Store) compensate(ctx context.Context, d *Document, s Step) Step {
	take := map[string]func(context.Context, *Document) (string, error){
		"sessions": b.endSessions, "close-pr": b.closePR, "remote-branch": b.dropRemote, "reset-task": b.resetTask,
		"worktrees": b.dropWorktrees, "branch": b.dropBranch, "tasks": b.cancelTasks,
	}[s.ID]
	if take == nil {
		s.Status, s.Message = StepFailed, "this ferrus does not know the step"
		return s
	}
	skipped, err := take(ctx, d)
	switch {
	case err != nil:
		s.Status, s.Message = StepFailed, err.Error()
	case skipped != "":
		s.Status, s.Message = StepSkipped, skipped
	default:
		s.Status, s.Message = StepExecuted, ""
	}
	return s
}

// endSessions waits a while for running sessions: a conductor stops what should no
// longer run as soon as the cancellation is recorded.
func (b *Store) endSessions(ctx context.Context, d *Document) (string, error) {
	deadline := time.Now().Add(endingTime)
	for {
		err := b.living(d)
		if err == nil || time.Now().After(deadline) {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// endingTime is what a session that is let go gets, with some to spare.
const endingTime = 15 * time.Second

// living names a session of the workflow that has not ended.
func (b *Store) living(d *Document) error {
	all, err := b.registries(d)
	for i, r := range all {
		for _, e := range r.Agents {
			own := i > 0 || e.Mode == core.ModePhase || e.Slot == core.SlotExecutor && !d.Apart()
			if e.Process == nil || e.Status != project.Running || !own {
				continue
			}
			if alive, known := process.Alive(e.Process); alive && known {
				return fmt.Errorf("%s is still ending: cancel again in a moment", e.Name)
			}
		}
	}
	return err
}

func (b *Store) closePR(ctx context.Context, d *Document) (string, error) {
	return b.Forge.Close(ctx, d.Synthesis.PRURL)
}

// dropRemote deletes a pushed branch; what it leads to stays here.
func (b *Store) dropRemote(ctx context.Context, d *Document) (string, error) {
	if err := b.keepCommit(ctx, d); err != nil {
		return "", err
	}
	return b.Forge.DropRemote(ctx, d.Synthesis.Branch)
}

// resetTask puts the loop's task away, which archives its texts.
func (b *Store) resetTask(ctx context.Context, d *Document) (string, error) {
	state, err := b.Project.World()
	if err != nil {
		return "", err
	}
	t := d.task(d.Current)
	if t == nil || state.World.Task == nil || state.World.Task.ID != t.Loop {
		return "it is no longer in the task loop", nil
	}
	if state.World.State == task.Complete {
		return "it is complete", nil
	}
	_, err = b.Project.Do(ctx, store.Call{}, core.Command{Kind: core.KindReset, By: project.HumanActor()})
	if refused := machine.AsRefusal(err); refused != nil {
		return "", refused
	}
	return "", err
}

// looped returns the tasks that were in the task loop, by their ids there.
func (d *Document) looped() []string {
	var all []string
	for _, t := range d.Tasks {
		if t.Loop != "" {
			all = append(all, t.Loop)
		}
	}
	return all
}

// cancelTasks cancels the tasks of the plan that have not landed, which resets them.
func (b *Store) cancelTasks(ctx context.Context, d *Document) (string, error) {
	q, err := queue.Open(b.Project)
	if errors.Is(err, store.ErrNone) {
		return "none is queued", nil
	}
	if err != nil {
		return "", err
	}
	s, err := q.Load()
	if err != nil {
		return "", err
	}
	for _, i := range s.World.Items {
		if i.Origin == nil || i.Origin.Workflow != d.ID || i.Final() {
			continue
		}
		if err := q.Cancel(ctx, project.HumanActor(), i.N); err != nil {
			return "", err
		}
	}
	return "", b.Project.Store.WriteFile(queue.WakeFile, nil)
}

// dropWorktrees removes what the workflow and its tasks had for themselves, after the commands of
// [hq] teardown. One with something that is nowhere else stays, for the human to look at.
func (b *Store) dropWorktrees(ctx context.Context, d *Document) (string, error) {
	found, err := worktree.List(ctx, b.Project.Dir)
	if err != nil {
		return "", err
	}
	lock, err := b.Project.Files.TryLock(project.LandLock)
	if err != nil {
		return "", err
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	var kept []string
	for _, f := range found {
		own := d.Apart() && f.ID == d.ID
		if !own && !slices.Contains(d.looped(), f.ID) {
			continue
		}
		words, err := b.dropWorktree(ctx, d, f.Place, own)
		if err != nil {
			return "", err
		}
		if words != "" {
			kept = append(kept, words)
		}
	}
	return strings.Join(kept, "; "), nil
}

// dropWorktree removes one, and returns why it stays, or what failed of its teardown. The commits
// of the workflow's own get another name first.
func (b *Store) dropWorktree(ctx context.Context, d *Document, place worktree.Place, own bool) (string, error) {
	loss, err := worktree.Losses(ctx, place)
	if err != nil {
		return "", err
	}
	if own {
		if tip, err := git.Around(b.Project.Dir).Output(ctx, "rev-parse", "--verify", "--quiet",
			"refs/heads/"+d.Branch()); err == nil && tip != d.Base.Commit {
			if _, err := git.Around(b.Project.Dir).Output(ctx, "update-ref", keptRef(d), tip); err != nil {
				return "", err
			}
		}
		loss.Commits = nil
	}
	if !loss.None() {
		return (&worktree.LossError{Place: place, Loss: loss}).Error(), nil
	}
	teardown, err := gate.RemoveWorktree(ctx, b.Project, place, true)
	if err == nil && teardown != nil {
		return "teardown: " + teardown.Error(), nil
	}
	return "", err
}

// dropBranch deletes the branch of the workflow, after its commit has another name.
func (b *Store) dropBranch(ctx context.Context, d *Document) (string, error) {
	g, branch := git.Around(b.Project.Dir), "refs/heads/"+d.Branch()
	commit, err := g.Output(ctx, "rev-parse", "--verify", "--quiet", branch)
	if err != nil {
		return "there is no such branch", nil
	}
	home, err := git.Locate(b.Project.Dir)
	if err != nil {
		return "", err
	}
	if present, err := worktree.Branch(ctx, home); err != nil || present == d.Branch() {
		return "it is checked out", err
	}
	if _, err := os.Stat(b.Project.Worktree(d.ID).Top()); d.Apart() && err == nil {
		return "its worktree is still there", nil
	}
	if _, err := g.Output(ctx, "update-ref", keptRef(d), commit); err != nil {
		return "", err
	}
	_, err = g.Output(ctx, "update-ref", "-d", branch, commit)
	return "", err
}

// keepCommit gives the published commit a name that no step removes.
func (b *Store) keepCommit(ctx context.Context, d *Document) error {
	if d.Synthesis.Commit == "" {
		return nil
	}
	_, err := git.Around(b.Project.Dir).Output(ctx, "update-ref", keptRef(d), d.Synthesis.Commit)
	return err
}
