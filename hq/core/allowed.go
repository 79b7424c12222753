package core

import (
	"fmt"
	"slices"

	"ferrus/machine"
)

// extraRoles says who may give the commands that are not rows of the task's table.
var extraRoles = map[machine.Kind][]machine.Role{
	KindClaim:      {machine.Executor, machine.Supervisor},
	KindRelease:    {machine.Executor, machine.Supervisor, machine.Human, machine.Ferrus},
	KindHeartbeat:  {machine.Executor, machine.Supervisor, machine.Ferrus},
	KindEndorse:    {machine.Supervisor},
	KindDeliver:    {machine.Executor, machine.Supervisor},
	KindHold:       {machine.Human, machine.Ferrus},
	KindResume:     {machine.Human, machine.Ferrus},
	KindSelect:     {machine.Human, machine.Ferrus},
	KindCreateSpec: {machine.Supervisor, machine.Human},
	KindImport:     {machine.Human, machine.Ferrus},
	KindPrepared:   {machine.Ferrus},
	KindLanded:     {machine.Ferrus, machine.Human},
}

// modeKinds is what a supervisor's session may do besides heartbeat, release and
// answer, which the table guards. Modes that are not listed may do all of their role.
var modeKinds = map[Mode][]machine.Kind{
	ModeTask:    {KindCreateTask},
	ModeSpec:    {KindCreateSpec},
	ModePlan:    {KindCreateTask, KindCreateSpec},
	ModeReview:  {KindClaim, KindApprove, KindReject, KindEndorse, KindAskHuman, KindDeliver},
	ModeConsult: {KindRespondConsult, KindAskHuman, KindDeliver},
}

// anyMode is what every session may ask for; the table guards answer.
var anyMode = []machine.Kind{KindHeartbeat, KindRelease, KindAnswer}

func (t *decision) checkRole() error {
	roles, ok := extraRoles[t.c.Kind]
	if !ok || slices.Contains(roles, t.c.By.Role) {
		return nil // rows say it themselves
	}
	return t.refusal(machine.NotYourRole, machine.Failed{Guard: "role", Reason: fmt.Sprintf("%s is for %s", t.toolName(), machine.RoleNames(roles))})
}

func (t *decision) checkMode() error {
	kinds, bound := modeKinds[t.c.By.Mode]
	if !bound || t.c.By.Role != machine.Supervisor || slices.Contains(kinds, t.c.Kind) || slices.Contains(anyMode, t.c.Kind) {
		return nil
	}
	return t.refusal(machine.NotYourRole, machine.Failed{Guard: "mode", Reason: fmt.Sprintf("this session is there for %s only", t.c.By.Mode)})
}

// options are the moves that are open, without those that the caller's session is
// not there for: an honest refusal offers nothing that would be refused.
func (t *decision) options() []machine.Option {
	all := OpenTransitions(t.was)
	kinds, bound := modeKinds[t.c.By.Mode]
	if !bound || t.c.By.Role != machine.Supervisor {
		return all
	}
	var open []machine.Option
	for _, o := range all {
		if kind := commandOf(o.Event); !slices.Contains(kinds, kind) && !slices.Contains(anyMode, kind) {
			o.By = slices.DeleteFunc(slices.Clone(o.By), func(r machine.Role) bool { return r == machine.Supervisor })
		}
		if len(o.By) > 0 {
			open = append(open, o)
		}
	}
	return open
}

// commandOf is the command behind a tool's name.
func commandOf(tool machine.Kind) machine.Kind {
	switch tool {
	case ToolWaitForTask, ToolWaitForReview:
		return KindClaim
	case ToolWaitForAnswer:
		return KindDeliver
	}
	return tool
}

// checkEpoch turns away who speaks of a task that is gone.
func (t *decision) checkEpoch() error {
	if t.c.Epoch == 0 || t.c.Epoch == t.was.Epoch {
		return nil
	}
	return t.refusal(machine.Stale, machine.Failed{Guard: "same-task", Reason: "the task it is about is gone", Fix: "call status to see what there is now"})
}

// checkFacts turns away facts that were gathered before the state moved on.
func (t *decision) checkFacts() error {
	needs := []machine.Kind{KindCreateTask, KindCheck, KindSubmit, KindApprove, KindVoided, KindClaim}
	if t.c.Seq == 0 || t.c.Facts.NextSeq == 0 || t.c.Seq+1 == t.c.Facts.NextSeq || !slices.Contains(needs, t.c.Kind) {
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: GuardFactsMoved, Reason: "the state moved on while its facts were gathered", Fix: "call it again"})
}
