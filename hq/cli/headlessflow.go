package cli

import (
	"ferrus/hq/conductor"
	"ferrus/hq/workflow"
	"ferrus/machine"
)

// finishedApart is like [headless.finished] for an open workflow with a worktree, whose tasks go
// through the queue. It looks at the disk, for the view may be older.
func (h *headless) finishedApart(v conductor.View) (bool, error) {
	w, err := workflow.Open(h.project).Load(v.Workflow.ID)
	if err != nil {
		return true, err
	}
	next, _, err := nextStep(h.project, w)
	switch {
	case err != nil:
		return true, err
	case next.Do == workflow.DoLand && v.Next.Do == workflow.DoLand && v.Next.Role == machine.Human:
		return true, waiting(v.Next.WaitingFor, "then: ferrus run")
	case next.Do == workflow.DoLoop && next.Role != machine.Ferrus:
		over, known, err := h.tasksOver(v)
		return over && known, err
	case next.Do == workflow.DoNothing || v.State.World.Hold != nil:
		return h.workflowOver(v)
	}
	return false, nil
}
