package conductor

import (
	"encoding/json"
	"fmt"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

// failureLimit is the number of times in a row that the gate may fail in the same way on the
// same tree before the human is asked: checking an unchanged tree again leads nowhere.
const failureLimit = 3

// failureStreak counts equal failures in a row, from the journal alone, so that a new
// conductor knows as much.
type failureStreak struct {
	tree, why string
	times     int
}

// add counts a line of the journal.
func (r *failureStreak) add(line store.Entry) {
	switch machine.Kind(line.Event) {
	case core.KindCheck, core.KindClaim, core.KindRelease, core.KindDeliver, core.KindHold:
		return
	case core.KindPrepared, core.KindBaseRed, core.KindNoted: // ferrus's own, in between
		return
	case core.KindChecked:
	default:
		*r = failureStreak{} // something else happened
		return
	}
	var change struct {
		Gate struct {
			Verdict checks.Verdict `json:"verdict"`
			Tree    string         `json:"tree"`
		} `json:"gate"`
	}
	if json.Unmarshal(line.Data, &change) != nil || change.Gate.Verdict != checks.Fail || change.Gate.Tree == "" {
		*r = failureStreak{}
		return
	}
	if change.Gate.Tree != r.tree || line.Why != r.why {
		*r = failureStreak{tree: change.Gate.Tree, why: line.Why}
	}
	r.times++
}

// reconcile puts the task on hold when the limit is reached, and shows the executor's last
// output.
func (r *failureStreak) reconcile(o *observed, executor *session.Runner) {
	if r.times < failureLimit || o.held().Hold != nil || o.world().State != task.Addressing {
		return
	}
	because := fmt.Sprintf("the check failed %d times in the same way on the same tree: %s", r.times, r.why)
	if last := executor.LastOutput(); last != "" {
		because += "; the executor's last output: " + last
	}
	o.notices.Add(true, "%s", because)
	o.hold(core.HoldNoProgress, because)
}
