package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// Explain says where the task stands, what can be done and by whom, and why the rest
// cannot, in several lines.
func Explain(w core.World) string {
	return ExplainAt(w, func(t time.Time) string { return t.Format(time.RFC3339) })
}

// ExplainAt is like [Explain] with times in the words of clock.
func ExplainAt(w core.World, clock func(time.Time) string) string {
	var b strings.Builder
	w = w.Normalize()
	stands(&b, w, clock)
	b.WriteString("\nPossible now:\n")
	for _, o := range core.OpenTransitions(w) {
		if !slices.Equal(o.By, []machine.Role{machine.Ferrus}) {
			fmt.Fprintf(&b, "  %-17s %s\n", o.Event, RoleNames(o.By))
		}
	}
	b.WriteString("\nNot possible now:\n")
	for _, c := range core.ClosedTransitions(w) {
		if !slices.Equal(c.By, []machine.Role{machine.Ferrus}) {
			fmt.Fprintf(&b, "  %-17s %s\n", c.Event, text.Sanitize(c.Why))
		}
	}
	return b.String()
}

// RoleNames names roles to you, who are one of them: "the executor or you".
func RoleNames(roles []machine.Role) string {
	return strings.ReplaceAll(machine.RoleNames(roles), "the "+string(machine.Human), "you")
}

func stands(b *strings.Builder, w core.World, clock func(time.Time) string) {
	fact := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-11s %s\n", name, text.Sanitize(fmt.Sprintf(format, args...)))
	}
	if w.Task != nil {
		fact("task", "%s  %s", w.Task.ID, w.Task.Title)
	}
	if w.TaskMilestone != "" {
		fact("from", "%s of %s", w.TaskMilestone, w.TaskSpec)
	}
	if w.SelectedSpec != "" {
		fact("milestone", "%s of %s is selected", cmp.Or(w.SelectedMilestone, "none"), w.SelectedSpec)
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
		fact("gate", "attempt %d, ticket %d: %s", w.Gate.Attempt, w.Gate.Ticket,
			cmp.Or(string(w.Gate.Verdict), "running"))
	}
	if s := w.Submission; s != nil && w.IsIn(task.Reviewing) {
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
		fact("hold", "%s, by %s: nothing starts until you resume", w.Hold.Reason, core.NameOf(w.Hold.By))
		if w.Hold.Cause != "" {
			fact("held for", "%s", w.Hold.Cause)
		}
	}
	if waits := waitsFor(w); waits != "" {
		fact("waits for", "%s", waits)
	}
}

func under(w core.World) string {
	if len(w.Paused) == 0 {
		return ""
	}
	words := make([]string, len(w.Paused))
	for i, s := range w.Paused {
		words[len(words)-1-i] = string(s)
	}
	return ", then back to " + strings.Join(words, ", then ")
}

// waitsFor returns who must act for the task to continue.
func waitsFor(w core.World) string {
	switch {
	case w.State == task.AwaitingHuman && w.Question != nil:
		return fmt.Sprintf("you to answer question %d of the %s", w.Question.Ticket, w.Question.Role)
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return fmt.Sprintf("the supervisor to respond to consultation %d", w.Consult.Ticket)
	case w.State == task.Consultation:
		return "the executor to read the response: wait_for_consult"
	case w.GateRunning():
		return "the gate's verdict"
	case w.State == task.Checking:
		return "the executor to submit"
	case w.AwaitsApproval():
		return "you to approve or reject: the reviewer accepts it, but it has a change that only you can approve"
	case w.State == task.Reviewing:
		return "a reviewer, or you, to approve or reject"
	case w.State == task.Failed:
		return "you to retry or reset"
	case w.State == task.Executing, w.State == task.Addressing:
		return "the executor to check"
	}
	return ""
}
