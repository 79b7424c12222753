// Package advice says what can be done about a state, to you and to agents.
//
// One table says how you cause each event: its command in HQ, its command in a shell,
// its verb, and the reason where no transition allows it. [Inbox], [Next], [Explain],
// [DescribeRefusal] and [Disabled] read it, so that no two of them send you to
// different commands.
//
// The package is pure: it reads neither clock nor files, and decides nothing. The
// machines' tables say what may happen.
package advice

import (
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/queue"
)

// Action is how you cause an event.
type Action struct {
	Slash string // the command in HQ; empty: there is none
	Shell string // the command in a shell; empty: there is none
	Args  string // what both take after it: <notes> if it must be there, [note] if it may
	Verb  string // completes "cannot ..."; empty: the event's own name
	Off   string // why it is not available while the task has no transition for it
	Hint  string // what to do in HQ instead
}

// taskActions has the events of a task that you can cause.
var taskActions = map[machine.Kind]Action{
	core.KindCreateTask: {Slash: "/task", Shell: `ferrus task add "task text"`, Verb: "create a task",
		Hint: "/reset archives it"},
	core.KindAnswer:         {Shell: "ferrus answer", Args: "<text>"},
	core.KindRespondConsult: {Shell: "ferrus answer", Args: "<text>", Verb: "answer the consultation"},
	core.KindCheck: {Slash: "/check", Shell: "ferrus check",
		Off: "there is nothing to check", Hint: "--force runs it anyway"},
	core.KindCheckCancelled: {Slash: "/check --cancel", Shell: "ferrus check --cancel", Verb: "cancel a gate",
		Off: "no check is running"},
	core.KindApprove: {Slash: "/approve", Shell: "ferrus approve", Args: "[note]",
		Off: "there is no submission to review"},
	core.KindReject: {Slash: "/reject", Shell: "ferrus reject", Args: "<notes>",
		Off: "there is no submission to review"},
	core.KindRetry:  {Slash: "/retry", Shell: "ferrus retry", Off: "only a failed task can be retried"},
	core.KindReset:  {Slash: "/reset", Shell: "ferrus reset", Off: "there is no task"},
	core.KindPermit: {Slash: "/permit", Shell: "ferrus permit", Verb: "answer the request for permission"},
	core.KindHold:   {Slash: "/stop", Verb: "hold the task"},
	core.KindResume: {Slash: "/resume", Shell: "ferrus resume"},
	core.KindLanded: {Slash: "/land", Shell: "ferrus land", Off: "only approved work can land"},
}

// workflowActions has the events of a workflow that you can cause.
var workflowActions = map[machine.Kind]Action{
	flow.KindApprove: {Slash: "/workflow approve", Shell: "ferrus workflow approve", Args: "[note]"},
	flow.KindRevise:  {Slash: "/workflow revise", Shell: "ferrus workflow revise", Args: "<notes>"},
	flow.KindUnblock: {Slash: "/workflow unblock", Shell: "ferrus workflow unblock", Args: "[what changed]"},
	flow.KindReplan:  {Slash: "/workflow replan", Shell: "ferrus workflow replan", Args: "[what to change]"},
	flow.KindCancel:  {Slash: "/workflow cancel", Shell: "ferrus workflow cancel", Args: "[reason]"},
	flow.KindCleanup: {Shell: "ferrus workflow cleanup"},
}

// queueActions has the events of a task in the queue that you can cause.
var queueActions = map[machine.Kind]Action{
	queue.KindHold: {Shell: "ferrus task hold", Args: "<task>", Off: "only a task that waits for its turn can be held"},
	queue.KindResume: {Shell: "ferrus task resume", Args: "<task>",
		Off: "it is not held in the queue; ferrus resume --task resumes a task that is on hold"},
	queue.KindMove:   {Shell: "ferrus task move", Args: "<task>", Off: "only a task that waits can be moved"},
	queue.KindEdit:   {Shell: "ferrus task edit", Args: "<task>", Off: "only a task that waits can be edited"},
	queue.KindCancel: {Off: "its work has ended"}, // and is no way out of another refusal
}

// actionsOf returns the actions of a machine, by the name that it has in a refusal.
func actionsOf(machineName string) map[machine.Kind]Action {
	if machineName == queue.Table().Name {
		return queueActions
	}
	if flow.Of(flow.Type(machineName)) != nil {
		return workflowActions
	}
	return taskActions
}

// slash and shell return the command for an event of the task, as short as it works.
func slash(event machine.Kind) string { return taskActions[event].short(taskActions[event].Slash) }
func shell(event machine.Kind) string { return taskActions[event].short(taskActions[event].Shell) }

// short returns a command with the arguments that it must have.
func (a Action) short(command string) string {
	if command == "" || !strings.HasPrefix(a.Args, "<") {
		return command
	}
	return command + " " + a.Args
}

// anySlash lists the commands in HQ for events of which you may cause any.
func anySlash(actions map[machine.Kind]Action, events ...machine.Kind) string {
	return anyOf(events, func(e machine.Kind) string { return actions[e].short(actions[e].Slash) })
}

// anyShell lists the commands in a shell for events of which you may cause any.
func anyShell(actions map[machine.Kind]Action, events ...machine.Kind) string {
	return anyOf(events, func(e machine.Kind) string { return actions[e].short(actions[e].Shell) })
}

// shells returns the commands in a shell for events, one by one.
func shells(actions map[machine.Kind]Action, events ...machine.Kind) (all []string) {
	for _, e := range events {
		if command := actions[e].short(actions[e].Shell); command != "" {
			all = append(all, command)
		}
	}
	return all
}

// anyOf lists commands: unblock, replan or cancel. What workflow commands have in
// common is said once.
func anyOf(events []machine.Kind, command func(machine.Kind) string) string {
	words := make([]string, len(events))
	for i, e := range events {
		if words[i] = command(e); i > 0 {
			words[i] = strings.TrimPrefix(strings.TrimPrefix(words[i], "/workflow "), "ferrus workflow ")
		}
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// isYours reports whether you can cause an event, among the open transitions.
func isYours(open []machine.Option, event machine.Kind) bool {
	return slices.ContainsFunc(open, func(o machine.Option) bool {
		return o.Event == event && slices.Contains(o.By, machine.Human)
	})
}
