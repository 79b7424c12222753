package conductor

import (
	"slices"
	"testing"

	"ferrus/hq/advice"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// Approved work in the checkout needs you until it lands. While it lands, or the state is not known, it does not.
func TestApprovedWorkNeedsYou(t *testing.T) {
	t.Parallel()
	v := View{}
	v.State.World = core.World{State: task.Complete, Task: &core.Task{ID: "t-1"}}
	v.State.World.Submission = &core.Submission{}
	lands := func(i advice.InboxItem) bool { return i.Kind == advice.ItemLanding }
	if all := v.Inbox(); !slices.ContainsFunc(all, lands) {
		t.Errorf("approved work is not in the inbox: %+v", all)
	}
	v.Gate = gateview.View{Of: "landing", Running: true}
	if all := v.Inbox(); slices.ContainsFunc(all, lands) {
		t.Errorf("while it lands, the inbox asks for it: %+v", all)
	}
	v.Gate, v.StateError = gateview.View{}, "damaged"
	if all := v.Inbox(); slices.ContainsFunc(all, lands) {
		t.Errorf("the inbox trusts an old state: %+v", all)
	}
}
