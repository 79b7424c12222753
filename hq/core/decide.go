package core

import (
	"slices"
	"strings"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Decide decides one command. The error is a [*machine.Refusal], and then nothing has
// changed. Decide looks at nothing but its arguments, and the World it returns shares
// nothing with the one it was given.
//
//   - Decision.Event is empty if there is nothing for the journal: the lease was renewed,
//     or a running gate was joined.
//   - claim is the tools wait_for_task and wait_for_review. While there is nothing to
//     claim it is refused with the guard nothing-to-claim. The caller, who has the store,
//     fills in the texts of Result.Claimed; see [World.Exchanges].
//   - submit on a tree without proof starts the gate instead: the event is check and the
//     status running. The caller waits for the ticket and then submits again with the
//     same text, once per call of the agent: a tree that cannot be read never passes.
//   - wait_for_consult is refused with the guard consult-answered as long as there is
//     something to wait for, and deliver with question-answered.
//   - approve with a changed tree is refused with the guard tree-unchanged; if
//     [World.TreeChanged] reports it, the caller gives the command voided, as ferrus.
//   - check_cancelled with Gate.Lost cancels as gate lost; gate_lost counts one more
//     dead runner, keeps the ticket running, and cancels it at the third.
//   - resume with a Text clears only a hold of that reason.
//   - A Command.Seq other than the World's is refused with facts-moved, where facts
//     matter.
func Decide(w World, c Command, lim Limits) (Decision, error) {
	t := &decision{c: c, lim: lim, was: w.Normalize(), w: w.Normalize()}
	t.out.Texts = map[string]string{}
	if err := t.decide(); err != nil {
		return Decision{World: w}, err
	}
	return t.finish(), nil
}

// decision is one command that is being decided. A step changes w and out; was stays. A
// step that refuses may leave w half changed, because Decide returns the old World
// then.
type decision struct {
	c   Command
	lim Limits
	was World    // before the command
	w   World    // after it
	out Decision // without World
}

// deciders maps the kinds of commands to their steps. The rows of the task's table step
// its machine; all others never change the state. Who may give which is checked before
// a step runs: by the rows for the first group, by extraRoles for the others.
var deciders = map[machine.Kind]func(*decision) error{
	KindCreateTask: (*decision).createTask,
	KindRetry:      (*decision).retry,
	KindReset:      (*decision).reset,
	KindImport:     (*decision).imported,

	KindCheck:          (*decision).check,
	KindChecked:        (*decision).checked,
	KindCheckCancelled: (*decision).checkCancelled,
	KindGateLost:       (*decision).gateLost,
	KindBaseRed:        (*decision).baseRed,
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

	KindComment:        (*decision).comment,
	KindResolveComment: (*decision).resolveComment,

	KindPin:      (*decision).changePin,
	KindPrepared: (*decision).prepared,
	KindLanded:   (*decision).landed,
	KindReturned: (*decision).returned,
	KindRejudge:  (*decision).rejudge,
	KindNoted:    (*decision).noted,

	KindAskPermission:      (*decision).askPermission,
	KindPermit:             (*decision).permit,
	KindWithdrawPermission: (*decision).withdrawPermission,

	KindHold:       (*decision).hold,
	KindResume:     (*decision).resume,
	KindSelect:     (*decision).selected,
	KindCreateSpec: (*decision).createSpec,
	KindQueueTask:  (*decision).queueTask,
}

// IsKind reports whether there is a command of a kind, and so an event in the journal.
func IsKind(k machine.Kind) bool { return deciders[k] != nil }

// decide runs the checks that every command has, and then the command's own step. The
// order decides which refusal a caller sees when several apply: what it is comes before
// what the state is, and that before what it knows.
func (t *decision) decide() error {
	decide, ok := deciders[t.c.Kind]
	if !ok {
		return t.refusal(machine.NoSuchTransition, machine.Failed{Guard: "known-command", Reason: "unknown command"})
	}
	for _, ask := range []func() error{t.checkRole, t.checkMode, t.checkSound, t.checkEpoch, t.checkFacts,
		t.checkEncoding} {
		if err := ask(); err != nil {
			return err
		}
	}
	return decide(t)
}

// step steps the task's machine. A caller whose lease was taken, or whose task or
// review has ended, gets the refusal that it is late, not that the state is wrong. It
// changes w only if the row applies. The step that called it then sets what the
// machine does not know: texts, names and trees.
func (t *decision) step(e machine.Event) error {
	next, _, err := task.Table(t.limits()).Step(t.w.snap(), t.c.By.Role, e)
	if err != nil {
		return t.describeRefusal(err)
	}
	t.w.move(next, t.c.Facts.Now)
	return nil
}

// limits returns the limits as the task's machine takes them.
func (t *decision) limits() task.Limits {
	return task.Limits{CheckRetries: t.lim.CheckRetries, ReviewCycles: t.lim.ReviewCycles}
}

// describeRefusal completes a refusal of the machine: the options as the caller has them,
// and STALE for a caller that lost its lease. Any other error is returned unchanged.
func (t *decision) describeRefusal(err error) error {
	r := machine.AsRefusal(err)
	if r == nil {
		return err
	}
	r.Options = t.options()
	if r.Code != machine.Stale && t.fenced() {
		r.Code = machine.Stale
		r.Failed = []machine.Failed{{Guard: "lease-required",
			Reason: "another session has taken the lease, or its task has ended", Fix: "call " +
				ClaimTool(t.c.By.Role)}}
	}
	return r
}

// late lists, by role, the commands for which a session that lost its lease comes late.
var late = map[machine.Role][]machine.Kind{
	machine.Executor: {KindCheck, KindSubmit, KindConsult, KindWaitForConsult, KindAskHuman, KindDeliver,
		KindHeartbeat, KindResolveComment},
	machine.Supervisor: {KindApprove, KindReject, KindAskHuman, KindDeliver, KindHeartbeat},
}

// fenced reports whether the caller's lease was taken and the command needs it. A
// command that is not listed in late needs no lease, and is accepted from such a
// session too.
func (t *decision) fenced() bool {
	by := t.c.By
	return by.Session != "" && slices.Contains(t.w.Fenced, by.Session) && slices.Contains(late[by.Role], t.c.Kind)
}

// refusal returns a refusal in the state before the command.
func (t *decision) refusal(code machine.Code, failed ...machine.Failed) *machine.Refusal {
	return &machine.Refusal{Code: code, Machine: "task", State: t.was.State, Event: t.toolName(), By: t.c.By.Role,
		Failed: failed, Options: t.options()}
}

// toolName returns the name under which the caller knows the command.
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

// setText sets a text of the task; removeTexts removes some. Both only record it; the
// store writes texts with the commit.
func (t *decision) setText(name, text string) { t.out.Texts[name] = text }

func (t *decision) removeTexts(names ...string) {
	for _, n := range names {
		t.out.Texts[n] = ""
	}
}

// finish renews the caller's lease, if it holds it, and fills in what every result has.
// That every accepted command renews is why an agent that works needs no heartbeat.
func (t *decision) finish() Decision {
	if t.w.HeldBy(t.c.By) {
		t.w.renew(t.c.Facts)
	}
	if t.out.Event != "" {
		t.pinOlder()
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
