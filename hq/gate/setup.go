package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// Setup runs the setup commands of a task's worktree. It is for the conductor: no lock
// but the conductor's keeps two from running. The error says what failed and where the
// log is; a run that ctx ended says nothing.
func Setup(ctx context.Context, p *project.Task, task, dir string, d core.Definition) error {
	m, err := mark(p, setupFile, marked{Task: task, Log: fmt.Sprintf("logs/setup_%d.txt", time.Now().Unix())})
	if err != nil {
		return err
	}
	log, err := p.Store.Append(m.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	o, end, err := setupInside(ctx, p, task, dir, d, log)
	defer end()
	if ctx.Err() != nil {
		return m.remove()
	}
	if err != nil {
		return errors.Join(err, m.remove())
	}
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
	dead, err := killLeftover(p, setupFile)
	if dead != nil && err == nil {
		err = dead.remove()
	}
	if err != nil {
		return fmt.Errorf("end what the last conductor left: %w", err)
	}
	return nil
}
