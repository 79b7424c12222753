package advice

import (
	"testing"

	"ferrus/hq/core"
	"ferrus/machine/task"
)

// While a task works in a worktree of its own, /task queues the next one.
func TestAQueuedTaskLeavesRoomForAnother(t *testing.T) {
	w := core.World{Task: &core.Task{ID: "t-1"}}
	w.State = task.Executing
	for _, c := range []struct {
		a    Activity
		want bool
	}{{Activity{}, false}, {Activity{Queued: true}, true}, {Activity{Queued: true, Pair: true}, false}} {
		if why := Disabled(w, c.a)["task"]; (why == "") != c.want {
			t.Errorf("%+v: %q", c.a, why)
		}
	}
}

// Without a task there is nothing to archive; a hold, or a state that is not valid, can still be cleared.
func TestNothingToReset(t *testing.T) {
	for _, c := range []struct {
		w   core.World
		off bool
	}{
		{core.World{}, true},
		{core.World{State: task.Idle}, true},
		{core.World{State: task.Idle, Hold: &core.Hold{Reason: core.HoldStop}}, false},
		{core.World{State: task.Executing}, false},
		{core.World{State: task.Complete, Task: &core.Task{ID: "t-1"}}, false},
	} {
		if why := Disabled(c.w, Activity{})["reset"]; (why != "") != c.off {
			t.Errorf("%+v: %q, want off %v", c.w, why, c.off)
		}
	}
}

// A workflow in your checkout has the task loop to itself, even between its tasks.
func TestAWorkflowInTheCheckoutKeepsOthersOut(t *testing.T) {
	w := core.World{State: task.Idle}
	for _, open := range []bool{true, false} {
		off := Disabled(w, Activity{Workflow: open})
		if (off["task"] != "") != open || (off["pair"] != "") != open {
			t.Errorf("with a workflow %v: task %q, pair %q", open, off["task"], off["pair"])
		}
	}
}

// A task with a worktree of its own is not in the way of a pair, which works in the checkout.
func TestAPairIsPossibleWithAWorktree(t *testing.T) {
	t.Parallel()
	w := core.World{State: "Executing"}
	if got := Disabled(w, Activity{}); got["pair"] == "" {
		t.Error("a pair may start beside a task in the checkout")
	}
	if got := Disabled(w, Activity{Queued: true}); got["pair"] != "" {
		t.Errorf("a pair may not start: %s", got["pair"])
	}
	if got := Disabled(w, Activity{Queued: true, Pair: true}); got["pair"] == "" {
		t.Error("a second pair may start")
	}
}
