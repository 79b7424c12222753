package core

import (
	"strconv"
	"strings"

	"ferrus/machine"
)

// Slot is the place of at most one session. It is stored, and part of agent ids, log
// names and commands.
type Slot string

// The slots.
const (
	SlotExecutor   Slot = "executor"
	SlotReviewer   Slot = "reviewer"
	SlotConsultant Slot = "consultant"
	SlotPlanner    Slot = "planner"

	SlotPrimary   Slot = "primary"   // of a pair: it works
	SlotSecondary Slot = "secondary" // of a pair: it reviews
)

// Slots lists the slots of the task loop, in the order in which they are shown.
var Slots = []Slot{SlotPlanner, SlotExecutor, SlotConsultant, SlotReviewer}

// PairSlots lists the slots of a pair, in the order in which they are shown.
var PairSlots = []Slot{SlotPrimary, SlotSecondary}

// Role returns the role of a slot's sessions.
func (s Slot) Role() machine.Role {
	if s == SlotExecutor || s == SlotPrimary {
		return machine.Executor
	}
	return machine.Supervisor
}

// Slot returns the slot of the sessions of a mode: the planner's for one that is not bound to a
// slot.
func (m Mode) Slot() Slot {
	switch m {
	case ModeReview:
		return SlotReviewer
	case ModeConsult:
		return SlotConsultant
	case ModeWork, ModeResume:
		return SlotExecutor
	}
	return SlotPlanner
}

// Index returns the last part of the agent ids of a slot: the 1 of executor:codex:1.
func (s Slot) Index() int {
	switch s {
	case SlotConsultant:
		return 2
	case SlotPlanner:
		return 3
	}
	return 1
}

// SlotNames lists the slots of the task loop as a text, by the names of their panes.
func SlotNames() string {
	var names []string
	for _, s := range Slots {
		names = append(names, s.Pane())
	}
	return strings.Join(names, ", ")
}

// Pane returns the name of a slot's pane, which sentences for the human use.
func (s Slot) Pane() string {
	if s == SlotPlanner {
		return "supervisor"
	}
	return string(s)
}

// SlotNamed returns the slot that a user means: by its own name, by its pane's, or by the
// agent id of its session, such as executor:codex:1. Any other name is returned as it is.
func SlotNamed(name string) Slot {
	if name == SlotPlanner.Pane() {
		return SlotPlanner
	}
	for _, s := range Slots {
		role, rest, is := strings.Cut(name, ":")
		if is && role == string(s.Role()) && strings.HasSuffix(rest, ":"+strconv.Itoa(s.Index())) {
			return s
		}
	}
	return Slot(name)
}

// Request asks for a session. It is stored in agents.json until its purpose is met.
type Request struct {
	Kind Mode         `json:"kind"`           // plan, spec, task, free
	Role machine.Role `json:"role,omitempty"` // of a free session; otherwise supervisor
	Text string       `json:"text,omitempty"`
	// Manual asks for a task that has nothing to do with the selected milestone.
	Manual bool `json:"manual,omitempty"`
	// Again asks for a task from the selected milestone although that is done.
	Again bool `json:"again,omitempty"`
	// Changes copies uncommitted changes into the worktree of the task.
	Changes bool `json:"changes,omitempty"`
	// Spec and Milestone are what the task comes from; empty: neither.
	Spec      string `json:"spec,omitempty"`
	Milestone string `json:"milestone,omitempty"`
	// Only what happens after it can meet it: a spec written, a task created.
	Since int64 `json:"since"` // seq at the time of the request
}

// Slot returns the slot in which the requested session runs.
func (w Request) Slot() Slot {
	if w.Kind == ModeFree && w.Role == machine.Executor {
		return SlotExecutor
	}
	return SlotPlanner
}

// SessionInfo is what Plan knows of a session.
type SessionInfo struct {
	Slot Slot
	Mode Mode
	// Empty: none. For a phase's session, the text of its request.
	TaskID  string // the task it was started for
	Session string
	Reaped  bool // its process is gone
}

// Job is a session that should run.
type Job struct {
	Slot Slot
	Mode Mode
	Want *Request // the request for it; nil: the task needs it
}

// Desired is the sessions that should run, and the slots whose sessions may continue
// although none would be started there. What is in neither list is to be stopped.
type Desired struct {
	Start []Job  // at most one per slot; it may be running already
	Stay  []Slot // leave these alone
}
