package queue

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/machinetest"
	"ferrus/machine/task"
)

var bools = []bool{false, true}

// calls returns everything that any role may try in a snapshot: every event, by every role, with
// facts of every kind.
func calls(Snap) []machinetest.Call {
	events := []machine.Event{Resume{}, Move{}, Cancel{}, Cancel{Merging: true}, Landed{}, Landed{Contained: true},
		Add{}, Add{Text: true}, Add{Text: true, Proposed: true}, Add{Text: true, Milestone: "#1"}, Edit{}}
	for _, o := range []Order{{Unknown: "#9"}, {Circle: "#1"}} {
		events = append(events, Add{Text: true, Order: o}, Edit{o})
	}
	for _, f := range tasks() {
		events = append(events, Unadmit{f}, Release{f}, Rest{f}, Want{f}, Hold{f}, Returned{f}, LandHere{f}, Gone{f})
		events = append(events, Unstage{f, false}, Unstage{f, true})
		for _, w := range []Waits{{}, {Dependencies: "#1"}, {Touches: "#1"}, {Slot: "2 of 2"}, {Checkout: "#1"},
			{Account: "14:00"}, {Budget: "1M"}, {Memory: "1 GB"}} {
			events = append(events, Admit{f, w})
		}
		for _, auto := range bools {
			events = append(events, Stage{f, auto, "", ""}, Stage{f, auto, "a.go", ""}, Stage{f, auto, "", "main"})
		}
	}
	var every []machinetest.Call
	for _, e := range events {
		for _, by := range []machine.Role{machine.Supervisor, machine.Executor, machine.Human, machine.Ferrus} {
			every = append(every, machinetest.Call{By: by, Event: e})
		}
	}
	return every
}

// tasks returns every report that a task can give about itself.
func tasks() (every []Task) {
	for _, at := range []machine.State{"", task.Idle, task.Executing, task.AwaitingHuman, task.Complete, task.Failed} {
		for n := range 16 {
			every = append(every, Task{at, n&1 > 0, n&2 > 0, n&4 > 0, n&8 > 0})
		}
	}
	return every
}

// Events arrive late, twice, out of role and out of order, with facts of every kind: every row is
// used, no two rows apply at once, no snapshot is a dead end, and final states stay final.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	tab, used := table, make([]int, len(Table().Rows))
	for _, here := range bools {
		x, err := machinetest.Explore(tab, Start(here), calls, 100, func(e machinetest.Edge[Data]) error {
			return errors.Join(sound(e.To), inRole(e), justified(e), keepsItsPlace(e))
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range x.Used {
			used[i] += n
		}
		for _, s := range x.Snaps {
			if len(x.Ways[s]) == 0 && !slices.Contains(tab.Final, s.At) {
				t.Errorf("%+v has no way out", s)
			}
		}
		t.Logf("here %v: %d snapshots", here, len(x.Snaps))
	}
	for i, n := range used {
		if n == 0 {
			t.Errorf("row %d, %s from %v, never applies", i, tab.Rows[i].On, tab.Rows[i].From)
		}
	}
}

func sound(s Snap) error {
	switch d := s.Data; {
	case d.Held != NotHeld && s.At != StateParked:
		return errors.New("held outside of Parked")
	case d.Failures >= AdmissionLimit || d.Failures > 0 && d.Held != NotHeld:
		return errors.New("a counter is beyond its limit, or kept by a hold")
	case d.Here && s.At == StateStaged:
		return errors.New("a task in your checkout is staged")
	}
	return nil
}

// byHuman are the events that the human alone causes; a supervisor only adds.
var byHuman = []machine.Kind{KindHold, KindResume, KindLandHere, KindCancel, KindMove, KindEdit}

func inRole(e machinetest.Edge[Data]) error {
	kind, by := e.Call.Event.Kind(), e.Call.By
	switch {
	case by == machine.Executor, by == machine.Supervisor && kind != KindAdd:
		return errors.New("out of role")
	case slices.Contains(byHuman, kind) && by != machine.Human:
		return errors.New("ferrus does what the human decides")
	case kind == KindStage && by == machine.Ferrus && !e.Call.Event.(Stage).Auto:
		return errors.New("staged unasked")
	}
	return nil
}

// justified checks of each step, independently of the table, that its conditions held.
func justified(e machinetest.Edge[Data]) error {
	ok, ferrus := true, e.Call.By == machine.Ferrus
	var t Task
	if has, is := e.Call.Event.(interface{ task() Task }); is {
		t = has.task()
	}
	open := t.At == task.Executing || t.At == task.AwaitingHuman
	goesOn := open && !t.Held && !t.Deferred
	switch event := e.Call.Event.(type) {
	case Add:
		ok = event == Add{Text: true, Proposed: event.Proposed} && event.Proposed == (e.To.Data.Held == Proposed)
	case Admit:
		ok = event.Waits == Waits{} && (goesOn || t.At == "" && !t.Held && !t.Deferred)
	case Unadmit:
		ok = t.At == "" && !t.Lives
	case Release:
		ok = t.At != "" && !goesOn && !t.Lives
	case Rest:
		ok = t.At != "" && !goesOn
	case Want:
		ok = goesOn && e.From.Data.Held == NotHeld
	case Hold:
		ok = t.At == ""
	case Resume:
		ok = e.From.Data.Held != NotHeld
	case Stage:
		ok = event.Tree == "" && event.Target == "" && t.At == task.Complete && !t.Lives &&
			e.From.Data == Data{Failures: e.From.Data.Failures} && (event.Auto || !ferrus)
	case Unstage:
		ok = !event.Merging && (t.Moved || !ferrus)
	case Landed:
		ok = event.Contained
	case Returned:
		ok = t.Moved
	case LandHere:
		ok = t.At == task.Complete && e.From.Data.Here && e.From.Data.Held == NotHeld
	case Cancel:
		ok = !event.Merging
	case Gone:
		ok = t.At == task.Idle && !t.Lives
	case Edit:
		ok = event == Edit{}
	}
	if !ok {
		return fmt.Errorf("without cause: %+v", e.Call.Event)
	}
	return nil
}

// keepsItsPlace checks that no step moves a task to another workspace.
func keepsItsPlace(e machinetest.Edge[Data]) error {
	if e.From.Data.Here != e.To.Data.Here {
		return errors.New("the workspace of the task changed")
	}
	return nil
}

func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	begun := Task{At: task.Executing}
	parked := Snap{At: StateParked}
	for _, test := range []struct {
		from Snap
		by   machine.Role
		e    machine.Event
		want string
	}{
		{Snap{At: StateQueued}, machine.Ferrus, Admit{Waits: Waits{Dependencies: "waits for #12"}}, "waits for #12"},
		{Snap{At: StateQueued}, machine.Ferrus, Admit{Waits: Waits{Slot: "2 of 2 sessions"}}, "2 of 2 sessions"},
		{Snap{At: StateQueued}, machine.Human, Hold{begun}, "the task has started"},
		{parked, machine.Human, Stage{Task: begun}, "the task is Executing"},
		{Snap{At: StateParked, Data: Data{Here: true}}, machine.Human, Stage{Task: Task{At: task.Complete}},
			"the task works in your checkout"},
		{parked, machine.Ferrus, Want{Task{At: task.AwaitingHuman, Deferred: true}}, "the task waits for your answer"},
		{Start(false), machine.Human, Add{Text: true, Order: Order{Circle: "#1 waits for #1"}}, "#1 waits for #1"},
	} {
		_, _, err := Table().Step(test.from, test.by, test.e)
		r := machine.AsRefusal(err)
		if r == nil || len(r.Failed) != 1 || r.Failed[0].Reason != test.want {
			t.Errorf("%s while %s: got %+v, want %q", test.e.Kind(), test.from.At, r, test.want)
		}
	}
}
