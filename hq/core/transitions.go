package core

import (
	"ferrus/machine"
	"ferrus/machine/task"
)

// OpenTransitions are the moves that are open now, and to whom: the rows of the task's
// table, and the calls that claim, deliver and resume.
func OpenTransitions(w World) []machine.Option {
	all := task.Table(task.Limits{}).Options(w.snap())
	for _, r := range []machine.Role{machine.Executor, machine.Supervisor} {
		if w.claimable(r) {
			all = append(all, machine.Option{Event: machine.Kind(claimTool(r)), By: []machine.Role{r}})
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
