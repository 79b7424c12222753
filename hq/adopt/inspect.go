package adopt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/worktree"
	"ferrus/machine/task"
	"ferrus/store"
)

// Inspect returns what is in a directory: the worktree that it is in, whatever directory of it is named. The
// error is a [*Refused] where that cannot become a task.
func Inspect(ctx context.Context, p *project.Task, dir string, o Options) (Found, error) {
	at, err := real(dir)
	if err != nil {
		return Found{}, err
	}
	p = p.Main()
	home, r, err := repositories(p, at)
	if errors.Is(err, git.ErrNoRepository) {
		return Found{}, refuse("name a worktree or a clone of this repository",
			"%s is not in a git repository: there is no base to compare its files with", at)
	} else if err != nil {
		return Found{}, err
	}
	f := Found{Dir: r.Top}
	if f.Branch, err = worktree.Branch(ctx, r); err == nil {
		f.Target, err = worktree.Branch(ctx, home)
	}
	if err != nil {
		return f, err
	}
	if err := free(p, home, r, at); err != nil {
		return f, err
	}
	if err := f.readWork(ctx, home, r); err != nil {
		return f, err
	}
	below, err := filepath.Rel(home.Top, p.Dir)
	if err != nil {
		return f, err
	}
	if info, err := os.Stat(filepath.Join(r.Top, below)); err != nil || !info.IsDir() {
		return f, refuse("commit it there first", "the project directory %s is not in %s", below, r.Top)
	}
	if err := f.readSession(ctx, r, o); err != nil {
		return f, err
	}
	if f.Commits == 0 && f.Changes == 0 && f.Conversation == nil {
		return f, refuse("/task starts a new task", "there is nothing in %s: no commit beyond the base, "+
			"no changed file, and no session", f.Dir)
	}
	f.Text = f.propose(ctx, r)
	return f, nil
}

// free returns why a worktree is not yours alone: a task works there, or was adopted from there.
func free(p *project.Task, home, r git.Repository, at string) error {
	if id, ok := taskOf(p, at); ok {
		worlds, err := p.Worlds()
		if err != nil {
			return err
		}
		if w := worlds.Of(id); w != nil && isLive(*w) {
			return refuse("it has its own sessions; end it first: ferrus task cancel, or ferrus reset",
				"%s is the worktree of the task %s (%s)", r.Top, id, w.Task.Title)
		}
	} else if other, ok := worktree.Find(at); ok && other != p.Dir {
		return refuse("adopt from a directory that no task works in", "%s is the worktree of a task of the project %s",
			r.Top, other)
	}
	dir := p.Dir
	if r.Top != home.Top { // another checkout may have a project of its own
		dir = r.Top
	}
	if w, ok := opened(dir); ok && isLive(w) && w.Task.Workspace == nil {
		return refuse("land or reset that task first", "a task works in %s: %s", dir, w.Task.Title)
	}
	q, err := queue.Open(p)
	if errors.Is(err, store.ErrNone) {
		return nil
	} else if err != nil {
		return err
	}
	s, err := q.Load()
	for _, i := range s.World.Items {
		if i.Adopted != nil && i.Adopted.Dir == r.Top && !i.Final() {
			return refuse("land or cancel that task first", "%s is already adopted: it is %s %s", r.Top, i.Name(),
				i.Title)
		}
	}
	return err
}

// isLive reports a task whose work is not over.
func isLive(w core.World) bool { return w.Task != nil && w.State != task.Idle && w.Task.Landed == nil }

// taskOf returns the task of the project in whose worktree a directory is.
func taskOf(p *project.Task, at string) (id string, ok bool) {
	below, err := filepath.Rel(filepath.Join(p.Dir, ".ferrus", worktree.Folder), at)
	if err != nil || !filepath.IsLocal(below) || below == "." {
		return "", false
	}
	id, _, _ = strings.Cut(below, string(filepath.Separator))
	return id, true
}

// readWork finds the base, and counts what there is beyond it.
func (f *Found) readWork(ctx context.Context, home, r git.Repository) error {
	if what := worktree.InProgress(r); what != "" {
		return refuse("finish or abort it there, then adopt again", "%s is in progress in %s", what, r.Top)
	}
	g := r.Git()
	if unmerged, err := g.Output(ctx, "ls-files", "--unmerged"); err != nil {
		return err
	} else if unmerged != "" {
		return refuse("resolve them there, then adopt again", "there are unresolved conflicts in %s", r.Top)
	}
	if _, err := g.Output(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return refuse("commit there first", "there is no commit in %s yet", r.Top)
	}
	_, target, _, err := home.Present(ctx)
	if err != nil {
		return err
	}
	if target == "" {
		return worktree.ErrNoCommit
	}
	both := worktree.Shared(r, home)
	if f.Base, err = both.Output(ctx, "merge-base", "HEAD", target); err != nil || f.Base == "" {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return refuse("name a worktree or a clone of this repository; a shallow clone needs: git fetch --unshallow",
			"%s has no commit in common with this project", r.Top)
	}
	commits, err := both.Output(ctx, "rev-list", "--count", f.Base+"..HEAD")
	if err != nil {
		return err
	}
	if f.Commits, err = strconv.Atoi(commits); err != nil {
		return fmt.Errorf("count the commits in %s: %w", r.Top, err)
	}
	changed, err := g.List(ctx, append([]string{"status", "--porcelain=v1", "-z", "--no-renames",
		"--untracked-files=all"}, worktree.Everything...)...)
	f.Changes = len(changed)
	return err
}
