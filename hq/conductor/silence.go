package conductor

import (
	"time"

	"ferrus/hq/advice"
)

// silenceCheck is the interval at which the holder of the lease is looked at again once it
// was found silent: a call that is refused changes no state that would say so.
const silenceCheck = 2 * time.Second

// silenceWatch tells the human about a lease holder that is alive and does nothing: no
// other session starts meanwhile, and nothing else would report it.
type silenceWatch struct {
	*observed
	holder *advice.SilentHolder // nil: it is not silent, or there is none
	timer  *time.Timer          // nil: it is time to look
}

// reconcile checks the holder when it may have become silent.
func (s *silenceWatch) reconcile(ttl time.Duration) {
	w := s.world()
	if w.Claim == nil {
		s.stop()
		return
	}
	if s.timer != nil && s.holder == nil {
		return
	}
	s.stop()
	since, silent, err := s.project.SilentSince(*w, ttl)
	s.notices.AddErrorOnce(err)
	wait := max(time.Until(since.Add(ttl)), silenceCheck)
	if silent {
		s.holder = &advice.SilentHolder{Slot: w.ClaimedSlot(), Name: w.ClaimedBy, Since: since}
		s.notices.AddOnce(w.ClaimedBy + " holds the lease and is silent; the inbox says how to start another")
	}
	s.timer = s.loop.After(min(wait, ttl), func() { s.timer = nil })
}

// stop forgets the holder and the timer.
func (s *silenceWatch) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer, s.holder = nil, nil
}
