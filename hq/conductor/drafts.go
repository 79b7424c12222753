package conductor

import (
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// attachMilestone adds the selected milestone to a request for a task, unless the human asked
// for a task without one. It refuses a milestone that is gone or done, before a session
// starts.
func attachMilestone(p *project.Task, selected core.Selection, w *core.Request) error {
	if err := canCarryChanges(p, *w); err != nil {
		return err
	}
	if w.Kind != core.ModeTask || w.Manual || selected.SelectedMilestone == "" {
		return nil
	}
	spec := selected.SelectedSpec
	_, m, err := p.Specs().Milestone(spec, selected.SelectedMilestone)
	if err != nil {
		return fmt.Errorf("%w; /task --manual starts one without a milestone", err)
	}
	if m.Done && !w.Again {
		const do = "/task --again repeats it, /milestones selects another, /task --manual starts one without"
		return fmt.Errorf("%s of %s is done: "+do, m.ID, spec)
	}
	w.Spec, w.Milestone = spec, selected.SelectedMilestone
	return nil
}

// canCarryChanges refuses to carry uncommitted changes where tasks have no worktree.
func canCarryChanges(p *project.Task, w core.Request) error {
	if !w.Changes {
		return nil
	}
	cfg, err := p.Config()
	if err == nil && !cfg.HQ.Worktree() {
		err = project.ErrNoWorktree
	}
	return err
}

// reconcileDraft keeps in the state which milestone the requested task comes from, so that
// create_task finds it under any later conductor. It ticks the milestone of a complete task
// if a crash kept the approval from doing so.
func reconcileDraft(o *observed, wants requests) {
	now := o.world().Selection
	now.PendingTaskSpec, now.PendingTaskMilestone, now.PendingTaskChanges = "", "", false
	for _, w := range wants {
		if w.Kind == core.ModeTask {
			now.PendingTaskSpec, now.PendingTaskMilestone, now.PendingTaskChanges = w.Spec, w.Milestone, w.Changes
		}
	}
	if before := o.world().Selection; now != before {
		o.do(core.Command{Kind: core.KindSelect, Select: &now, Text: describeDraft(before, now), Seq: o.state.Seq})
	}
	if o.world().NeedsTick() {
		if err := o.project.TickMilestone(o.loop.Context); err != nil {
			o.reportError(err)
		}
		o.reload()
	}
}

// describeDraft returns a sentence for the journal about a change of the draft.
func describeDraft(before, now core.Selection) string {
	switch {
	case now.PendingTaskMilestone != "":
		return "drafting a task from " + now.PendingTaskMilestone
	case now.PendingTaskChanges:
		return "drafting a task with uncommitted changes"
	case before.PendingTaskMilestone != "":
		return "no longer drafting a task from " + before.PendingTaskMilestone
	}
	return "no longer drafting a task"
}
