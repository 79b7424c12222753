package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
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

// failure returns an error that exits with 1.
func failure(what string, hints ...string) *exitError { return newExitError(codeError, what, hints) }

// misuse returns an error that exits with 2.
func misuse(what string, hints ...string) *exitError { return newExitError(codeUsage, what, hints) }

// waiting returns an error that exits with 3: it is up to you.
func waiting(what string, hints ...string) *exitError { return newExitError(codeWaiting, what, hints) }

// interruption returns an error that exits with 130.
func interruption(what string, hints ...string) *exitError {
	return newExitError(codeInterrupted, what, hints)
}

// newExitError returns an error without the hints that are empty.
func newExitError(code int, what string, hints []string) *exitError {
	return &exitError{code, what, slices.DeleteFunc(hints, func(h string) bool { return h == "" })}
}

func usageError(cmd *cobra.Command, what string) error {
	return misuse(what, "run: "+cmd.CommandPath()+" --help")
}

// toExitError separates what went wrong from what to do about it.
func toExitError(err error) *exitError {
	var f *exitError
	var wrong *config.Error
	var held *store.LockedError
	var damaged *store.DamagedError
	var paired *project.PairRunningError
	var occupied *pair.RefusedError
	var unlanded *land.Refused
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return interruption("interrupted")
	case errors.As(err, &wrong):
		return failure(strings.Replace(wrong.Error(), "; "+wrong.Fix, "", 1), wrong.Fix)
	case machine.IsRefusal(err):
		return refusalError(machine.AsRefusal(err))
	case errors.As(err, &held) && held.Name == project.ConductorLock:
		return otherConductor(held.PID)
	case errors.As(err, &held) && held.Name == project.LandLock:
		return failure("another landing is in progress", "wait until it has ended")
	case errors.As(err, &unlanded):
		return failure(unlanded.Error(), unlanded.Fix)
	case errors.As(err, &paired):
		return failure(paired.Error(), "ferrus pair --list lists runs")
	case errors.As(err, &occupied):
		return failure(occupied.Why, occupied.Hint)
	case errors.As(err, &damaged):
		return failure(damaged.File+" is damaged: "+damaged.Why,
			"run ferrus doctor for details, ferrus doctor --repair to rebuild what can be rebuilt; or "+damaged.Fix)
	}
	what, hint, _ := strings.Cut(err.Error(), "; run: ")
	if hint != "" {
		return failure(what, "run: "+hint)
	}
	return failure(what)
}

// otherConductor reports that another conductor drives the project.
func otherConductor(pid int) *exitError {
	who := "another process"
	if pid > 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return failure("HQ or ferrus run is already running here: "+who,
		"use it, or quit it first; ferrus status works while it runs")
}

// taskCommands are the shell commands for the events of a task.
var taskCommands = map[machine.Kind]string{
	core.KindCreateTask: `ferrus run "task text"`, core.KindAnswer: "ferrus answer <text>",
	core.KindRespondConsult: "ferrus answer <text>", core.KindCheck: "ferrus check",
	core.KindCheckCancelled: "ferrus check --cancel", core.KindApprove: "ferrus approve",
	core.KindReject: "ferrus reject <notes>", core.KindRetry: "ferrus retry",
	core.KindResume: "ferrus resume", core.KindReset: "ferrus reset",
}

// eventVerbs are verbs for events whose name is none.
var eventVerbs = map[machine.Kind]string{
	core.KindCreateTask: "create a task", core.KindCheckCancelled: "cancel a gate",
	core.KindRespondConsult: "answer the consultation", core.KindHold: "hold the task",
}

// refusalError describes a refusal, with the commands that are possible instead.
func refusalError(r *machine.Refusal) *exitError {
	verb, ok := eventVerbs[r.Event]
	if !ok {
		verb = string(r.Event)
	}
	what, hints := fmt.Sprintf("cannot %s while %s", verb, r.State), []string{}
	for i, failed := range r.Failed {
		what += map[bool]string{true: ": ", false: "; "}[i == 0] + failed.Reason
		hints = append(hints, failed.Fix)
	}
	var open []string
	for _, o := range r.Options {
		if command, ok := commandFor(r.Machine, o.Event); ok && slices.Contains(o.By, machine.Human) {
			open = append(open, command)
		}
	}
	if len(open) > 0 {
		hints = append(hints, "you can run: "+strings.Join(open, ", "))
	}
	return failure(what, hints...)
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

// workflowCommands are the shell commands for the events of a workflow.
var workflowCommands = map[machine.Kind]string{
	workflow.KindApprove: "ferrus workflow approve", workflow.KindRevise: "ferrus workflow revise <notes>",
	workflow.KindUnblock: "ferrus workflow unblock",
	workflow.KindReplan:  "ferrus workflow replan", workflow.KindCancel: "ferrus workflow cancel",
	workflow.KindCleanup: "ferrus workflow cleanup",
}
