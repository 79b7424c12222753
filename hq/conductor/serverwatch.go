package conductor

import (
	"time"

	"ferrus/agent/process"
	"ferrus/machine/session"
)

// deafness is the least time between two looks at a session's server, if the grace
// time is shorter: a loaded machine takes seconds to start another one.
const deafness = 5 * time.Second

// heed looks from time to time whether the session's server lives, and ends the
// session if it died: its client can call nothing any more, and not every client
// gives up by itself. Once says that it was dead the last time; a client that
// starts another server has until the next.
func (s *slot) heed(number uint32, once bool) {
	s.c.after(max(s.c.config.Session.Grace(), s.c.options.deafness), func() {
		if s.snap.Data.Session != number || s.snap.Data.Cause != "" || !session.Undone(s.snap) {
			return
		}
		dead := s.process != nil && s.serverDied()
		if dead && once {
			s.c.notice(true, "the %s lost its ferrus server: its session is ended, and started again", s.name)
			s.step(session.ServerLost{Session: number})
			return
		}
		s.heed(number, dead)
	})
}

// serverDied reports a server that was killed: one that ends takes its presence
// with it.
func (s *slot) serverDied() bool {
	p := s.presence()
	if p.PID == 0 {
		return false
	}
	alive, known := process.Alive(&process.Identity{Host: p.Host, Boot: p.Boot, PID: p.PID, Start: p.Start})
	return known && !alive
}
