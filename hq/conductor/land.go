package conductor

import (
	"context"

	"ferrus/checks"
	"ferrus/hq/land"
	"ferrus/hq/merge"
)

// Land lands the approved work of the task, and shows its steps as notices. The work of a task with a
// worktree of its own is staged: the conductor of the project merges it.
func (c *Conductor) Land(ctx context.Context, o land.Options) (land.Done, error) {
	if c.project.HasDirectory() && !o.Keep {
		_, item, err := merge.StageTask(ctx, c.project, o.Message)
		if err != nil {
			return land.Done{}, err
		}
		done := land.Done{Staged: item.Name(), Onto: item.Staged.Target}
		if item.ByPull() {
			done.Pull = "a pull request"
		}
		return done, nil
	}
	o.Tell = func(words string) { c.loop.Ask(func() { c.notices.add(false, "%s", words) }) }
	o.Watch = func(commands []string) land.Watch {
		progress, over := c.gate.watch("landing", commands, c.notifyChanged)
		setup := func(of int, p checks.Progress) { c.gate.setup(of, p); c.notifyChanged() }
		return land.Watch{Progress: progress, Setup: setup, Over: over}
	}
	defer c.loop.Ask(c.landed)
	return land.Land(ctx, c.project, "", o)
}

// landed reads what a landing changed.
func (c *Conductor) landed() {
	c.observed.reload()
	c.branch = c.project.Repo().Describe(c.loop.Context)
}

// finishLanding completes or rolls back a landing that was killed. Its failure is shown, and
// keeps no session from running.
func (c *Conductor) finishLanding() {
	words, err := land.Recover(c.loop.Context, c.project)
	c.notices.addErrorOnce(err)
	if words != "" {
		c.notices.add(false, "%s", words)
	}
}
