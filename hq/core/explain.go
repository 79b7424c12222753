package core

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Explain says where the task stands, what is open to whom, and why the rest is
// not: for people, several lines.
func Explain(w World) string {
	return ExplainAt(w, func(t time.Time) string { return t.Format(time.RFC3339) })
}

// ExplainAt is [Explain] with times as somebody reads them.
func ExplainAt(w World, clock func(time.Time) string) string {
	var b strings.Builder
	w = w.Normalize()
	stands(&b, w, clock)
	b.WriteString("\nOpen now:\n")
	for _, o := range OpenTransitions(w) {
		if !slices.Equal(o.By, []machine.Role{machine.Ferrus}) {
			fmt.Fprintf(&b, "  %-17s %s\n", o.Event, machine.RoleNames(o.By))
		}
	}
	b.WriteString("\nNot open:\n")
	for _, c := range task.Table(task.Limits{}).Closed(w.snap()) {
		if !slices.Equal(c.By, []machine.Role{machine.Ferrus}) {
			fmt.Fprintf(&b, "  %-17s %s\n", c.Event, c.Why)
		}
	}
	for _, r := range []machine.Role{machine.Executor, machine.Supervisor} {
		if !w.claimable(r) {
			fmt.Fprintf(&b, "  %-17s there is nothing to claim while %s\n", claimTool(r), w.State)
		}
	}
	return b.String()
}

func stands(b *strings.Builder, w World, clock func(time.Time) string) {
	fact := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	if w.Task != nil {
		fact("task", "%s  %s", w.Task.ID, w.Task.Title)
	}
	if w.TaskMilestone != "" {
		fact("from", "%s of %s", w.TaskMilestone, w.TaskSpec)
	}
	if w.SelectedSpec != "" {
		fact("milestone", "%s of %s is selected", orElse(w.SelectedMilestone, "none"), w.SelectedSpec)
	}
	fact("state", "%s since %s%s", w.State, clock(w.Since), under(w))
	if err := w.Validate(); err != nil {
		fact("damaged", "%v", err)
	}
	fact("counters", "check_retries %d, review_cycles %d", w.CheckRetries, w.ReviewCycles)
	if w.FailureReason != "" {
		fact("reason", "%s", w.FailureReason)
	}
	if w.Gate != nil {
		fact("gate", "attempt %d, ticket %d: %s", w.Gate.Attempt, w.Gate.Ticket, orElse(string(w.Gate.Verdict), "running"))
	}
	if s := w.Submission; s != nil && w.isIn(task.Reviewing) {
		for _, a := range s.Alarms {
			fact(map[bool]string{true: "ALARM", false: "to see"}[a.NeedsHuman], "%s", a)
		}
	}
	if w.ClaimedBy != "" && w.LeaseUntil != nil {
		fact("lease", "%s until %s", w.ClaimedBy, clock(*w.LeaseUntil))
	} else if w.ClaimedBy != "" {
		fact("lease", "%s", w.ClaimedBy)
	}
	if w.Hold != nil {
		fact("hold", "%s, by %s: nothing is started until resume", w.Hold.Reason, w.Hold.By)
		if w.Hold.Cause != "" {
			fact("held for", "%s", w.Hold.Cause)
		}
	}
	if waits := waitsFor(w); waits != "" {
		fact("waits for", "%s", waits)
	}
}

func under(w World) string {
	if len(w.Paused) == 0 {
		return ""
	}
	words := make([]string, len(w.Paused))
	for i, s := range w.Paused {
		words[len(words)-1-i] = string(s)
	}
	return ", then back to " + strings.Join(words, ", then ")
}

// waitsFor is who must act for the task to go on.
func waitsFor(w World) string {
	switch {
	case w.State == task.AwaitingHuman && w.Question != nil:
		return fmt.Sprintf("the person to answer question %d of the %s", w.Question.Ticket, w.Question.Role)
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return fmt.Sprintf("the supervisor to respond to consultation %d", w.Consult.Ticket)
	case w.State == task.Consultation:
		return "the executor to read the response: wait_for_consult"
	case w.GateRunning():
		return "the gate's verdict"
	case w.State == task.Checking:
		return "the executor to submit"
	case w.AwaitsApproval():
		return "the person to approve or reject: the reviewer accepts it, and it touches what only the person may approve"
	case w.State == task.Reviewing:
		return "a reviewer, or the person, to approve or reject"
	case w.State == task.Failed:
		return "the person to retry or reset"
	case w.State == task.Executing, w.State == task.Addressing:
		return "the executor to check"
	}
	return ""
}
