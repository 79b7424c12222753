package core

import (
	"slices"
	"strings"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Decide answers one command. The error is a [*machine.Refusal], and then
// nothing has changed. It looks at nothing but its arguments, and the World it
// returns shares nothing with the one it was given.
//
//   - Decision.Event is empty when there is nothing for the journal: the lease was
//     renewed, or a running gate was joined.
//   - claim is wait_for_task and wait_for_review: while there is nothing to claim it
//     is refused with the guard nothing-to-claim. The texts of Result.Claimed are
//     filled in by who has the store; see [World.Exchanges].
//   - submit on a tree that is not proven starts the gate instead: the Decision's
//     event is check, the status running, the ticket is to be waited for, and then
//     submit is asked for again with the same text. Ask once more per call of the
//     agent, not for ever: a tree that cannot be read is never proven.
//   - wait_for_consult is refused with the guard consult-answered for as long as
//     there is something to wait for; so is deliver with question-answered.
//   - approve with a moved tree is refused with the guard tree-unchanged; if
//     [World.TreeChanged] says so, the caller gives the command voided, by ferrus.
//   - check_cancelled with Gate.Lost cancels as gate lost; gate_lost counts one more
//     dead runner, keeps the ticket running, and cancels it at the third.
//   - resume with a Text clears only a hold of that reason.
//   - Command.Seq is refused with facts-moved where facts matter and it is not the
//     World's.
func Decide(w World, c Command, lim Limits) (Decision, error) {
	t := &decision{c: c, lim: lim, was: w.Normalize(), w: w.Normalize()}
	t.out.Texts = map[string]string{}
	if err := t.decide(); err != nil {
		return Decision{World: w}, err
	}
	return t.finish(), nil
}

// decision is one command being decided: was is the World before, w what becomes of
// it, out what is answered.
type decision struct {
	c   Command
	lim Limits
	was World
	w   World
	out Decision
}

// deciders are the kinds of commands. Those that move the task step its machine;
// the others stand beside it and never change the state.
var deciders = map[machine.Kind]func(*decision) error{
	KindCreateTask: (*decision).createTask,
	KindRetry:      (*decision).retry,
	KindReset:      (*decision).reset,
	KindImport:     (*decision).imported,

	KindCheck:          (*decision).check,
	KindChecked:        (*decision).checked,
	KindCheckCancelled: (*decision).checkCancelled,
	KindGateLost:       (*decision).gateLost,
	KindSubmit:         (*decision).submit,

	KindConsult:        (*decision).consult,
	KindRespondConsult: (*decision).respondConsult,
	KindWaitForConsult: (*decision).waitForConsult,
	KindAskHuman:       (*decision).askHuman,
	KindAnswer:         (*decision).answer,
	KindDeliver:        (*decision).deliver,

	KindApprove: (*decision).approve,
	KindReject:  (*decision).reject,
	KindVoided:  (*decision).voided,
	KindEndorse: (*decision).endorse,

	KindClaim:     (*decision).claim,
	KindRelease:   (*decision).release,
	KindHeartbeat: (*decision).heartbeat,

	KindPrepared: (*decision).prepared,
	KindLanded:   (*decision).landed,
	KindReturned: (*decision).returned,

	KindHold:       (*decision).hold,
	KindResume:     (*decision).resume,
	KindSelect:     (*decision).selected,
	KindCreateSpec: (*decision).createSpec,
}

// IsKind reports whether there is a command of a kind: the words of the journal.
func IsKind(k machine.Kind) bool { return deciders[k] != nil }

func (t *decision) decide() error {
	decide, ok := deciders[t.c.Kind]
	if !ok {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "known-command", Reason: "there is no such command"})
	}
	for _, ask := range []func() error{t.checkRole, t.checkMode, t.checkSound, t.checkEpoch, t.checkFacts} {
		if err := ask(); err != nil {
			return err
		}
	}
	return decide(t)
}

// step asks the task's machine. A caller whose lease was taken, or whose task or
// review is over, is told that it comes too late and not that it called the wrong tool.
func (t *decision) step(e machine.Event) error {
	next, _, err := task.Table(t.limits()).Step(t.w.snap(), t.c.By.Role, e)
	if err != nil {
		return t.describeRefusal(err)
	}
	t.w.move(next, t.c.Facts.Now)
	return nil
}

func (t *decision) limits() task.Limits {
	return task.Limits{CheckRetries: t.lim.CheckRetries, ReviewCycles: t.lim.ReviewCycles}
}

func (t *decision) describeRefusal(err error) error {
	r := machine.AsRefusal(err)
	if r == nil {
		return err
	}
	r.Options = t.options()
	if r.Code != machine.Stale && t.fenced() {
		r.Code = machine.Stale
		r.Failed = []machine.Failed{{Guard: "lease-required", Reason: "the lease was taken by another session, or what it was for is over", Fix: "call " + ClaimTool(t.c.By.Role)}}
	}
	return r
}

// late are the commands for which a session that lost the lease comes too late.
var late = map[machine.Role][]machine.Kind{
	machine.Executor:   {KindCheck, KindSubmit, KindConsult, KindWaitForConsult, KindAskHuman, KindDeliver, KindHeartbeat},
	machine.Supervisor: {KindApprove, KindReject, KindAskHuman, KindDeliver, KindHeartbeat},
}

// fenced reports that the caller's lease was taken from it and that the command
// is one of those that need it.
func (t *decision) fenced() bool {
	by := t.c.By
	return by.Session != "" && slices.Contains(t.w.Fenced, by.Session) && slices.Contains(late[by.Role], t.c.Kind)
}

func (t *decision) refusal(code machine.Code, failed ...machine.Failed) *machine.Refusal {
	return &machine.Refusal{Code: code, Machine: "task", State: t.was.State, Event: t.toolName(), By: t.c.By.Role, Failed: failed, Options: t.options()}
}

// toolName is the word that the caller knows the command by.
func (t *decision) toolName() machine.Kind {
	switch t.c.Kind {
	case KindClaim:
		return machine.Kind(ClaimTool(t.c.By.Role))
	case KindDeliver:
		return ToolWaitForAnswer
	}
	return t.c.Kind
}

func (t *decision) hasText() bool { return strings.TrimSpace(t.c.Text) != "" }

// setText writes a text; drop removes some.
func (t *decision) setText(name, text string) { t.out.Texts[name] = text }

func (t *decision) removeTexts(names ...string) {
	for _, n := range names {
		t.out.Texts[n] = ""
	}
}

// finish renews the caller's lease and fills in what every result has.
func (t *decision) finish() Decision {
	if t.w.heldBy(t.c.By) {
		t.w.renew(t.c.Facts)
	}
	d := t.out
	d.World = t.w
	d.Result.State = t.w.State
	d.Result.Seq = t.c.Facts.NextSeq
	if d.Event == "" && d.Result.Seq > 0 {
		d.Result.Seq--
	}
	if d.Result.Claimed != nil {
		d.Result.Claimed = t.w.claimed()
	}
	return d
}
