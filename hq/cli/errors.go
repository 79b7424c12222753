package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/conductor"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	flow "ferrus/machine/workflow"
	"ferrus/store"
)

// The exit codes that are not 0.
const (
	codeError       = 1
	codeUsage       = 2
	codeWaiting     = 3
	codeInterrupted = 130
)

// exitError is an error with its exit code and hints.
type exitError struct {
	code  int
	what  string // empty: it was printed already
	hints []string
}

func (f *exitError) Error() string { return f.what }

func usageError(cmd *cobra.Command, what string) error {
	return &exitError{code: codeUsage, what: what, hints: []string{"run: " + cmd.CommandPath() + " --help"}}
}

func interrupted() error { return &exitError{code: codeInterrupted} }

// toExitError separates what went wrong from what to do about it.
func toExitError(err error) *exitError {
	var f *exitError
	var wrong *config.Error
	var held *store.LockedError
	var damaged *store.DamagedError
	var paired *project.Paired
	var occupied *pair.Refused
	var unlanded *land.Refused
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return &exitError{code: codeInterrupted, what: "interrupted"}
	case errors.As(err, &wrong):
		return &exitError{code: codeError, what: strings.Replace(wrong.Error(), "; "+wrong.Fix, "", 1), hints: nonEmpty(wrong.Fix)}
	case machine.IsRefusal(err):
		return refusalError(machine.AsRefusal(err))
	case errors.As(err, &held) && held.Name == conductor.LockName:
		return otherConductor(held.PID)
	case errors.As(err, &held) && held.Name == land.LockName:
		return &exitError{code: codeError, what: "another landing is in progress", hints: []string{"wait until it has ended"}}
	case errors.As(err, &unlanded):
		return &exitError{code: codeError, what: unlanded.Error(), hints: nonEmpty(unlanded.Fix)}
	case errors.As(err, &paired):
		return &exitError{code: codeError, what: paired.Error(), hints: []string{"ferrus pair --list lists runs"}}
	case errors.As(err, &occupied):
		return &exitError{code: codeError, what: occupied.Why, hints: nonEmpty(occupied.Hint)}
	case errors.As(err, &damaged):
		return &exitError{code: codeError, what: damaged.File + " is damaged: " + damaged.Why, hints: []string{"run ferrus doctor for details, ferrus doctor --repair to rebuild what can be rebuilt; or " + damaged.Fix}}
	}
	what, hint, _ := strings.Cut(err.Error(), "; run: ")
	if hint != "" {
		return &exitError{code: codeError, what: what, hints: []string{"run: " + hint}}
	}
	return &exitError{code: codeError, what: what}
}

// otherConductor reports that another conductor drives the project.
func otherConductor(pid int) *exitError {
	who := "another process"
	if pid > 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return &exitError{code: codeError, what: "HQ or ferrus run is already running here: " + who, hints: []string{"use it, or quit it first; ferrus status works while it runs"}}
}

// taskCommands are the shell commands for the events of a task.
var taskCommands = map[machine.Kind]string{
	core.KindCreateTask: `ferrus run "task text"`, core.KindAnswer: "ferrus answer <text>", core.KindRespondConsult: "ferrus answer <text>", core.KindCheck: "ferrus check",
	core.KindCheckCancelled: "ferrus check --cancel", core.KindApprove: "ferrus approve", core.KindReject: "ferrus reject <notes>", core.KindRetry: "ferrus retry",
	core.KindResume: "ferrus resume", core.KindReset: "ferrus reset",
}

// eventVerbs are verbs for events whose name is none.
var eventVerbs = map[machine.Kind]string{
	core.KindCreateTask: "create a task", core.KindCheckCancelled: "cancel a gate", core.KindRespondConsult: "answer the consultation", core.KindHold: "hold the task",
}

// refusalError describes a refusal, with the commands that are possible instead.
func refusalError(r *machine.Refusal) *exitError {
	verb, ok := eventVerbs[r.Event]
	if !ok {
		verb = string(r.Event)
	}
	f := &exitError{code: codeError, what: fmt.Sprintf("cannot %s while %s", verb, r.State)}
	for i, failed := range r.Failed {
		f.what += map[bool]string{true: ": ", false: "; "}[i == 0] + failed.Reason
		f.hints = append(f.hints, nonEmpty(failed.Fix)...)
	}
	var open []string
	for _, o := range r.Options {
		if command, ok := commandFor(r.Machine, o.Event); ok && slices.Contains(o.By, machine.Human) {
			open = append(open, command)
		}
	}
	if len(open) > 0 {
		f.hints = append(f.hints, "you can run: "+strings.Join(open, ", "))
	}
	return f
}

// commandFor returns the shell command for an event of a machine.
func commandFor(of string, event machine.Kind) (string, bool) {
	if flow.Flows[flow.Type(of)] == nil {
		command, ok := taskCommands[event]
		return command, ok
	}
	command, ok := workflowCommands[event]
	return command, ok
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// workflowCommands are the shell commands for the events of a workflow.
var workflowCommands = map[machine.Kind]string{
	workflow.KindApprove: "ferrus workflow approve", workflow.KindRevise: "ferrus workflow revise <notes>", workflow.KindUnblock: "ferrus workflow unblock",
	workflow.KindReplan: "ferrus workflow replan", workflow.KindCancel: "ferrus workflow cancel", workflow.KindCleanup: "ferrus workflow cleanup",
}
