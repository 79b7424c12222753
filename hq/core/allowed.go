package core

import (
	"fmt"
	"slices"

	"ferrus/machine"
	"ferrus/ui/text"
)

// extraRoles lists who may give the commands that are not rows of the task's table.
// Each of them must be listed: checkRole leaves a missing one to the table, which does
// not know it.
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
	KindQueueTask:  {machine.Supervisor, machine.Human},
	KindImport:     {machine.Human, machine.Ferrus},
	KindPin:        {machine.Human, machine.Ferrus},
	KindPrepared:   {machine.Ferrus},
	KindBaseRed:    {machine.Ferrus},
	KindLanded:     {machine.Ferrus, machine.Human},
	KindNoted:      {machine.Ferrus},
	KindComment:    {machine.Human},

	KindResolveComment: {machine.Executor},

	KindAskPermission:      {machine.Executor, machine.Supervisor},
	KindPermit:             {machine.Human},
	KindWithdrawPermission: {machine.Executor, machine.Supervisor, machine.Ferrus},
}

// modeKinds lists what a supervisor's session may do in a mode, besides anyMode. Modes
// that are not listed may do all that their role may. It is the second wall: the
// session's server already offers no other tools.
var modeKinds = map[Mode][]machine.Kind{
	ModeTask:    {KindCreateTask, KindQueueTask},
	ModeSpec:    {KindCreateSpec},
	ModePlan:    {KindCreateTask, KindQueueTask, KindCreateSpec},
	ModeReview:  {KindClaim, KindApprove, KindReject, KindEndorse, KindAskHuman, KindDeliver},
	ModeConsult: {KindRespondConsult, KindAskHuman, KindDeliver},
}

// anyMode lists what every session may do; the table guards answer.
var anyMode = []machine.Kind{KindHeartbeat, KindRelease, KindAnswer, KindAskPermission, KindWithdrawPermission}

// The checks before every command, in the order of [decision.decide]: role, mode,
// soundness, epoch, facts, encoding. Each returns a refusal, or nil.

// checkRole refuses a command outside the table to a role that extraRoles does not
// list.
func (t *decision) checkRole() error {
	roles, ok := extraRoles[t.c.Kind]
	if !ok || slices.Contains(roles, t.c.By.Role) {
		return nil // rows say it themselves
	}
	return t.refusal(machine.NotYourRole, machine.Failed{Guard: "role",
		Reason: fmt.Sprintf("%s is for %s", t.toolName(), machine.RoleNames(roles))})
}

// checkMode refuses a supervisor's session what its mode is not for. Executors are
// bound by their lease instead.
func (t *decision) checkMode() error {
	kinds, bound := modeKinds[t.c.By.Mode]
	if !bound || t.c.By.Role != machine.Supervisor || slices.Contains(kinds, t.c.Kind) ||
		slices.Contains(anyMode, t.c.Kind) {
		return nil
	}
	return t.refusal(machine.NotYourRole, machine.Failed{Guard: "mode",
		Reason: fmt.Sprintf("this session is for %s only", t.c.By.Mode)})
}

// options returns the open moves, without the ones that the mode of the caller's session
// forbids: a refusal must not offer what would be refused.
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

// commandOf returns the kind of the command behind a tool.
func commandOf(tool machine.Kind) machine.Kind {
	switch tool {
	case ToolWaitForTask, ToolWaitForReview:
		return KindClaim
	case ToolWaitForAnswer:
		return KindDeliver
	}
	return tool
}

// checkEpoch refuses a command about a task that was reset or replaced. A caller that
// never claimed has no epoch, and passes.
func (t *decision) checkEpoch() error {
	if t.c.Epoch == 0 || t.c.Epoch == t.was.Epoch {
		return nil
	}
	return t.refusal(machine.Stale, machine.Failed{Guard: "same-task", Reason: "its task no longer exists",
		Fix: "call status to see the current task"})
}

// checkFacts refuses facts that were gathered for an older state, where they matter.
// The caller gathers again and repeats the command; after three times it gives up and
// passes the refusal on. Kinds that are not listed are decided by the World alone.
func (t *decision) checkFacts() error {
	needs := []machine.Kind{KindCreateTask, KindCheck, KindSubmit, KindApprove, KindVoided, KindClaim,
		KindComment, KindResolveComment}
	if len(t.c.Drafts) > 0 || t.c.Kind == KindAskPermission && t.c.Text != "" {
		needs = append(needs, t.c.Kind)
	}
	if t.c.Seq == 0 || t.c.Facts.NextSeq == 0 || t.c.Seq+1 == t.c.Facts.NextSeq || !slices.Contains(needs, t.c.Kind) {
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: GuardFactsMoved,
		Reason: "the state changed while its facts were gathered", Fix: "call it again"})
}

// checkEncoding refuses a text of the human that its readers would get changed. Texts of agents come in JSON.
func (t *decision) checkEncoding() error {
	err := text.CheckEncoding(t.c.Text)
	if err == nil || t.c.By.Role != machine.Human {
		return nil
	}
	return t.refusal(machine.GuardFailed, machine.Failed{Guard: "text-utf8", Reason: err.Error()})
}
