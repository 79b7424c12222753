// Package adopt turns work that you began by hand in a worktree into a task.
//
// [Inspect] reads what is there, or says why it cannot become a task; [Adopt] queues the task. The
// directory is only read: its files, index, HEAD, branches and stash do not change, and you can continue
// there or remove it. The task gets its own worktree with a copy of everything that git does not ignore,
// and of the conversation that you had with a client there.
//
// It is a copy because ferrus writes, checks and removes a task's worktree, because its sessions
// must see nothing else of yours, and because undoing an adoption must not cost you anything.
//
// The task exists as soon as one commit to the queue has added it. Before that there are only
// unreachable objects, a ref in [worktree.AdoptedRefs] and a staged file, which later runs remove;
// after it, starting the task can be repeated any number of times.
package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/agent"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/worktree"
	"ferrus/store"
)

// RefusedError says why a directory cannot become a task, and what to do about it.
type RefusedError struct{ What, Fix string }

func (r *RefusedError) Error() string { return "adopt: " + r.What }

func refuse(fix, format string, args ...any) error {
	return &RefusedError{What: fmt.Sprintf(format, args...), Fix: fix}
}

// NoAgent is the agent's name when no conversation is adopted, only the files.
const NoAgent = "none"

// Found is what is in a directory.
type Found struct {
	Dir     string // the top of the worktree, absolute and without links
	Branch  string // that is checked out there; empty: none is
	Target  string // the branch that the task lands on; empty: no branch is checked out in the project
	Base    string // the commit that both have in common
	Commits int    // that are in the worktree and not on the target
	Changes int    // files that are staged, modified or untracked
	// The newest conversation that was had there; nil: there is none, or you want none.
	Conversation *agent.Conversation
	Text         string // of the task, as it is proposed
}

// Lines say what was found, for you to confirm.
func (f Found) Lines() []string {
	from := "no branch is checked out"
	if f.Branch != "" {
		from = "branch " + f.Branch
	}
	onto := cmp.Or(f.Target, "what is checked out here")
	lines := []string{
		"from       " + f.Dir + " (" + from + "), which is not changed",
		fmt.Sprintf("base       %.12s, in common with %s", f.Base, onto),
		fmt.Sprintf("work       %s, %s", count(f.Commits, "commit"), count(f.Changes, "uncommitted file")),
	}
	if c := f.Conversation; c != nil {
		lines = append(lines, fmt.Sprintf("session    %s, %s, continues as the executor", c.Agent, c.ID))
	} else {
		lines = append(lines, "session    none to continue: the executor starts from the files")
	}
	return lines
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if before, after, two := strings.Cut(what, " "); two && before == "changed" {
		return strconv.Itoa(n) + " changed " + after + "s"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Options narrow what is adopted.
type Options struct {
	Agent string // whose conversation continues; empty: the newest, [NoAgent]: none
}

// Adopt adds a task to the queue that continues the work in a directory, and returns its item.
func Adopt(ctx context.Context, p *project.Task, dir string, o Options, text string) (queue.Item, error) {
	var none queue.Item
	p = p.Main()
	f, err := Inspect(ctx, p, dir, o)
	if err != nil {
		return none, err
	}
	q, err := queue.OpenOrCreate(ctx, p)
	if err != nil {
		return none, err
	}
	home, r, err := repositories(p, f.Dir)
	if err != nil {
		return none, err
	}
	if err := sweep(ctx, home, q); err != nil {
		return none, err
	}
	_, known, _, err := home.Present(ctx)
	if err != nil {
		return none, err
	}
	adopted := core.Adopted{Dir: f.Dir, Branch: f.Branch, Base: f.Base}
	if adopted.Snapshot, err = worktree.Snapshot(ctx, home, r, known); err != nil {
		return none, fmt.Errorf("adopt %s: %w", f.Dir, err)
	}
	n := queue.New{Text: text, Adopted: &adopted}
	if c := f.Conversation; c != nil {
		adopted.Agent, adopted.Conversation, adopted.Held, adopted.Place = c.Agent, c.ID, c.Dir, c.Place
		n.Staged, err = p.StageConversation(c.File)
	}
	var added []queue.Item
	if err == nil {
		added, err = q.Add(ctx, project.HumanOf(ctx), []queue.New{n})
	}
	if err != nil {
		undone := worktree.FreeAdopted(context.WithoutCancel(ctx), home, adopted.Snapshot)
		if n.Staged != "" {
			undone = errors.Join(undone, p.DropConversation(n.Staged))
		}
		return none, errors.Join(err, undone)
	}
	return added[0], p.Store.WriteFile(queue.WakeFile, nil)
}

// repositories returns the repositories of the project and of the worktree at a directory.
func repositories(p *project.Task, dir string) (home, r git.Repository, err error) {
	if home, err = git.Locate(p.Dir); err == nil {
		r, err = git.Locate(dir)
	}
	return home, r, err
}

// sweptAfter is how old a snapshot is that nothing needs: a younger one may be of an adoption that is
// about to be queued.
const sweptAfter = time.Hour

// sweep forgets the snapshots of adoptions that were never queued, or whose tasks have begun or were
// cancelled.
func sweep(ctx context.Context, home git.Repository, q *queue.Queue) error {
	out, err := home.Git().Output(ctx, "for-each-ref", "--format=%(objectname) %(committerdate:unix)",
		strings.TrimSuffix(worktree.AdoptedRefs, "/"))
	if err != nil || out == "" {
		return err
	}
	s, err := q.Load()
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		snapshot, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, _ := strconv.ParseInt(at, 10, 64) // what has no date is old
		needed := slices.ContainsFunc(s.World.Adopting(), func(a core.Adopted) bool { return a.Snapshot == snapshot })
		if needed || time.Since(time.Unix(seconds, 0)) < sweptAfter {
			continue
		}
		err = errors.Join(err, worktree.FreeAdopted(ctx, home, snapshot))
	}
	return err
}

// real returns a directory as it is without links.
func real(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	at, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", refuse("name the directory of a worktree or a clone", "there is no %s", abs)
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return "", refuse("name the directory of a worktree or a clone", "%s is not a directory", abs)
	}
	return at, nil
}

// opened returns the state of the project whose .ferrus is in a directory; false: there is none that
// can be read.
func opened(dir string) (core.World, bool) {
	p, err := project.Inspect(dir, "")
	if err != nil {
		return core.World{}, false
	}
	s, err := p.World()
	return s.World, err == nil && !errors.Is(err, store.ErrNone)
}
