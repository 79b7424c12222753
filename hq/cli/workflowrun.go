package cli

import (
	"fmt"

	"ferrus/hq/conductor"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/ui/text"
)

// workflowOver reports whether there is nothing to wait for in a workflow, and with
// which error. The end of a task does not end its workflow.
func (h *headless) workflowOver(v conductor.View) (bool, error) {
	w, task := v.Workflow, v.State.World
	switch {
	case w.IsFinal():
		return h.workflowEnd(v)
	case questionOpen(task) && !h.attended:
		return true, h.needsAnswer(v)
	case task.AwaitsApproval():
		return true, h.needsApproval(task)
	case task.Hold != nil && (!task.Hold.IsLimit() || !sessionsRunning(v)):
		return true, heldTask(task)
	case h.attended && w.Cancelling == nil:
		return false, nil
	case w.Asks() != "":
		return true, h.needsDecision(*w)
	case v.Next.Do == workflow.DoNothing && v.Next.Role == machine.Human:
		return true, waiting(v.Next.WaitingFor, "ferrus status shows it; then: ferrus run")
	}
	return false, nil
}

// workflowEnd waits for running sessions to end by themselves.
func (h *headless) workflowEnd(v conductor.View) (bool, error) {
	if sessionsRunning(v) {
		return false, nil
	}
	return true, printWorkflowEnd(h.streams, *v.Workflow)
}

// printWorkflowEnd prints how a workflow ended.
func printWorkflowEnd(std *streams, w workflow.Workflow) error {
	if w.Phase == flow.Cancelled {
		return failure("the workflow was cancelled")
	}
	fmt.Fprintln(std.out, "workflow completed")
	if pr := w.Artifacts["pr"]; pr != "" {
		fmt.Fprintln(std.out, "published: "+text.Sanitize(pr))
	}
	return nil
}

// needsDecision prints what you have to decide, with the plan.
func (h *headless) needsDecision(w workflow.Workflow) error {
	if plan := w.Artifacts["plan"]; plan != "" && w.Flow().Phase(w.Phase).Run == flow.RunHuman &&
		w.Phase != flow.Blocked {
		fmt.Fprintf(h.out, "\nthe plan:\n\n%s\n\n", indent(text.SanitizeLines(plan)))
	}
	hints := decisionHints(&w.Document)
	return waiting(w.Asks(), append(hints, "then: ferrus run")...)
}
