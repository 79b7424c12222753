package session

import (
	"fmt"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
)

// step puts an event to the machine and executes the effects, in their order, before it
// returns; an effect may step again. A refusal changes nothing: the event is late, or
// means nothing in this state. All changes of the slot's state go through step. Callers
// need not ask whether an event fits: they report what they saw.
func (r *Runner) step(event machine.Event) {
	limits := r.Policy()
	policy := session.Policy{MaxConsecutive: limits.MaxConsecutiveErrors, MaxTotal: limits.MaxTotalErrors}
	before := r.snap
	after, effects, err := session.Step(policy, before, event)
	if err != nil {
		return
	}
	r.snap = after
	if r.Stepped != nil {
		r.Stepped(event, after)
	}
	if after.At != before.At {
		r.since, r.event = time.Now(), event.Kind()
	}
	if !session.Waiting(after) {
		r.endWait()
	}
	for _, effect := range effects {
		r.execute(effect)
	}
}

// execute executes one effect. IncrementSession needs nothing here: the number is in
// the snapshot already.
func (r *Runner) execute(effect machine.Effect) {
	switch e := effect.(type) {
	case session.StorePrompt:
		r.prompt = e.Prompt
	case session.Spawn:
		r.spawn(e.Session)
	case session.CancelSession:
		grace := r.Policy().Grace()
		r.end(grace)
		r.after(grace, func() { r.step(session.GraceExceeded(e)) })
	case session.ForceStopSession:
		r.end(0)
	case session.Backoff:
		r.startWait(e.Session, project.ReadClock().Wait(time.Duration(e.Millis)*time.Millisecond))
	case session.ReportTrouble:
		r.Problem(e.Message)
	case session.LogFatal:
		because, reason := fmt.Sprintf("the %s failed: %s", r.Slot.Pane(), e.Message), core.HoldSessionLimit
		if r.event == (session.FatalError{}).Kind() {
			because, reason = fmt.Sprintf("the %s cannot start: %s", r.Slot.Pane(), e.Message), core.HoldAgent
		}
		r.Notice(because)
		if last := r.LastOutput(); last != "" && reason == core.HoldSessionLimit {
			because += "; its last output: " + last
		}
		r.Stuck(reason, because)
	case session.NoProgress:
		r.holdNoProgress(int(e.Times))
	}
}

// holdNoProgress reports a slot whose sessions end without finishing: another one would not
// get further.
func (r *Runner) holdNoProgress(times int) {
	because := fmt.Sprintf("the %s ended %d times without finishing", r.Slot.Pane(), times)
	if last := r.LastOutput(); last != "" {
		because += "; its last output: " + last
	}
	r.Notice(because)
	r.Stuck(core.HoldNoProgress, because)
}

// end stops the process off the loop, with a grace in which it may end by itself. Its
// exit comes back through follow. Without a process it does nothing. The loop goes
// through its turns meanwhile: ending takes as long as the grace.
func (r *Runner) end(grace time.Duration) {
	if process := r.process; process != nil {
		r.Loop.Go(func() { process.End(r.Loop.Context, grace) })
	}
}
