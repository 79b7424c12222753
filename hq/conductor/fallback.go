package conductor

import (
	"time"

	"ferrus/hq/session"
)

// unknownReset is how long an account counts as used up if its vendor does not say.
const unknownReset = time.Hour

// usedUp are the agents that have hit their usage limits, and until when.
type usedUp map[string]time.Time

// fallBack gives the task to another agent if one has reached its usage limit. Its slot does not wait
// then, because the other account has no limit yet.
func (c *Conductor) fallBack(e session.End) {
	until := e.Exit.Limit.Until
	if until.IsZero() {
		until = time.Now().Add(unknownReset)
	}
	if c.usedUp == nil {
		c.usedUp = usedUp{}
	}
	c.usedUp[e.Agent.Agent] = until
	command, err := c.project.FallBack(e.Slot.Role(), func(agent string) bool {
		return time.Now().After(c.usedUp[agent]) && c.local.Ready(agent) == nil
	})
	switch {
	case err != nil:
		c.notices.add(true, "no other agent can take over from %s: %v", e.Agent.Agent, err)
	case command != nil:
		c.observed.do(*command)
		c.notices.add(false, "%s continues as %s, because %s has hit its usage limit; /switch changes that",
			command.Pin.Agent, e.Slot.Role(), e.Agent.Agent)
	}
}
