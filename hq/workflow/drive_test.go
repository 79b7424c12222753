package workflow

import (
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
	"ferrus/store"
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
			t.Errorf("%s: next is %s, %+v; want %+v", name, next.Do, next.Command, c)
		}
	}
	if next := PlanNext(&d,
		TaskLoop{World: core.World{State: task.Idle, Task: &core.Task{Origin: d.Origin(planned)}}}); next.
		Do != DoCreate {
		t.Errorf("a task that was reset is taken for the planned one: %+v", next)
	}
}

// TestAnOpenTaskFromBeforeOriginsIsFoundByItsText starts from the disk of an older ferrus: one of
// the plan's tasks is open in the loop, and its record has no origin.
func TestAnOpenTaskFromBeforeOriginsIsFoundByItsText(t *testing.T) {
	t.Parallel()
	b := newStore(t)
	started, err := b.Start(t.Context(), human, Request{Type: flow.Debug, Title: "The fetcher hangs"})
	if err != nil {
		t.Fatal(err)
	}
	w := &fixture{t: t, book: b, id: started.ID}
	w.do(supervisor, Command{Kind: KindSet, Updates: &Updates{Triage: &Triage{Failure: "it hangs"}}, To: "investigate"})
	w.do(supervisor, Command{Kind: flow.KindSelectTrack, Track: flow.Hotfix})
	w.do(itself, Command{Kind: KindEnter, To: "hotfix-implement"})
	w.do(supervisor, Command{Kind: flow.KindPlanTasks, Tasks: []Task{{ID: "1", Title: "Close it", Text: "at the end"}}})
	now := w.do(itself, Command{Kind: KindAssigned, Task: &Task{ID: "1"}})
	made, err := b.Project.Do(t.Context(), store.Call{},
		core.Command{Kind: core.KindCreateTask, By: human, Text: now.TaskText(now.Tasks[0])})
	if err != nil {
		t.Fatal(err)
	}
	state, err := b.Project.World()
	if err != nil || state.World.Task.Origin != nil {
		t.Fatalf("the task has an origin: %+v, %v; want none", state.World.Task, err)
	}
	text, err := b.Project.Store.ReadText(state, core.TaskText)
	if err != nil {
		t.Fatal(err)
	}
	next := PlanNext(&now.Document, TaskLoop{World: state.World, Text: text})
	if next.Do != DoRecord || next.Command.Kind != KindAssigned {
		t.Fatalf("next is %+v, want to record the assignment", next)
	}
	if after := w.do(itself, next.Command); after.Tasks[0].Loop != made.TaskID {
		t.Errorf("its ID in the loop is recorded as %q, want %q", after.Tasks[0].Loop, made.TaskID)
	}
}

// Who must act on a task of the plan is who must act on it in the loop: you, if it asks you something.
func TestNextNamesWhoActsOnTheTask(t *testing.T) {
	t.Parallel()
	consulting := func(answered bool) core.World {
		w := core.World{State: task.Consultation}
		w.Consult = &core.Consult{Answered: answered}
		return w
	}
	for name, c := range map[string]struct {
		world core.World
		role  machine.Role
		words string
	}{
		"it works":     {core.World{State: task.Executing}, machine.Executor, "task 1 is Executing"},
		"it asks you":  {core.World{State: task.AwaitingHuman}, machine.Human, "task 1: a question is open"},
		"it is judged": {core.World{State: task.Reviewing}, machine.Supervisor, "task 1 is Reviewing"},
		"it consults": {consulting(false), machine.Supervisor,
			"task 1 is Consultation"},
		"it is answered": {consulting(true), machine.Executor,
			"task 1 is Consultation"},
		"it is checked": {core.World{State: task.Checking, Gate: &core.Gate{}}, machine.Ferrus, "task 1 is Checking"},
		"on hold": {core.World{State: task.Executing, Hold: &core.Hold{Reason: "stop"}}, machine.Human,
			"task 1: on hold (stop), resume it"},
	} {
		d := Document{Type: flow.Debug, Phase: "hotfix-implement"}
		d.Tasks, d.Current = []Task{{ID: "1", Status: InProgress, Loop: "t-1"}}, "1"
		c.world.Task = &core.Task{ID: "t-1"}
		next := PlanNext(&d, TaskLoop{World: c.world})
		if next.Do != DoLoop || next.Role != c.role || next.WaitingFor != c.words {
			t.Errorf("%s: %+v; want the %s, %q", name, next, c.role, c.words)
		}
	}
	next := Next{Do: DoSession, Role: machine.Supervisor}
	if got := next.Held(&core.Hold{Reason: "stop"}); got.Role != machine.Human || got.Do != DoSession {
		t.Errorf("on hold, next is %+v; want you to resume", got)
	}
}
