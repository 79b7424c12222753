package projection

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// summaryLines bounds the short answer for /status.
const summaryLines = 10

// summary returns the short answer for /status: what the task is, where it stands, what
// needs the human, how the checks went, who works, and what it has cost so far.
func summary(v conductor.View, shown *view.View, now time.Time) string {
	var lines []string
	say := func(label, value string) {
		if value != "" {
			lines = append(lines, fmt.Sprintf("%-10s  %s", label, value))
		}
	}
	w, s := v.State.World, &shown.Status
	if v.StateError != "" {
		say("problem", text.Sanitize(v.StateError))
	}
	say("task", s.Title)
	if p := v.Pair; p != nil {
		say("state", pairState(p))
	} else {
		say("state", strings.TrimSuffix(string(w.State)+": "+text.Sanitize(progressOf(w)), ": "))
	}
	needs := 0
	for _, item := range shown.Inbox {
		if item.Delegated || needs == 2 {
			continue
		}
		needs++
		words := item.Text
		if item.Ask {
			words = strings.ReplaceAll(shown.Ask.String(), "\n", " ")
		}
		say("needs you", strings.TrimSuffix(text.Cut(words, 120)+": "+item.Hint, ": "))
	}
	if needs == 0 {
		say("needs you", "nothing")
	}
	if shown.Check.State != "" {
		say("check", strings.TrimSuffix(shown.Check.State+": "+whatFailed(&shown.Check), ": "))
	}
	say("alarms", shown.Check.Alarms.String())
	say("agents", workers(shown))
	if s.Checks != "" {
		say("limits", "failed checks "+s.Checks+", reviews "+s.Reviews)
	}
	if s.Elapsed != "" {
		say("time", s.Elapsed+strings.TrimSuffix(", "+s.Used, ", "))
	}
	say("branch", s.Branch)
	if v.Disk > 0 {
		say("disk", diskUse(v.Disk))
	}
	return strings.Join(lines[:min(len(lines), summaryLines)], "\n") + "\n\nEverything else: /status --all\n"
}

// whatFailed says why a gate did not pass: by itself, or by its first command that failed.
func whatFailed(c *view.Check) string {
	for _, r := range c.Rows {
		if c.Why == "" && r.Tone == style.Bad {
			return strings.TrimSpace(r.Command + "  " + r.Detail)
		}
	}
	return c.Why
}

// workers names the working agents, or in trouble, and what they do.
func workers(v *view.View) string {
	var all []string
	for _, p := range v.Panes {
		if p.Living || p.Title.Tone >= style.Warn {
			all = append(all, strings.Join(strings.Fields(p.Title.Name+" "+p.Title.Agent), " ")+", "+p.Title.Status)
		}
	}
	if len(all) == 0 {
		return "none is running"
	}
	return strings.Join(all, "; ")
}

// progressOf says what happens in the task's state.
func progressOf(w core.World) string {
	switch {
	case w.Hold != nil:
		return "held, " + w.Hold.Reason + "; /resume continues"
	case w.State == task.Failed && w.FailureReason != "":
		return w.FailureReason
	case w.State == task.Checking && !w.GateRunning():
		return "the checks passed; the executor submits next"
	case w.AwaitsApproval():
		return "the reviewer approves; you decide"
	case w.State == task.Complete && w.Task != nil && w.Task.Landed != nil:
		return "approved, and it has landed"
	}
	return progress[w.State]
}

var progress = map[machine.State]string{
	task.Idle:          "no task is open",
	task.Executing:     "the executor works on it",
	task.Checking:      "the checks are running",
	task.Addressing:    "the executor fixes what a check or a review found",
	task.Consultation:  "the executor asked the supervisor for advice",
	task.AwaitingHuman: "an agent waits for your answer",
	task.Reviewing:     "a reviewer reads the submission",
	task.Complete:      "approved; /land lands it",
	task.Failed:        "it failed; /retry tries again",
}
