package conductor

import (
	"context"
	"fmt"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/spec"
)

// originate notes in a want of a task which milestone it is to come from: the one
// that is selected, unless the person leaves it alone. One that is gone, or is
// done already, is told before a session starts.
func (c *Conductor) originate(w *core.Request) error {
	if err := c.carries(*w); err != nil {
		return err
	}
	s := c.state.World.Selection
	if w.Kind != core.ModeTask || w.Manual || s.SelectedMilestone == "" {
		return nil
	}
	_, m, err := c.project.Specs().Milestone(s.SelectedSpec, s.SelectedMilestone)
	if err != nil {
		return fmt.Errorf("%w; /task --manual goes without", err)
	}
	if m.Done && !w.Again {
		return fmt.Errorf("%s of %s is done: /task --again takes it again, /milestones chooses another, /task --manual goes without", m.ID, s.SelectedSpec)
	}
	w.Spec, w.Milestone = s.SelectedSpec, s.SelectedMilestone
	return nil
}

// carries refuses changes that no work tree would take along.
func (c *Conductor) carries(w core.Request) error {
	if !w.Changes {
		return nil
	}
	cfg, err := c.project.Config()
	if err == nil && !cfg.HQ.Worktree() {
		err = project.ErrNoWorktree
	}
	return err
}

// settleOrigin keeps in the state what the task that is being drafted comes from,
// so that create_task takes it over whoever is alive then, and ticks the milestone
// of a task that is complete, where the one who approved it was stopped before.
func (c *Conductor) settleOrigin() {
	w := c.state.World
	s := w.Selection
	s.PendingTaskSpec, s.PendingTaskMilestone, s.PendingTaskChanges = "", "", false
	for _, want := range c.wants {
		if want.Kind == core.ModeTask {
			s.PendingTaskSpec, s.PendingTaskMilestone, s.PendingTaskChanges = want.Spec, want.Milestone, want.Changes
		}
	}
	if s != w.Selection {
		c.ferrus(core.Command{Kind: "select", Select: &s, Text: drafted(w.Selection, s), Seq: c.state.Seq})
	}
	if c.state.World.Unticked() {
		if err := c.project.TickMilestone(c.ctx); err != nil {
			c.deny(err)
		}
		c.reload()
	}
}

// drafted words what is drafted now, or is not any more.
func drafted(before, now core.Selection) string {
	switch {
	case now.PendingTaskMilestone != "":
		return "a task is drafted from " + now.PendingTaskMilestone
	case now.PendingTaskChanges:
		return "a task is drafted with what is not committed"
	case before.PendingTaskMilestone != "":
		return "no task is drafted from " + before.PendingTaskMilestone
	}
	return "no task is drafted"
}

// milestone words what a task is to come from; empty when that is nothing. What
// was edited since the person chose it is read as it is now.
func (c *Conductor) milestone(w core.Request) string {
	if w.Milestone == "" {
		return ""
	}
	_, m, err := c.project.Specs().Milestone(w.Spec, w.Milestone)
	if err != nil {
		return "Spec: " + w.Spec + "\nMilestone ID: " + w.Milestone
	}
	done, on := "no", "none"
	if m.Done {
		done = "yes"
	}
	if len(m.Depends) > 0 {
		on = strings.Join(m.Depends, ", ")
	}
	return fmt.Sprintf("Spec: %s\nMilestone: %s\nMilestone ID: %s\nCompleted: %s\nDepends on: %s", w.Spec, m, m.ID, done, on)
}

// Specs reads the specifications of the project as they are now.
func (c *Conductor) Specs() ([]spec.Spec, error) { return c.project.Specs().List() }

// Choose selects a milestone of a specification, as the person; empty both,
// nothing.
func (c *Conductor) Choose(ctx context.Context, name, milestone string) error {
	_, err := c.project.SelectMilestone(ctx, project.HumanActor(), name, milestone)
	c.ask(c.reload)
	return err
}
