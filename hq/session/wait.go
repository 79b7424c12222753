package session

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/project"
	"ferrus/machine/session"
)

// recheck is the interval at which a wait reads the wall clock. Timers stand still
// while the computer sleeps; usage limits do not. So after a sleep a wait is late
// by at most this much.
const recheck = time.Minute

// wait is a running wait of a slot: it ends with BackoffElapsed. Two clocks, because
// each is wrong in its own way: the wall clock can be set, and the monotonic one stands
// still while the computer sleeps.
type wait struct {
	record project.Wait // as it is saved: by the wall clock and the boot
	until  time.Time    // by the monotonic clock
	timer  *time.Timer
}

// startWait replaces the wait, if there is one, and steps BackoffElapsed with a number
// once it is over. A saved wait whose end has passed ends at once. Save writes the end
// of the wait, so that the next owner waits only for the rest.
func (r *Runner) startWait(number uint32, kept project.Wait) {
	r.endWait()
	r.wait = &wait{record: kept, until: time.Now().Add(kept.Left(project.ReadClock()))}
	r.checkWait(number)
}

// checkWait ends the wait if either clock says so, or sets its timer for the next look.
// The earlier of the two counts: a wait that is cut short costs one more try, a wait
// that never ends costs the work.
func (r *Runner) checkWait(number uint32) {
	w := r.wait
	left := min(time.Until(w.until), w.record.Left(project.ReadClock()))
	if left <= 0 {
		r.step(session.BackoffElapsed{Session: number})
		return
	}
	w.timer = r.after(min(left, recheck), func() {
		if r.wait == w {
			r.checkWait(number)
		}
	})
}

// endWait stops the timer of the wait and forgets it. A timer that has fired already
// finds another wait, or none, and does nothing.
func (r *Runner) endWait() {
	if r.wait != nil && r.wait.timer != nil {
		r.wait.timer.Stop()
	}
	r.wait = nil
}

// park makes the slot wait until the usage limit resets, and cancels the session if it
// still runs. It does not count as an error. It returns the limit in words; empty: the
// machine refused, because the session was dismissed or timed out, and nothing has
// changed. The reset time is the vendor's; without one the machine guesses, longer each
// time, and Resume tries at once.
func (r *Runner) park(limit agent.Limit) string {
	before := r.snap
	r.step(session.Limited{Session: before.Data.Session, Millis: limit.Millis(time.Now())})
	if r.snap == before {
		return ""
	}
	length := time.Until(limit.Until)
	if r.wait != nil {
		length = r.wait.record.Length
		r.wait.record.Why, r.wait.record.Guessed = limit.Message, limit.Until.IsZero()
	}
	words := limit.Describe(length)
	r.Notice(fmt.Sprintf("the %s (%s) %s, or at once if you resume it: %s", r.Slot.Pane(),
		r.entry.AgentType, words, limit.Message))
	return words
}
