package workflow

import (
	"testing"

	"ferrus/hq/core"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

func TestTheTaskOfAPlanIsKnownByItsOrigin(t *testing.T) {
	t.Parallel()
	d := Document{ID: "w-1", Type: flow.Feature, Phase: "delegate"}
	planned := Task{ID: "2", Title: "Add it", Text: "well", Status: InProgress, Round: 1}
	d.Tasks, d.Current = []Task{planned}, planned.ID
	text := d.TaskText(planned)
	for name, c := range map[string]struct {
		origin *core.Origin
		text   string
		known  bool
	}{
		"its own":                     {d.Origin(planned), "edited since", true},
		"another round's":             {&core.Origin{Workflow: "w-1", Task: "2", Round: 2}, text, false},
		"another workflow's":          {&core.Origin{Workflow: "w-2", Task: "2", Round: 1}, text, false},
		"from before origins":         {nil, text, true},
		"that, with another title":    {nil, "# Edited\n\nTask 2, round 1, of workflow w-1.\n", true},
		"that, of another":            {nil, "# Add it\n\nTask 12, round 1, of workflow w-1.\n", false},
		"a human's that speaks of it": {nil, "# Undo\n\nTask 2, round 1, of workflow w-1.\nIt was wrong.\n", false},
		"a human's":                   {nil, "# Add it\n\nwell", false},
	} {
		in := core.World{State: task.Executing, Task: &core.Task{ID: "t-1", Origin: c.origin}}
		next := PlanNext(&d, TaskLoop{World: in, Text: c.text})
		known := next.Do == DoRecord && next.Command.Kind == KindAssigned && next.Command.Task.Loop == "t-1"
		if known != c.known {
			t.Errorf("%s: %s, %+v", name, next.Do, next.Command)
		}
	}
	if next := PlanNext(&d,
		TaskLoop{World: core.World{State: task.Idle, Task: &core.Task{Origin: d.Origin(planned)}}}); next.
		Do != DoCreate {
		t.Errorf("a task that was reset is taken for it: %+v", next)
	}
}
