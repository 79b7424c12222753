package core

import (
	"fmt"
	"slices"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Pin says which agents have the roles of a task, and what they may do, as ferrus.toml
// did when the task was created. An executor can write ferrus.toml, and must not choose
// its reviewer: an edit counts for the next task, and only [KindPin] changes the pin of
// the open one.
type Pin struct {
	Supervisor RolePin `json:"supervisor"`
	Executor   RolePin `json:"executor"`
	// A supervisor may answer questions to the human only if ferrus.toml still says so, too.
	Unattended bool `json:"unattended,omitempty"`
	// Another hash at submit or approve raises an alarm.
	Config string `json:"config"` // hash of the ferrus.toml that this is from
}

// RolePin is the agent of one role.
type RolePin struct {
	Agent       string `json:"agent"`
	Model       string `json:"model,omitempty"` // empty: the agent's own default
	Permissions string `json:"permissions,omitempty"`
	Interactive bool   `json:"interactive,omitempty"`
	MCP         string `json:"mcp,omitempty"` // only, or empty: it keeps the human's own servers
	// Of a custom agent; a built-in one has none.
	Command            []string `json:"command,omitempty"`
	InteractiveCommand []string `json:"interactive_command,omitempty"`
	ACP                []string `json:"acp,omitempty"`
	// Fallback lists the agents that ferrus may give the role to by itself.
	Fallback []string `json:"fallback,omitempty"`
}

// Custom reports whether the agent is one of ferrus.toml.
func (r RolePin) Custom() bool { return len(r.Command)+len(r.InteractiveCommand)+len(r.ACP) > 0 }

// PinChange is another agent or model of a role, which ferrus wrote to ferrus.toml as well.
type PinChange struct {
	Role machine.Role // empty: of another task; the agents of this one stay
	RolePin
	// The hashes of ferrus.toml around the edit. A file that was edited otherwise before
	// keeps its alarm.
	Before, After string
}

func (p *Pin) copied() *Pin {
	if p == nil {
		return nil
	}
	c := *p
	for _, r := range []*RolePin{&c.Supervisor, &c.Executor} {
		r.Command, r.InteractiveCommand = slices.Clone(r.Command), slices.Clone(r.InteractiveCommand)
		r.ACP, r.Fallback = slices.Clone(r.ACP), slices.Clone(r.Fallback)
	}
	return &c
}

// Of returns the agent of a role. It may be changed in place.
func (p *Pin) Of(r machine.Role) *RolePin {
	if r == machine.Executor {
		return &p.Executor
	}
	return &p.Supervisor
}

// Pinned returns the pin of the task that is worked on; nil: there is none, and ferrus.toml
// counts.
func (w World) Pinned() *Pin {
	if w.Task == nil || w.State == task.Complete {
		return nil
	}
	return w.Task.Pin
}

// pinOlder pins the task of an earlier version with its next event. Decide has no other way
// to know what it began with.
func (t *decision) pinOlder() {
	if t.w.Task == nil || t.w.Task.Pin != nil || t.c.Facts.Pin == nil || !t.w.IsOpen() {
		return
	}
	t.w.Task.Pin = t.c.Facts.Pin.copied()
	if d := t.w.Task.Definition; d != nil {
		d.Widening = slices.Clone(t.c.Facts.Widening)
	}
}

// changePin changes the agent or model of a role in the pin of the task, for the human; ferrus
// itself may change to an agent that the pin names for that.
func (t *decision) changePin() error {
	t.pinOlder()
	c := t.c.Pin
	if t.w.Task == nil || t.w.Task.Pin == nil || c == nil || (c.Agent == "") != (c.Role == "") {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "pinned",
			Reason: "there is no task whose agents are pinned"})
	}
	pin := t.w.Task.Pin
	t.out.Result.Status = StatusPinned
	switch role := pin.Of(c.Role); {
	case t.c.By.Role == machine.Ferrus && !slices.Contains(role.Fallback, c.Agent):
		return t.refusal(machine.NotYourRole, machine.Failed{Guard: "fallback",
			Reason: "the task does not name " + c.Agent + " as a fallback"})
	case c.Role != "":
		t.out.Why = summaryLine(fmt.Sprintf("%s: %s, was %s", c.Role, c.RolePin, *role))
		*role = c.RolePin
	case pin.Config != c.Before:
		return nil // the edit that made the difference keeps its alarm
	default:
		t.out.Why = "you chose other agents for another task; those of this one stay"
	}
	t.out.Event = KindPin
	if pin.Config == c.Before {
		pin.Config = c.After
	}
	t.w.Task.Pin = pin.copied() // it shares nothing with the command
	return nil
}

// String returns the agent with its model.
func (r RolePin) String() string { return r.Agent + " (" + orElse(r.Model, "its default model") + ")" }
