package conductor

import (
	"context"
	"fmt"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/core"
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
	s.notices.addErrorOnce(err)
	wait := max(time.Until(since.Add(ttl)), silenceCheck)
	if silent {
		s.holder = &advice.SilentHolder{Slot: w.ClaimedSlot(), Name: w.ClaimedBy, Since: since}
		s.notices.addOnce(fmt.Sprintf("%s holds the lease and is silent: /resume %s --take starts another",
			w.ClaimedBy, s.holder.Slot))
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

// TakeLease takes the lease from the session that does the work of a slot, and starts another.
// Later calls of the old session are refused as late. A session of this conductor is stopped.
func (c *Conductor) TakeLease(ctx context.Context, slot core.Slot) error {
	w := c.View().State.World
	if !w.IsClaimed() || w.ClaimedSlot() != slot {
		return fmt.Errorf("no session holds the work of the %s; /resume %s starts one", slot, slot)
	}
	if _, err := c.Do(ctx, core.Command{Kind: core.KindRelease}); err != nil {
		return err
	}
	if _, err := c.clearHold(ctx); err != nil {
		return err
	}
	c.loop.Ask(func() {
		c.slots[slot].Resume()
		c.supersede(w.Claim)
	})
	return nil
}
