package land

import (
	"errors"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine/task"
)

// Work that is not approved is refused in every state and with every hold, with what to do.
func TestOnlyApprovedWorkLands(t *testing.T) {
	for _, state := range task.States {
		for _, hold := range []string{
			"", core.HoldStop, core.HoldQuit, core.HoldNoProgress, core.HoldSessionLimit, core.HoldAgent,
			core.HoldUnproven, core.HoldVoided, core.HoldSetup, core.HoldTokens, core.HoldCost,
		} {
			l := landing{w: core.World{State: state, Task: &core.Task{ID: "t"}}}
			if hold != "" {
				l.w.Hold = &core.Hold{Reason: hold}
			}
			if state == task.Complete {
				l.w.Submission = &core.Submission{}
			}
			var r *RefusedError
			err := l.approved()
			switch errors.As(err, &r); {
			case state == task.Complete:
				if err != nil {
					t.Errorf("Complete, hold %q: %v, want no error", hold, err)
				}
			case r == nil || r.Fix == "" || !strings.Contains(r.What, string(state)):
				t.Errorf("%s, hold %q: %+v, want a refusal with a hint", state, hold, err)
			case l.w.IsOpen() && hold != "" && (!strings.Contains(r.What, hold) || !strings.Contains(r.Fix, "resume")):
				t.Errorf("%s: the refusal does not mention the hold %q: %+v", state, hold, r)
			}
		}
	}
}
