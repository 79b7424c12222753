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
