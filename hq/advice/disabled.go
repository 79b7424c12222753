package advice

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// Activity is what runs in a project, as far as commands depend on it.
type Activity struct {
	Now  time.Time
	Gate bool // checks run, whether or not the task asked for them
	Pair bool // a pair works in the checkout
	// Workflow: a workflow is open whose tasks change your checkout.
	Workflow bool
	// Answers are the events with which you can answer an open workflow.
	Answers []machine.Kind
	// Result: a workflow has ended, and its result can land.
	Result bool
	// Queued: the task has a record and a worktree of its own, so that another one is queued.
	Queued bool
	// Reviewed says who decided about the newest submission; empty: it awaits its decision.
	Reviewed string
}

// byTable are the events whose command is available exactly while the task has a
// transition for you.
var byTable = []machine.Kind{
	core.KindCreateTask, core.KindCheck, core.KindApprove, core.KindReject, core.KindRetry,
}

// Disabled returns why a command of HQ is not available, by the command as it is typed
// without its slash: check, check --cancel. A command that is not in it is available.
func Disabled(w core.World, a Activity) map[string]string {
	off := map[string]string{}
	disable := func(event machine.Kind) {
		off[taskActions[event].Slash[1:]] = closed(event, w.State, hasLanded(w), a.Reviewed)
		if answer, is := workflowAnswers[event]; is && w.State != task.Reviewing && slices.Contains(a.Answers, answer) {
			off[taskActions[event].Slash[1:]] += "; " + anySlash(workflowActions, answer) + " answers the workflow"
		}
	}
	open := core.OpenTransitions(w)
	for _, event := range byTable {
		queues := event == core.KindCreateTask && a.Queued
		if !isYours(open, event) && !queues {
			disable(event)
		}
	}
	if nothingToReset(w) || !isYours(open, core.KindReset) {
		off["reset"] = taskActions[core.KindReset].Off
	}
	if off["check"] == "" && leased(w, a.Now) && !w.GateRunning() {
		off["check"] = text.Sanitize(w.ClaimedBy) + " holds the lease; use --force"
	}
	if !w.GateRunning() && !a.Gate {
		off["check --cancel"] = taskActions[core.KindCheckCancelled].Off
	}
	switch {
	case a.Result && !w.IsOpen() && (w.State != task.Complete || hasLanded(w)):
	case w.State != task.Complete:
		off["land"] = closed(core.KindLanded, w.State, false, "") + "; " + untilApproved(w, a)
	case w.Task == nil || hasLanded(w):
		off["land"] = "the task has landed"
	}
	if w.Task == nil || w.Task.Base.Tree == "" {
		off["diff"] = "there is no task, so there are no changes to show"
	}
	if w.State != task.Reviewing {
		off["review"] = "there is no submission; " + taskIs(w.State)
	}
	disableForPair(off, w.State, a)
	if a.Workflow {
		const why = "the open workflow's tasks change your checkout, one at a time; /workflow shows it"
		if off["pair"] = why; !agentWorks(w.State) {
			off["task"] = why
		}
	}
	if off["task"] == "" && w.State == task.Complete && hasLanded(w) {
		off["reject"] += "; /task starts a task for what is missing"
	}
	return off
}

// workflowAnswers has what you may have meant by a decision about a task while a workflow asks you.
var workflowAnswers = map[machine.Kind]machine.Kind{
	core.KindApprove: flow.KindApprove, core.KindReject: flow.KindRevise,
}

// nothingToReset reports whether /reset would change nothing that you see. In a state that is invalid, it does.
func nothingToReset(w core.World) bool {
	return (w.State == task.Idle || w.State == "") && w.Task == nil && w.Hold == nil
}

// untilApproved says what has to happen before the work can be approved.
func untilApproved(w core.World, a Activity) string {
	switch {
	case w.Hold != nil && w.IsOpen():
		item := holdItem(&core.Hold{Reason: w.Hold.Reason})[0] // its cause is in the inbox
		return text.Sanitize(item.Text + "; " + item.Do)
	case a.Pair:
		return pairRuns
	case a.Workflow && w.Hold == nil && !w.IsOpen() && w.State != task.Failed:
		return "/workflow shows what the open workflow waits for"
	}
	return cmp.Or(nextOfHuman(w), "wait until it is approved")
}

const pairRuns = "a pair is running; /stop stops it"

// disableForPair disables what would put a second writer into the checkout.
func disableForPair(off map[string]string, s machine.State, a Activity) {
	switch idle := []machine.State{"", task.Idle, task.Complete, task.Failed}; {
	case a.Pair:
		off["task"], off["retry"], off["pair"] = pairRuns, pairRuns, pairRuns
	case !slices.Contains(idle, s) && !a.Queued:
		off["pair"] = taskIs(s) + ", and a working tree has one writer at a time"
	}
}

func hasLanded(w core.World) bool { return w.Task != nil && w.Task.Landed != nil }

// Closed returns why an event that you asked for is not available in a state that has no
// transition for it, and what to do in HQ instead.
func Closed(event machine.Kind, s machine.State) string { return closed(event, s, false, "") }

func closed(event machine.Kind, s machine.State, landed bool, reviewed string) string {
	a := taskActions[event]
	if event == core.KindApprove || event == core.KindReject {
		a.Off = cmp.Or(reviewed, a.Off)
	}
	switch {
	case event == core.KindReject && s == task.Complete && landed:
		return "the work has landed"
	case event == core.KindReject && s == task.Complete:
		return cmp.Or(reviewed, approved) + "; comments on its diff (F4, c, then S) send it back, and /land lands it"
	case event == core.KindReject && agentWorks(s):
		a.Hint = "plain text reaches the working agent"
	case event == core.KindCreateTask && agentWorks(s):
		a.Hint = "plain text reaches the working agent, ferrus task add queues a task"
	}
	parts := []string{a.Off, taskIs(s), a.Hint}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// approved is why approved work cannot be sent back.
const approved = "the work is approved"

// agentWorks reports whether the executor or a consultant has the task.
func agentWorks(s machine.State) bool {
	switch s {
	case task.Executing, task.Checking, task.Addressing, task.Consultation:
		return true
	}
	return false
}

func taskIs(s machine.State) string { return "the task is " + string(s) }

// leased reports whether a lease is held that the clock has not ended.
func leased(w core.World, now time.Time) bool {
	return w.ClaimedBy != "" && w.LeaseUntil != nil && w.LeaseUntil.After(now)
}
