package serve

import (
	"fmt"
	"strings"

	"ferrus/hq/core"
	"ferrus/ui/text"
)

// sentence returns a result as text, for clients that show nothing else.
func sentence(tool string, r *core.Result) string {
	words := statusSentence(tool, r)
	if r.Message != "" && r.Status != core.StatusMessage {
		words += " Message: " + strings.TrimRight(r.Message, ".") + "."
	}
	if r.Next != "" {
		words += " Next: " + strings.TrimRight(r.Next, ".") + "."
	}
	return words
}

func statusSentence(tool string, r *core.Result) string {
	switch r.Status {
	case core.StatusClaimed:
		return claimSentence(r)
	case core.StatusTimeout:
		return fmt.Sprintf("Nothing yet: the task is %s.", r.State)
	case core.StatusParked:
		return "Stop waiting and end your session."
	case core.StatusMessage:
		return "Message: " + r.Message
	case core.StatusAnswered:
		return "The answer: " + strings.TrimSpace(r.Response+r.Answer)
	case core.StatusCreated:
		return fmt.Sprintf("The task %s is created.", r.TaskID)
	case core.StatusWritten:
		return specSentence(r)
	case core.StatusSubmitted:
		return "The work is submitted for review."
	case core.StatusApproved:
		return "The submission is approved: the task is Complete."
	case core.StatusRejected:
		return "The submission goes back to the executor" + usedOf(r.Cycles, "review cycle") + "."
	case core.StatusResolved:
		return "Your answer is recorded; " + text.Count(*r.OpenComments, "comment") + " still unanswered."
	case core.StatusAsked:
		return fmt.Sprintf("The question is recorded (ticket %d).", r.Ticket)
	case core.StatusRecorded:
		return fmt.Sprintf("The answer is recorded: the task is %s.", r.State)
	case core.StatusReset:
		return "The task is archived: ferrus is Idle."
	case core.StatusRenewed:
		return "The lease is renewed."
	case core.StatusPending:
		return "This is the submission to review."
	case core.StatusNoted:
		return fmt.Sprintf("Recorded: the workflow is in %s.", r.State)
	case core.StatusOpen:
		return fmt.Sprintf("The workflow is in %s.", r.State)
	case core.StatusOK:
		return fmt.Sprintf("The task is %s.", r.State)
	}
	return gateSentence(tool, r)
}

func claimSentence(r *core.Result) string {
	words := fmt.Sprintf("You hold the task %q (%s).", core.TaskTitle(r.Task), r.State)
	switch {
	case r.Claimed != nil && len(r.Alarms) > 0:
		words += fmt.Sprintf(" Its change touches what the checks depend on: %s; review_pending lists everything.",
			r.Alarms[0])
	case r.Claimed != nil && r.Workspace != "":
		words += " Its files are in its own worktree, " + r.Workspace + ": work there."
	}
	return words
}

func specSentence(r *core.Result) string {
	if r.Milestone == "" {
		return fmt.Sprintf("The specification is written to %s; it has no open milestone.", r.Path)
	}
	return fmt.Sprintf("The specification is written to %s; milestone %s is selected.", r.Path, r.Milestone)
}

// gateSentence says what became of a gate.
func gateSentence(tool string, r *core.Result) string {
	var retries *core.Count
	if r.GateReport != nil {
		retries = r.GateReport.Retries
	}
	switch r.Status {
	case core.StatusPassed:
		if r.GateReport != nil && r.Tests != "" {
			return "The checks passed: " + r.Tests + "."
		}
		return "The checks passed."
	case core.StatusFailed:
		return "The checks failed" + usedOf(retries, "check retry") + "."
	case core.StatusLimit:
		if tool == "reject" {
			return "The submission is rejected" + usedOf(r.Cycles, "review cycle") +
				" and no review cycles are left: the task is Failed."
		}
		return "The checks failed" + usedOf(retries, "check retry") + " and no retries are left: the task is Failed."
	case core.StatusRunning:
		return fmt.Sprintf("The checks are still running; call %s again with cursor %s.", tool, r.Cursor)
	case core.StatusUnproven:
		return "The checks proved nothing: there are no commands, or the tree could not be read."
	case core.StatusCancelled:
		return "The checks were cancelled."
	}
	return fmt.Sprintf("%s: %s.", tool, r.Status)
}

func usedOf(c *core.Count, what string) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf(" (%s %d of %d)", what, c.Used, c.Limit)
}
