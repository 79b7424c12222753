package conductor

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// glance is how often a wait looks at the clock on the wall. A timer stands still
// while the machine sleeps; what is waited for does not.
const glance = time.Minute

// wait is what a slot waits for.
type wait struct {
	kept  project.Wait // as it is written down
	over  time.Time    // by the clock that nobody sets
	timer *time.Timer
}

// await answers with BackoffElapsed when the wait is over.
func (s *slot) await(number uint32, kept project.Wait) {
	s.endWait()
	s.wait = &wait{kept: kept, over: time.Now().Add(kept.Left(project.ReadClock()))}
	s.look(number)
}

// look sets the timer of a wait, or ends it.
func (s *slot) look(number uint32) {
	w := s.wait
	left := min(time.Until(w.over), w.kept.Left(project.ReadClock()))
	if left <= 0 {
		s.awake()
		return
	}
	w.timer = s.c.after(min(left, glance), func() {
		if s.wait == w {
			s.look(number)
		}
	})
}

// awake ends a wait before or at its time.
func (s *slot) awake() { s.step(session.BackoffElapsed{Session: s.snap.Data.Session}) }

func (s *slot) endWait() {
	if s.wait != nil && s.wait.timer != nil {
		s.wait.timer.Stop()
	}
	s.wait = nil
}

// parked reports a wait for the end of a vendor's limit.
func (s *slot) parked() bool { return s.snap.Data.Parked }

// limited is the vendor's limit that a session ended with. One with a screen of
// its own says so there, unless a person sits before it.
func (s *slot) limited(exit agent.Exit) agent.Limit {
	switch {
	case s.typed && byHand(s.job.Mode):
		return agent.Limit{}
	case s.typed:
		return s.limitOnScreen()
	}
	return exit.Limit
}

func (s *slot) limitOnScreen() agent.Limit {
	return agent.LimitOnScreen(s.entry.AgentType, s.rows(), time.Now())
}

// park lets the slot wait for the end of a limit. It is no error.
func (s *slot) park(limit agent.Limit) {
	s.step(session.Limited{Session: s.snap.Data.Session, Millis: limit.Millis(time.Now())})
	if !s.parked() || s.wait == nil || s.wait.kept.Why != "" {
		return // the session had ended otherwise
	}
	s.wait.kept.Why, s.wait.kept.Guessed = limit.Said, limit.Until.IsZero()
	s.c.notice(true, "the %s (%s) %s, resume tries at once: %s", s.name, s.entry.AgentType, limit.Describe(s.wait.kept.Length), limit.Said)
}

// unpark ends the wait for a limit that concerns an agent or a model which the
// configuration no longer gives to the slot.
func (s *slot) unpark() {
	if player := s.player(); s.parked() && (player.Agent != s.entry.AgentType || player.Model != s.entry.Model) {
		s.awake()
	}
}

// carry gives a slot what its last conductor wrote down of errors and of a wait
// that is not over.
func (s *slot) carry(entry project.Entry) {
	waits := entry.Wait != nil && entry.Wait.Left(project.ReadClock()) > 0
	at := entry.State
	if !waits {
		at = session.Initializing
	}
	s.snap = session.Restore(at, uint32(entry.SessionSeq), counters(entry), waits && entry.Wait.Why != "")
	if !session.Waiting(s.snap) {
		return
	}
	s.job, s.model, s.bypass = s.c.jobOf(entry), entry.Model, entry.Bypass
	s.terminal = vt.NewLocked(s.size[0], s.size[1], s.c.options.Scrollback) // where the countdown is shown
	fmt.Fprintf(s.terminal, "\x1b[2m── session %d: %s, ferrus logs %s shows it ──\x1b[0m\r\n", entry.SessionSeq, entry.Exit, s.name)
	s.await(s.snap.Data.Session, *entry.Wait)
}

// counters are those of the last session of a slot, as they were written down.
func counters(entry project.Entry) session.Counters {
	n := entry.Counters
	if n == nil {
		return session.Counters{}
	}
	return session.Counters{
		Consecutive: uint32(n.Consecutive), Total: uint32(n.Total), Fruitless: uint32(n.Idle),
		Restarts: uint32(n.Restarts), Troubles: uint32(n.Troubles), Limits: uint32(n.Limits),
	}
}
