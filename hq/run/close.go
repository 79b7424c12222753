package run

import (
	"context"
	"errors"

	"ferrus/hq"
)

// Close ends every session, reaps it, and gives up the conductor's lock. With
// hold, an open task is held, as after /quit; without, the next conductor goes on
// by itself.
func (c *Conductor) Close(hold bool) error {
	var err error
	if hold && c.Held() && c.View().State.World.Hold == nil {
		if _, err = c.Do(context.Background(), hq.Command{Kind: "hold", Text: "quit"}); isRefusal(err) {
			err = nil // the task ended in between
		}
	}
	if !c.ask(c.shut) {
		return ErrClosed
	}
	<-c.quiet
	c.cancel()
	<-c.closed
	c.ended.Wait()
	return errors.Join(err, c.lock.Close())
}

// shut starts nothing any more and ends what lives.
func (c *Conductor) shut() {
	c.shutting = true
	for _, s := range c.slots {
		s.stopTimers()
		if s.process != nil {
			s.dismissed = true
			s.end(c.config.Session.Grace())
		}
	}
	if c.gateRun != nil {
		c.gateRun.cancel()
	}
}

// settleShut tells Close when nothing is left to wait for.
func (c *Conductor) settleShut() {
	for _, s := range c.slots {
		if s.process != nil {
			return
		}
	}
	if c.gateRun == nil && !c.silent {
		c.silent = true
		c.save()
		close(c.quiet)
	}
}
