package projection

import (
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine/session"
	"ferrus/ui/style"
)

// The title of a session that waits for a permission says so, and no other title does.
func TestTitleSaysWhoWaitsForYou(t *testing.T) {
	t.Parallel()
	v := conductor.View{Panes: []conductor.PaneView{
		{Slot: core.SlotExecutor, Session: 1, State: session.Running},
		{Slot: core.SlotReviewer, Session: 2, State: session.Running},
	}}
	v.State.World.Permissions = &core.Permissions{Open: []core.PermissionRequest{{Number: 7, Slot: core.SlotExecutor}}}
	all := panes(v, v.Panes[0].Since)
	if got := all[0].Title; got.Status != "waits for you" || got.Tone != style.Warn {
		t.Errorf("the executor's title: %+v", got)
	}
	if got := all[1].Title; got.Status != "running <1m" {
		t.Errorf("the reviewer's title: %+v", got)
	}
	if got := inbox(v); len(got) != 1 || got[0].Pane != places[core.SlotExecutor].number {
		t.Errorf("the inbox has %+v, which does not lead to the executor's pane", got)
	}
	v.Panes[0].State = session.CoolingDown
	if got := panes(v, v.Panes[0].Since)[0].Title; got.Status == "waits for you" {
		t.Errorf("the title of a session that has ended: %+v", got)
	}
}
