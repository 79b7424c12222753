package session

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/project"
	"ferrus/machine/session"
)

// recheck is how often a wait reads the wall clock. A timer stands still while the
// machine sleeps; what is waited for does not.
const recheck = time.Minute

// wait is what a slot waits for.
type wait struct {
	record project.Wait // as it is written down
	until  time.Time    // by the monotonic clock
	timer  *time.Timer
}

// startWait answers with BackoffElapsed when the wait is over.
func (r *Runner) startWait(number uint32, kept project.Wait) {
	r.endWait()
	r.wait = &wait{record: kept, until: time.Now().Add(kept.Left(project.ReadClock()))}
	r.checkWait(number)
}

// checkWait sets the timer of the wait, or ends it.
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

func (r *Runner) endWait() {
	if r.wait != nil && r.wait.timer != nil {
		r.wait.timer.Stop()
	}
	r.wait = nil
}

// park makes the slot wait until the usage limit resets. It does not count as an error.
// It returns the limit in words; empty: the session was told to end for good, or ended
// otherwise, and nothing has changed.
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
	r.Notice(fmt.Sprintf("the %s (%s) %s, resume tries at once: %s", r.Slot, r.entry.AgentType, words, limit.Message))
	return words
}
