package cli

import (
	"os"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// A session whose process has ended does not run, even if no conductor has recorded its end.
func TestSessionStateNamesEndedProcesses(t *testing.T) {
	t.Parallel()
	id, gone := identities(t)
	elsewhere := gone
	elsewhere.Host = "another"
	record := project.SessionRecord{State: session.Running, Status: project.Running, PID: 7}
	for _, c := range []struct {
		process *process.Identity
		want    string
	}{
		{id, "Running  process 7"},
		{&gone, "Running, but process 7 has ended"},
		{&elsewhere, "Running  process 7"},
	} {
		record.Process = c.process
		if got := (statusReport{}).sessionState(record); got != c.want {
			t.Errorf("%+v: %q, want %q", c.process, got, c.want)
		}
	}
	waits := project.SessionRecord{State: session.Initializing, Status: project.Suspended, Exit: "done"}
	if got := (statusReport{}).sessionState(waits); got != "not running" {
		t.Errorf("a slot that waits for its next session is %q", got)
	}
}

// identities returns this process, and one that had its number before.
func identities(t *testing.T) (running *process.Identity, ended process.Identity) {
	t.Helper()
	running, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	ended = *running
	ended.Start++
	return running, ended
}

// Of a session whose task was reset, only one that still runs is shown.
func TestStatusForgetsSessionsOfFormerTasks(t *testing.T) {
	t.Parallel()
	id, ended := identities(t)
	for name, c := range map[string]struct {
		record project.SessionRecord
		gone   bool
	}{
		"of the task":               {project.SessionRecord{Task: "t-2"}, false},
		"of no task":                {project.SessionRecord{}, false},
		"of a former task":          {project.SessionRecord{Task: "t-1"}, true},
		"of a former task, killed":  {project.SessionRecord{Task: "t-1", PID: 7, Process: &ended}, true},
		"of a former task, running": {project.SessionRecord{Task: "t-1", PID: 7, Process: id}, false},
	} {
		s := statusReport{}
		s.state.World.Task = &core.Task{ID: "t-2"}
		if got := s.isGone(c.record); got != c.gone {
			t.Errorf("a session %s is gone: %v, want %v", name, got, c.gone)
		}
		if s.state.World.Task = nil; c.record.PID == 0 && !s.isGone(c.record) {
			t.Errorf("a session %s that has ended is not gone after a reset", name)
		}
		if c.record.Task == "t-1" && s.isGone(c.record) != c.gone {
			t.Errorf("a session %s is gone after a reset: %v, want %v", name, !c.gone, c.gone)
		}
	}
}

// Without HQ nothing starts the agents of an open task, unless you started one by hand.
func TestStatusSaysHowToContinue(t *testing.T) {
	t.Parallel()
	const here = "HQ is not running; continue with: ferrus, or ferrus run"
	open := workflow.Workflow{Document: workflow.Document{Type: flow.Feature, Phase: "ideate"}}
	ended := core.World{State: task.Complete, Task: &core.Task{ID: "t", Origin: &core.Origin{}}}
	world := func(change func(*core.World)) core.World {
		w := core.World{State: task.Addressing, Task: &core.Task{ID: "t"}}
		change(&w)
		return w
	}
	for name, c := range map[string]struct {
		world     core.World
		workflow  *workflow.Workflow
		conductor int
		want      string
	}{
		"nothing runs":     {world(func(*core.World) {}), nil, 0, here},
		"HQ runs":          {world(func(*core.World) {}), nil, 7, ""},
		"HQ was killed":    {world(func(w *core.World) { w.Claim = &core.Claim{Managed: true} }), nil, 0, here},
		"an agent by hand": {world(func(w *core.World) { w.Claim = &core.Claim{} }), nil, 0, ""},
		"on hold": {world(func(w *core.World) { w.Hold = &core.Hold{Reason: core.HoldStop} }), nil, 0,
			"resume, or reset the task"},
		"a workflow":       {core.World{State: task.Idle}, &open, 0, "continue the workflow with: ferrus run"},
		"a workflow in HQ": {core.World{State: task.Idle}, &open, 7, ""},
		"its task is done": {ended, &open, 0, "continue the workflow with: ferrus run"},
		"its phase in HQ":  {ended, &open, 7, ""},
		"a held workflow":  {core.World{State: task.Idle, Hold: &core.Hold{}}, &open, 7, "resume"},
	} {
		s := statusReport{workflow: c.workflow, conductor: c.conductor}
		s.state.World = c.world
		if got := s.next(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A reset without a task still clears a hold, and says so.
func TestResetSaysWhatItDid(t *testing.T) {
	t.Parallel()
	hold, open := &core.Hold{Reason: core.HoldStop}, &core.Task{ID: "t"}
	for want, w := range map[string]core.World{
		"task archived": {Task: open, Hold: hold},
		"hold cleared; there is no task to archive": {Hold: hold},
		"there is no task: nothing to archive":      {},
	} {
		if got := resetWords(w); got != want {
			t.Errorf("%+v: %q, want %q", w, got, want)
		}
	}
}

// Queued tasks continue only while HQ or a run runs them.
func TestStatusSaysThatNothingRunsTheQueue(t *testing.T) {
	t.Parallel()
	const inbox = "ferrus inbox says what needs you; ferrus status --task 7 shows a task"
	open := &workflow.Workflow{Document: workflow.Document{Type: flow.Feature, Phase: "delegate"}}
	for name, c := range map[string]struct {
		conductor int
		needs     bool
		workflow  *workflow.Workflow
		want      string
	}{
		"none": {0, false, nil, notRunning}, "HQ": {1, false, nil, inbox}, "it waits for you": {0, true, nil, inbox},
		"of a workflow": {1, false, open, ""}, "of one, and waits": {1, true, open, inbox},
	} {
		s := statusReport{conductor: c.conductor, workflow: c.workflow,
			queued: []queue.Row{{Item: queue.Item{N: 7}, Needs: c.needs}}}
		s.state.World.State = task.Idle
		if got := s.next(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
