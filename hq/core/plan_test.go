package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

// shown returns a Going in one line: the slots to start with their modes, then the ones that stay.
func shown(g Desired) string {
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
		if w.IsIn(task.Consultation) {
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

	working := SessionInfo{Slot: SlotExecutor, Mode: ModeWork, TaskID: "t-1", Session: "e1"}
	worked := working
	worked.Reaped = true
	stale := working
	stale.TaskID = "t-0"
	consulting := SessionInfo{Slot: SlotConsultant, Mode: ModeConsult, TaskID: "t-1"}
	judging := SessionInfo{Slot: SlotReviewer, Mode: ModeReview, TaskID: "t-1"}
	planning := SessionInfo{Slot: SlotPlanner, Mode: ModeTask}
	free := SessionInfo{Slot: SlotExecutor, Mode: ModeFree}

	wantTask := []Request{{Kind: ModeTask}}
	wantExecutor := []Request{{Kind: ModeFree, Role: machine.Executor}}

	cases := []struct {
		name      string
		w         World
		wants     []Request
		living    []SessionInfo
		unmanaged bool
		going     string
	}{
		{"idle", New(timeZero), nil, nil, false, ""},
		{"idle, a session lives", New(timeZero), nil, []SessionInfo{planning}, false, ""},
		{"idle, wanted", New(timeZero), wantTask, nil, false, "planner/task"},
		{"complete", in(task.Complete), nil, []SessionInfo{judging}, false, ""},
		{"failed", in(task.Failed), nil, []SessionInfo{working}, false, ""},
		{"executing", in(task.Executing), nil, nil, false, "executor/work"},
		{"executing, it lives", in(task.Executing), nil, []SessionInfo{working}, false, "executor/work"},
		{"executing, it ended", in(task.Executing), nil, []SessionInfo{worked}, false, "executor/resume"},
		{"executing, after our restart", gated, nil, nil, false, "executor/resume"},
		{"executing, an old one lives", in(task.Executing), nil, []SessionInfo{stale}, false, ""},
		{"executing, planner wanted", in(task.Executing), []Request{{Kind: ModePlan}}, nil, false,
			"planner/plan executor/work"},
		{"executing, unmanaged", in(task.Executing), nil, nil, true, ""},
		{"executing, held", held, nil, nil, false, ""},
		{"executing, held, all live", held, nil, []SessionInfo{working, stale, planning}, false,
			"(planner) (executor)"},
		{"addressing", in(task.Addressing), nil, []SessionInfo{judging}, false, "executor/resume"},
		{"checking", in(task.Checking), nil, []SessionInfo{working}, false, "executor/work"},
		{"consultation", in(task.Consultation, task.Executing), nil, nil, false, "consultant/consult"},
		{"consultation, executor lives", in(task.Consultation, task.Executing), nil, []SessionInfo{working}, false,
			"consultant/consult (executor)"},
		{"consultation, unmanaged", in(task.Consultation, task.Executing), nil, nil, true, "consultant/consult"},
		{"consultation answered", answered, nil, []SessionInfo{working, consulting}, false, "executor/work"},
		{"reviewing, executor lives", in(task.Reviewing), nil, []SessionInfo{working}, false, ""},
		{"reviewing, executor reaped", in(task.Reviewing), nil, []SessionInfo{worked}, false, "reviewer/review"},
		{"reviewing, unmanaged", in(task.Reviewing), nil, nil, true, ""},
		{"awaiting", in(task.AwaitingHuman, task.Executing), nil, []SessionInfo{working, stale}, false, "(executor)"},
		{"awaiting, no session lives", in(task.AwaitingHuman, task.Executing), nil, nil, false, ""},
		{"awaiting over a consultation", in(task.AwaitingHuman, task.Executing, task.Consultation), nil,
			[]SessionInfo{working, consulting}, false, "(executor) (consultant)"},
		{"awaiting over a review", in(task.AwaitingHuman, task.Reviewing), nil, []SessionInfo{judging},
			false, "(reviewer)"},
		{"a free executor", New(timeZero), wantExecutor, []SessionInfo{free}, false, "executor/free"},
		{"a free executor and a review", in(task.Reviewing), wantExecutor, []SessionInfo{free}, false,
			"executor/free reviewer/review"},
		{"another planner lives", New(timeZero), []Request{{Kind: ModePlan}}, []SessionInfo{planning}, false, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(Plan(c.w, c.wants, c.living, c.unmanaged)); got != c.going {
				t.Errorf("%q, want %q", got, c.going)
			}
		})
	}
}

// Carrying out what Plan says, and planning again, comes to rest: no session is both started and
// stopped.
func TestPlanComesToRest(t *testing.T) {
	for _, s := range task.States {
		w := World{State: s, Task: &Task{ID: "t-1"}}
		if s == task.AwaitingHuman || s == task.Consultation {
			w.Paused = []machine.State{task.Executing}
			w.Consult = &Consult{Ticket: 1}
		}
		var living []SessionInfo
		for range 4 {
			g := Plan(w, nil, living, false)
			living = slices.DeleteFunc(living, func(l SessionInfo) bool {
				return !g.starts(l.Slot) && !slices.Contains(g.Stay, l.Slot)
			})
			for _, j := range g.Start {
				if !slices.ContainsFunc(living, func(l SessionInfo) bool { return l.Slot == j.Slot }) {
					living = append(living, SessionInfo{Slot: j.Slot, Mode: j.Mode, TaskID: "t-1"})
				}
			}
		}
		if g := Plan(w, nil, living, false); len(g.Start) != len(living) {
			t.Errorf("%s: the plan starts %s, want %v", s, shown(g), living)
		}
	}
}

func TestSlotNamed(t *testing.T) {
	for name, want := range map[string]Slot{
		"executor": SlotExecutor, "supervisor": SlotPlanner, "executor:codex:1": SlotExecutor, "nonsense": "nonsense",
		"supervisor:a:b:1": SlotReviewer, "supervisor:x:2": SlotConsultant, "supervisor:x:3": SlotPlanner,
		"executor:": "executor:",
	} {
		if got := SlotNamed(name); got != want {
			t.Errorf("%s is taken for the %s, want the %s", name, got, want)
		}
	}
}
