package land

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ferrus/checks/git"
	"ferrus/hq/project"
	"ferrus/store"
)

// Recover completes or rolls back a landing that was killed, and returns a sentence
// about it; empty if there is none. A landing that is running, or whose git command
// is, is left alone.
func Recover(ctx context.Context, p *project.Task) (string, error) {
	if _, ok, err := begun(p); !ok || err != nil {
		return "", err
	}
	lock, err := p.Files.TryLock(project.LandLock)
	if errors.As(err, new(*store.LockedError)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	return recoverLocked(ctx, p, lock, nil)
}

func recoverLocked(ctx context.Context, p *project.Task, lock *store.Lock, stop func() bool) (string, error) {
	r, ok, err := begun(p)
	if !ok || err != nil {
		return "", err
	}
	if p, err = taskOf(p, r.Task); err != nil {
		return "", fmt.Errorf("end the interrupted landing of %s: %w", r.Task, err)
	}
	l := &landing{project: p, record: r, lock: lock, options: Options{Tell: func(string) {}, stop: stop}}
	words, err := l.again(context.WithoutCancel(ctx))
	if err != nil {
		return "", fmt.Errorf("end the interrupted landing of %s: %w", r.Task, err)
	}
	return words, nil
}

// taskOf returns the task with an id, which may have a directory of its own.
func taskOf(p *project.Task, id string) (*project.Task, error) {
	own, err := p.TaskDirs()
	if err != nil {
		return nil, err
	}
	if slices.Contains(own, id) {
		return p.OpenTask(id)
	}
	return p.Main(), nil
}

// again continues where the record says.
func (l *landing) again(ctx context.Context) (string, error) {
	at := l.Task
	if err := l.find(ctx, at); err != nil && l.Step != stepDone {
		return "", err
	}
	l.Task = at
	var err error
	if l.work, err = l.repository(); err != nil || l.work.Top != l.Dir {
		if l.Step != stepDone {
			return "", fmt.Errorf("its worktree %s is gone; inspect the branches, then remove .ferrus/%s",
				l.Dir, RecordFile)
		}
		if l.work, err = git.Locate(l.project.Dir); err != nil {
			return "", err
		}
	}
	if err := l.unlock(ctx, l.work); err != nil {
		return "", err
	}
	switch l.Step {
	case stepForward:
		return l.decide(ctx)
	case stepReturn:
		failed := (*FailedError)(nil)
		if err := l.giveBack(ctx); !errors.As(err, &failed) {
			return "", err
		}
		return "the landing of " + l.Task + " was interrupted: the executor has the work again", nil
	case stepDone:
		_, err := l.landed(ctx)
		return "the landing of " + l.Task + " was interrupted: it is now complete", err
	}
	return "the landing of " + l.Task + " was interrupted: it is rolled back", l.undo(ctx)
}

// decide looks whether the branch has moved: then the landing is finished.
func (l *landing) decide(ctx context.Context) (string, error) {
	moved, err := commitOf(ctx, l.work, l.Ref)
	if err != nil {
		return "", err
	}
	forward := moved == l.Tip
	if !forward && moved != "" && moved != l.Old {
		if forward, err = l.work.IsAncestor(ctx, l.Tip, moved); err != nil {
			return "", err
		}
	}
	if !forward {
		return "the landing of " + l.Task + " was interrupted: it is rolled back", l.undo(ctx)
	}
	if !l.Own && l.untouched(l.work) {
		if err := l.git(ctx, l.work, "reset", "--quiet", "--mixed"); err != nil {
			return "", err
		}
	}
	_, err = l.landed(ctx)
	return "the landing of " + l.Task + " was interrupted: it is now complete", err
}
