package projection

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine/task"
)

// /land says in every state, and for every hold of the task, why it cannot land and what to do.
func TestLandIsNeverSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	next := map[string]string{
		"": "wait until it is approved", string(task.Idle): "create a task",
		string(task.Failed):        "retry or reset the task",
		string(task.AwaitingHuman): "answer the question",
	}
	for _, state := range task.States {
		for _, hold := range []string{
			"", core.HoldStop, core.HoldQuit, core.HoldNoProgress, core.HoldSessionLimit, core.HoldAgent,
			core.HoldUnproven, core.HoldVoided, core.HoldSetup, core.HoldTokens, core.HoldCost, "unknown",
		} {
			var v conductor.View
			v.State.World.State, v.State.World.Task = state, &core.Task{ID: "t", Title: "Work"}
			if hold != "" {
				v.State.World.Hold = &core.Hold{Reason: hold}
			}
			off := Project(v, fixtureNow).Disabled["land"]
			if state == task.Complete {
				if off != "" {
					t.Errorf("approved work, hold %q: %s", hold, off)
				}
				continue
			}
			do := next[""]
			if words, ok := next[string(state)]; ok {
				do = words
			}
			if hold != "" && state != task.Failed {
				do = "resume"
			}
			if !strings.Contains(off, "the task is "+string(state)) || !strings.Contains(off, do) {
				t.Errorf("%s, hold %q: %q does not say %q", state, hold, off, do)
			}
			m := opened(projected(v), 240, 40, false, "/land", "enter")
			if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, off) {
				t.Errorf("%s, hold %q: the screen does not say %q:\n%s", state, hold, off, frame)
			}
		}
	}
}
