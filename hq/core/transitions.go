package core

import (
	"fmt"

	"ferrus/machine"
	"ferrus/machine/task"
)

// anyTable is the task's table for callers that ask only which rows exist, which no limit
// changes.
var anyTable = task.Table(task.Limits{})

// OpenTransitions returns the transitions that are open now, and to whom: the rows of
// the task's table, and the calls that claim, deliver and resume.
func OpenTransitions(w World) []machine.Option {
	all := anyTable.Options(w.snap())
	for _, r := range []machine.Role{machine.Executor, machine.Supervisor} {
		if w.Claimable(r) {
			all = append(all, machine.Option{Event: machine.Kind(ClaimTool(r)), By: []machine.Role{r}})
		}
	}
	if q := w.Question; q != nil && q.Answered && !q.Delivered {
		all = append(all, machine.Option{Event: ToolWaitForAnswer, By: []machine.Role{q.Role}})
	}
	if w.Hold != nil {
		all = append(all, machine.Option{Event: KindResume, By: []machine.Role{machine.Human}})
	}
	return all
}

// ClosedTransitions returns the transitions that are not open now, and why.
func ClosedTransitions(w World) []machine.Closed {
	all := anyTable.Closed(w.snap())
	for _, r := range []machine.Role{machine.Executor, machine.Supervisor} {
		if !w.Claimable(r) {
			all = append(all, machine.Closed{
				Event: machine.Kind(ClaimTool(r)), By: []machine.Role{r},
				Why: fmt.Sprintf("there is nothing to claim while %s", w.State),
			})
		}
	}
	return all
}
