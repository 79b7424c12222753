package conductor

import (
	"time"

	"ferrus/agent"
)

// silence is how long a headless session may neither write nor call a tool before
// the person hears of it. A model's answer seldom takes longer, and no tool call
// counts; a client that waits for a server that does not answer, or that tries
// again without a word, would otherwise keep the person waiting for nothing.
const silence = 30 * time.Second

// listen looks from time to time whether a headless session still says something.
// Told is the last sign of it that a notice was given about.
func (s *slot) listen(process agent.Session, told time.Time) {
	limit := s.c.options.silence
	s.c.after(limit/6, func() {
		if s.process != process {
			return
		}
		if last, working := s.sign(); working && time.Since(last) >= limit && !last.Equal(told) {
			told = last
			s.c.notice(true, "the %s (%s) has said nothing for %.0f s: see its pane", s.name, s.entry.AgentType, limit.Seconds())
		}
		s.listen(process, told)
	})
}

// sign is when the session last wrote or called something, and whether it is to be
// at work: one that waits in a call, or is let go, is not.
func (s *slot) sign() (last time.Time, working bool) {
	p := s.presence()
	last = s.entry.StartedAt
	if out := s.output.last(); out.After(last) {
		last = out
	}
	if p.Since != nil && p.Since.After(last) {
		last = *p.Since
	}
	return last, p.Tool == "" && s.leave == nil && s.snap.Data.Cause == "" && s.c.going[s.name]
}
