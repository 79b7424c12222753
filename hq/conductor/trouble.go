package conductor

import (
	"time"

	"ferrus/agent"
	"ferrus/machine/session"
)

// mind looks now and then whether the program says what keeps it from working: while
// it tries again and again, or asks on a screen of its own before it has called
// anything. The person is told once a session.
func (s *slot) mind(process agent.Session, seen time.Time) {
	s.c.after(s.c.options.silence/6, func() {
		if s.process != process || s.told {
			return
		}
		if last := s.output.last(); last.After(seen) {
			seen = last
			s.ail(s.typed && s.presence().FirstCall == nil)
		}
		s.mind(process, seen)
	})
}

// chances are the sessions in a row that may end in a trouble that lasts; what
// comes after would end in the same way.
const chances = 2

// despair gives up where only the person can help.
func (s *slot) despair() {
	if s.ailing >= chances && s.snap.At != session.Stopped {
		s.step(session.FatalError{Message: s.hopeless})
	}
}

// ail tells the person of a trouble that they can mend, if there is one, and counts
// the sessions that ended in it. One who sits before the program reads it there.
func (s *slot) ail(over bool) bool {
	if s.typed && byHand(s.job.Mode) || s.terminal == nil {
		return false
	}
	t, ok := agent.Diagnose(s.entry.AgentType, s.rows(), over)
	if !ok {
		return false
	}
	if s.process == nil && t.Lasting {
		s.ailing++
		s.hopeless = "its program " + t.What + ": " + t.Fix
	}
	if !s.told {
		s.told = true
		s.c.once("the " + string(s.name) + " (" + s.entry.AgentType + ") " + t.What + ": " + t.Fix + ". It says: " + t.Said)
	}
	return true
}
