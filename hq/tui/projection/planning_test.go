package projection

import (
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
)

// A header with Idle would hide that a supervisor is planning.
func TestPlanningIsAState(t *testing.T) {
	v := conductor.View{}
	v.State.World = core.New(time.Now())
	if got := status(v, time.Now()).State.Text; got != "Idle" {
		t.Errorf("without a session it is %q", got)
	}
	v.Panes = []conductor.PaneView{{Slot: core.SlotPlanner, State: "Running", PID: 7}}
	if got := status(v, time.Now()).State.Text; got != "planning" {
		t.Errorf("with a supervisor it is %q", got)
	}
}
