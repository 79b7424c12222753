package core

import "ferrus/machine"

// Slot is a place for one agent process at a time.
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

// Slots are those of the task loop, in the order they are shown.
var Slots = []Slot{SlotPlanner, SlotExecutor, SlotConsultant, SlotReviewer}

// PairSlots are those of a pair, in the order they are shown.
var PairSlots = []Slot{SlotPrimary, SlotSecondary}

// Role is the role that a slot's sessions have.
func (s Slot) Role() machine.Role {
	if s == SlotExecutor || s == SlotPrimary {
		return machine.Executor
	}
	return machine.Supervisor
}

// Index is the last part of the agent ids of a slot: executor:codex:1.
func (s Slot) Index() int {
	switch s {
	case SlotConsultant:
		return 2
	case SlotPlanner:
		return 3
	}
	return 1
}

// Request is what a person asked for; it lasts until its purpose is met.
type Request struct {
	Kind Mode         `json:"kind"`           // plan, spec, task, free
	Role machine.Role `json:"role,omitempty"` // of a free session; otherwise supervisor
	Text string       `json:"text,omitempty"`
	// Manual is a task that leaves the selected milestone alone.
	Manual bool `json:"manual,omitempty"`
	// Again is a task from the selected milestone though that is done.
	Again bool `json:"again,omitempty"`
	// Changes is a task whose work tree has what is not committed.
	Changes bool `json:"changes,omitempty"`
	// Spec and Milestone are what a task is to come from; empty: from neither.
	Spec      string `json:"spec,omitempty"`
	Milestone string `json:"milestone,omitempty"`
	Since     int64  `json:"since"` // seq when it was asked
}

// Slot is where the session of a want runs.
func (w Request) Slot() Slot {
	if w.Kind == ModeFree && w.Role == machine.Executor {
		return SlotExecutor
	}
	return SlotPlanner
}

// SessionInfo is a session as far as Plan must know of it.
type SessionInfo struct {
	Slot    Slot
	Mode    Mode
	TaskID  string // the task it was started for
	Session string
	Reaped  bool // its process is gone
}

// Job is a session that should be going on.
type Job struct {
	Slot Slot
	Mode Mode
	Want *Request // why, for a planner
}

// Desired is what should be going on: sessions to have, and those that may stay
// though none would be started.
type Desired struct {
	Start []Job  // have these
	Stay  []Slot // leave these if they live
}
