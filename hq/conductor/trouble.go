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
		if s.process != process || s.snap.Data.Reported {
			return
		}
		if last := s.output.last(); last.After(seen) {
			seen = last
			s.report(s.diagnose(s.typed && s.presence().FirstCall == nil))
		}
		s.mind(process, seen)
	})
}

// diagnose finds a trouble of the session that the person can mend, if there is one.
// One who sits before the program reads it there.
func (s *slot) diagnose(over bool) (agent.Trouble, bool) {
	if s.typed && byHand(s.job.Mode) || s.terminal == nil {
		return agent.Trouble{}, false
	}
	return agent.Diagnose(s.entry.AgentType, s.rows(), over)
}

// report tells the person of a trouble.
func (s *slot) report(t agent.Trouble, found bool) {
	if found {
		what := "the " + string(s.name) + " (" + s.entry.AgentType + ") " + t.What + ": " + t.Fix + ". It says: " + t.Said
		s.step(session.Trouble{Session: s.snap.Data.Session, Message: what})
	}
}
