package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

// DescribeRefusal returns what a refusal refused and why, in one sentence, and what you
// can do: the fixes of its guards, and then the shell commands that you can run. A hint
// may be empty.
func DescribeRefusal(r *machine.Refusal) (what string, hints []string) {
	actions := actionsOf(r.Machine)
	what = "cannot " + cmp.Or(actions[r.Event].Verb, string(r.Event))
	if r.Event != core.KindPermit { // which no state keeps from
		what += fmt.Sprintf(" while %s", r.State)
	}
	var reasons []string
	for _, failed := range r.Failed {
		reasons, hints = append(reasons, failed.Reason), append(hints, failed.Fix)
	}
	switch off := actions[r.Event].Off; {
	case len(reasons) > 0:
	case r.Event == core.KindReject && r.State == task.Complete:
		reasons = []string{approved}
		hints = []string{"in HQ, comments on its diff (F4) send it back; ferrus land lands it"}
	case off != "":
		reasons = []string{off}
	}
	if len(reasons) > 0 {
		what += ": " + strings.Join(reasons, "; ")
	}
	var open []string
	for _, o := range r.Options {
		if o.Event == r.Event && r.By == machine.Human { // a guard refuses it, and says what to do
			continue
		}
		if o.Event == core.KindReset && r.State == task.Idle { // it is always possible, and would change nothing
			continue
		}
		if command := actions[o.Event].short(actions[o.Event].Shell); command != "" &&
			slices.Contains(o.By, machine.Human) {
			open = append(open, command)
		}
	}
	if len(open) > 0 {
		hints = append(hints, "you can run: "+strings.Join(open, ", "))
	}
	return what, hints
}
