package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/hq/worktree"
)

// worktrees compares the worktrees that are there with the tasks that have one.
func (p *inspection) worktrees(ctx context.Context) {
	found, err := worktree.List(ctx, p.Dir)
	if err != nil {
		p.find("worktrees", Warning, "cannot list the worktrees", err.Error(), "")
		return
	}
	all, err := p.Worlds()
	if err != nil {
		p.find("worktrees", Warning, "cannot read which task has which worktree", err.Error(), "")
		return
	}
	for _, f := range found {
		p.worktree(ctx, f, all.Of(f.ID))
	}
	missing := p.missingWorktrees(all)
	p.landing()
	if len(found) == 0 && !missing {
		p.find("worktrees", OK, "there are no worktrees", "", "")
	}
}

// worktree is one that is there.
func (p *inspection) worktree(ctx context.Context, f worktree.Found, task *core.World) {
	remove := "run: ferrus worktree remove " + f.ID
	loss, err := worktree.Losses(ctx, f.Place)
	switch {
	case err != nil:
		p.find("worktrees", Warning, "cannot inspect a worktree", f.ID+": "+err.Error(), "")
		return
	case !loss.None():
		remove = "ferrus worktree shows what would be lost; then: ferrus worktree remove " + f.ID + " --force"
	}
	switch {
	case !f.Files || !f.Named:
		p.find("worktrees", Warning, "a removed worktree left files behind", f.ID, remove)
	case task != nil && task.Task.Landed == nil:
		p.find("worktrees", OK, "the task's worktree is there", f.ID, "")
	case task != nil:
		p.find("worktrees", Note, "the task has landed, but its worktree is still there", f.ID, remove)
	case p.IsArchived(f.ID):
		p.find("worktrees", Note, "an archived task still has its worktree", f.ID, "land it: ferrus land "+
			f.ID+"; or "+remove)
	default:
		if w, err := workflow.Open(p.Task).Load(f.ID); err == nil {
			if !w.IsFinal() {
				remove = ""
			}
			p.find("worktrees", OK, "the workflow's worktree is there", f.ID, remove)
			return
		}
		p.find("worktrees", Warning, "a worktree belongs to no task", f.ID, remove)
	}
}

// missingWorktrees reports the tasks whose worktree is gone, and whether there are any.
func (p *inspection) missingWorktrees(all project.Worlds) (found bool) {
	for _, w := range all {
		t := w.Task
		if t == nil || t.Workspace == nil || t.Landed != nil {
			continue
		}
		if _, err := os.Stat(p.Worktree(t.ID).Top()); errors.Is(err, fs.ErrNotExist) {
			found = true
			p.find("worktrees", Error, "the task's worktree is gone", t.ID, "git worktree add "+p.Worktree(t.ID).Top()+
				" "+t.Workspace.Branch+" restores what was committed; or: ferrus reset --task "+t.ID)
		}
	}
	return found
}

// landing reports one that died.
func (p *inspection) landing() {
	if _, err := p.Files.ReadFile(land.RecordFile); errors.Is(err, fs.ErrNotExist) {
		return
	}
	pid, held, err := p.Files.Holder(project.LandLock)
	switch {
	case err == nil && held:
		p.find("worktrees", Note, "a landing is in progress", fmt.Sprintf("process %d", pid), "")
	default:
		p.find("worktrees", Warning, "a landing was interrupted", "",
			"HQ, ferrus run or ferrus land completes it or rolls it back")
	}
}
