package cli

import (
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// A check that was waited for and that has no verdict on the work is cancelled, and why is said; its record does not
// matter.
func TestGateCancelled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gate *core.Gate
		want string // empty: it has a verdict
	}{
		{&core.Gate{Ticket: 7, Verdict: checks.Fail}, ""},
		{nil, "cancelled; the task is Idle"},
		{&core.Gate{Ticket: 8, Verdict: checks.Pass}, "cancelled; the task is Idle"},
		{&core.Gate{Ticket: 7, Verdict: checks.Cancelled}, "cancelled; the task is Idle"},
		{&core.Gate{Ticket: 7, Verdict: checks.Cancelled, Lost: task.LostLimit}, "its process died three times"},
	} {
		err := gateCancelled(core.World{State: task.Idle, Gate: c.gate}, 7)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.gate, err, c.want)
		}
	}
}
