package conductor

import (
	"context"
	"errors"

	"ferrus/hq/core"
	"ferrus/machine/session"
)

// Close ends every session, has it reaped, and gives up the conductor's lock. With
// hold, an open task is held, as after /quit; without, the next conductor goes on
// by itself.
func (c *Conductor) Close(hold bool) error {
	var err error
	if hold && c.Held() && c.View().State.World.Hold == nil {
		if _, err = c.Do(context.Background(), core.Command{Kind: "hold", Text: "quit"}); isRefusal(err) {
			err = nil // the task ended in between
		}
	}
	return errors.Join(err, c.finish(c.shut))
}

// Detach gives up the conductor's lock and leaves every session to its host. The
// next conductor goes on with them. Sessions that are tethered end.
func (c *Conductor) Detach() error {
	if c.options.Tethered {
		return c.Close(false)
	}
	return c.finish(c.depart)
}

func (c *Conductor) finish(begin func()) error {
	if !c.ask(begin) {
		return ErrClosed
	}
	<-c.quiet
	c.cancel()
	<-c.closed
	c.ended.Wait()
	return c.lock.Close()
}

// depart writes down who lives, and lets go of them.
func (c *Conductor) depart() {
	c.shutting, c.departed = true, true
	c.save()
	close(c.left)
	for _, s := range c.slots {
		s.stopTimers()
		if s.process != nil {
			leave(s.process)
		}
	}
	if c.gateRun != nil {
		c.gateRun.cancel()
	}
}

// shut starts nothing any more and ends what lives. A session whose work is done
// has the grace time to end by itself.
func (c *Conductor) shut() {
	c.shutting = true
	for _, s := range c.slots {
		if s.finished() {
			s.dismiss(false)
			continue
		}
		s.stopTimers()
		if s.process != nil {
			s.step(session.Dismissed{Session: s.snap.Data.Session})
		}
	}
	if c.gateRun != nil {
		c.gateRun.cancel()
	}
}

// finished reports that the session did something and has nothing left to do: it
// neither holds the lease nor waits for an answer of the person.
func (s *slot) finished() bool {
	w := s.c.state.World
	return s.process != nil && s.accepted && !s.typed &&
		(w.Claim == nil || w.Claim.Session != s.entry.Session) &&
		(w.Question == nil || w.Question.Session != s.entry.Session)
}

// settleShut tells Close when nothing is left to wait for.
func (c *Conductor) settleShut() {
	for _, s := range c.slots {
		if s.process != nil && !c.departed {
			return
		}
	}
	if c.gateRun == nil && !c.silent {
		c.silent = true
		c.save()
		close(c.quiet)
	}
}
