package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
)

// Setup runs the setup commands of a task's worktree. It is for the conductor: no lock
// but the conductor's keeps two from running. The error says what failed and where the
// log is; a run that ctx ended says nothing. Progress is called for each command and each line of
// its output.
func Setup(ctx context.Context, p *project.Task, task, dir string, d core.Definition,
	progress func(checks.Progress)) error {
	return inWorktree(ctx, p, setupFile, marked{Task: task, Log: logName("setup")}, dir, d, progress)
}

func logName(kind string) string { return fmt.Sprintf("logs/%s_%d.txt", kind, time.Now().Unix()) }

// RemoveWorktree removes the worktree of a task and its branch, unless something would be lost (a
// [worktree.LossError]); with force, whatever is lost. If you have trusted the commands of [hq]
// teardown, they run there before. With it goes what the task's sessions kept elsewhere. What fails of
// either keeps no worktree: it is returned apart. The lock of landings is the caller's.
func RemoveWorktree(ctx context.Context, p *project.Task, place worktree.Place, force bool) (teardown, err error) {
	loss, err := worktree.Losses(ctx, place)
	switch {
	case err != nil && !force:
		return nil, err
	case !loss.None() && !force:
		return nil, &worktree.LossError{Place: place, Loss: loss}
	}
	if _, err := os.Stat(place.Top()); err == nil {
		teardown = tearDown(ctx, p, place)
	}
	if ctx.Err() != nil {
		return teardown, ctx.Err()
	}
	if err := worktree.Discard(ctx, place); err != nil {
		return teardown, err
	}
	return errors.Join(teardown, p.FreeSessions(place.ID)), nil
}

// tearDown runs the commands of [hq] teardown, after it has ended what a process that died left of
// them.
func tearDown(ctx context.Context, p *project.Task, place worktree.Place) error {
	cfg, err := p.Config()
	if err != nil || len(cfg.HQ.Teardown) == 0 {
		return err
	}
	if trusted, err := p.Trusted(project.GateDefinition(cfg)); err != nil || !trusted {
		return errors.Join(errors.New("the commands of [hq] teardown did not run; to allow them: ferrus trust"), err)
	}
	err = killAndForget(p, teardownFile)
	if err == nil {
		err = inWorktree(ctx, p, teardownFile, marked{Task: place.ID, Log: logName("teardown")}, place.Top(),
			project.Teardown(cfg), nil)
	}
	if err != nil {
		return fmt.Errorf("run the commands of [hq] teardown: %w", err)
	}
	return nil
}

// inWorktree runs commands in a worktree.
func inWorktree(ctx context.Context, p *project.Task, file string, as marked, dir string, d core.Definition,
	progress func(checks.Progress)) error {
	m := mark(p, file, as)
	if err := m.wait(); err != nil {
		return err
	}
	log, err := p.Store.Append(m.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	o, end, err := setupInside(ctx, p, m.Task, dir, d, log)
	defer end()
	if ctx.Err() != nil {
		return m.remove()
	}
	if err != nil {
		return errors.Join(err, m.remove())
	}
	o.Progress = progress
	record := m.run(ctx, d, log, o)
	if err := m.remove(); err != nil || ctx.Err() != nil {
		return err
	}
	if record.Verdict != checks.Pass && !record.Allowed {
		return fmt.Errorf("%s; see %s", record.Why, shownLog(p, m.Log))
	}
	return nil
}

// KillSetup ends the setup commands that a conductor which died had running.
func KillSetup(p *project.Task) error {
	if err := killAndForget(p, setupFile); err != nil {
		return fmt.Errorf("end what the last conductor left: %w", err)
	}
	return nil
}

// killAndForget ends what a process that died had running.
func killAndForget(p *project.Task, file string) error {
	dead, err := killLeftover(p, file)
	if dead != nil && err == nil {
		err = dead.remove()
	}
	return err
}
