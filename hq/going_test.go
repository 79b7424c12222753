package hq

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

// shown is a Going in one line: what is started with its mode, then what stays.
func shown(g Going) string {
	var words []string
	for _, j := range g.Start {
		words = append(words, fmt.Sprintf("%s/%s", j.Slot, j.Mode))
	}
	for _, s := range g.Stay {
		words = append(words, fmt.Sprintf("(%s)", s))
	}
	return strings.Join(words, " ")
}

func TestPlan(t *testing.T) {
	in := func(s machine.State, paused ...machine.State) World {
		w := World{State: s, Paused: paused, Task: &Task{ID: "t-1"}}
		if w.in(task.Consultation) {
			w.Consult = &Consult{Ticket: 1}
		}
		return w
	}
	answered := in(task.Consultation, task.Executing)
	answered.Consult.Answered = true
	held := in(task.Executing)
	held.Hold = &Hold{Reason: "stop"}
	gated := in(task.Executing)
	gated.Gate = &Gate{Ticket: 1}

	working := Living{Slot: SlotExecutor, Mode: ModeWork, TaskID: "t-1", Session: "e1"}
	worked := working
	worked.Reaped = true
	stale := working
	stale.TaskID = "t-0"
	consulting := Living{Slot: SlotConsultant, Mode: ModeConsult, TaskID: "t-1"}
	judging := Living{Slot: SlotReviewer, Mode: ModeReview, TaskID: "t-1"}
	planning := Living{Slot: SlotPlanner, Mode: ModeTask}
	free := Living{Slot: SlotExecutor, Mode: ModeFree}

	wantTask := []Want{{Kind: ModeTask}}
	wantExecutor := []Want{{Kind: ModeFree, Role: machine.Executor}}

	cases := []struct {
		name      string
		w         World
		wants     []Want
		living    []Living
		unmanaged bool
		going     string
	}{
		{"idle", New(timeZero), nil, nil, false, ""},
		{"idle, somebody lives", New(timeZero), nil, []Living{planning}, false, ""},
		{"idle, wanted", New(timeZero), wantTask, nil, false, "planner/task"},
		{"complete", in(task.Complete), nil, []Living{judging}, false, ""},
		{"failed", in(task.Failed), nil, []Living{working}, false, ""},
		{"executing", in(task.Executing), nil, nil, false, "executor/work"},
		{"executing, it lives", in(task.Executing), nil, []Living{working}, false, "executor/work"},
		{"executing, it ended", in(task.Executing), nil, []Living{worked}, false, "executor/resume"},
		{"executing, after a restart of ours", gated, nil, nil, false, "executor/resume"},
		{"executing, an old one lives", in(task.Executing), nil, []Living{stale}, false, ""},
		{"executing, planner wanted", in(task.Executing), []Want{{Kind: ModePlan}}, nil, false, "planner/plan executor/work"},
		{"executing, unmanaged", in(task.Executing), nil, nil, true, ""},
		{"executing, held", held, nil, nil, false, ""},
		{"executing, held, all live", held, nil, []Living{working, stale, planning}, false, "(planner) (executor)"},
		{"addressing", in(task.Addressing), nil, []Living{judging}, false, "executor/resume"},
		{"checking", in(task.Checking), nil, []Living{working}, false, "executor/work"},
		{"consultation", in(task.Consultation, task.Executing), nil, nil, false, "consultant/consult"},
		{"consultation, executor lives", in(task.Consultation, task.Executing), nil, []Living{working}, false, "consultant/consult (executor)"},
		{"consultation, unmanaged", in(task.Consultation, task.Executing), nil, nil, true, "consultant/consult"},
		{"consultation answered", answered, nil, []Living{working, consulting}, false, "executor/work"},
		{"reviewing, executor lives", in(task.Reviewing), nil, []Living{working}, false, ""},
		{"reviewing, executor reaped", in(task.Reviewing), nil, []Living{worked}, false, "reviewer/review"},
		{"reviewing, unmanaged", in(task.Reviewing), nil, nil, true, ""},
		{"awaiting", in(task.AwaitingHuman, task.Executing), nil, []Living{working, stale}, false, "(executor)"},
		{"awaiting, nobody lives", in(task.AwaitingHuman, task.Executing), nil, nil, false, ""},
		{"awaiting over a consultation", in(task.AwaitingHuman, task.Executing, task.Consultation), nil, []Living{working, consulting}, false, "(executor) (consultant)"},
		{"awaiting over a review", in(task.AwaitingHuman, task.Reviewing), nil, []Living{judging}, false, "(reviewer)"},
		{"a free executor", New(timeZero), wantExecutor, []Living{free}, false, "executor/free"},
		{"a free executor and a review", in(task.Reviewing), wantExecutor, []Living{free}, false, "executor/free reviewer/review"},
		{"another planner lives", New(timeZero), []Want{{Kind: ModePlan}}, []Living{planning}, false, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(Plan(c.w, c.wants, c.living, c.unmanaged)); got != c.going {
				t.Errorf("%q, want %q", got, c.going)
			}
		})
	}
}

// Doing what Plan says, and asking again, comes to rest: nothing is both started
// and let go.
func TestPlanComesToRest(t *testing.T) {
	for _, s := range task.States {
		w := World{State: s, Task: &Task{ID: "t-1"}}
		if s == task.AwaitingHuman || s == task.Consultation {
			w.Paused = []machine.State{task.Executing}
			w.Consult = &Consult{Ticket: 1}
		}
		var living []Living
		for range 4 {
			g := Plan(w, nil, living, false)
			living = slices.DeleteFunc(living, func(l Living) bool { return !g.starts(l.Slot) && !slices.Contains(g.Stay, l.Slot) })
			for _, j := range g.Start {
				if !slices.ContainsFunc(living, func(l Living) bool { return l.Slot == j.Slot }) {
					living = append(living, Living{Slot: j.Slot, Mode: j.Mode, TaskID: "t-1"})
				}
			}
		}
		if g := Plan(w, nil, living, false); len(g.Start) != len(living) {
			t.Errorf("%s: %s with %v", s, shown(g), living)
		}
	}
}
