package conductor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store"
)

// accountPause separates the starts of sessions on an account whose usage limit has just ended: the
// first session shows whether it has, and the waiting ones do not all start at once. After a limit
// that lasted less than this, the pause is as short as the limit.
const accountPause = 5 * time.Second

// claims are what the queue's record says of accounts and of the budget, for the conductors of all
// tasks, with what they have found since. Its methods may be called from any goroutine.
type claims struct {
	mu     sync.Mutex
	usedUp map[string]queue.Account // guarded by mu: by agent, as recorded
	found  map[string]queue.Account // guarded by mu: by agent, and not recorded yet
	ended  map[string]time.Time     // guarded by mu: by agent, when the next session may begin
	pause  map[string]time.Duration // guarded by mu: by agent, between two sessions that begin
	over   string                   // guarded by mu: the budget of the queue is used up
}

// report records that an account has reached its limit. It returns whether that is new.
func (c *claims) report(a queue.Account) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range []queue.Account{c.usedUp[a.Agent], c.found[a.Agent]} {
		if known.Until.Add(time.Second).After(a.Until) {
			return false
		}
	}
	if c.found == nil {
		c.found = map[string]queue.Account{}
	}
	c.found[a.Agent] = a
	return true
}

// unrecorded returns what was found since the last call.
func (c *claims) unrecorded() []queue.Account {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.found))
}

// follow applies what the record says, and returns the agents whose accounts you want tried before their
// limit ends.
func (c *claims) follow(d queue.Document) (freed []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.usedUp
	c.usedUp, c.over = map[string]queue.Account{}, d.Over
	for _, a := range d.Accounts {
		c.usedUp[a.Agent] = a
		if found, ok := c.found[a.Agent]; ok && !found.Until.After(a.Until.Add(time.Second)) {
			delete(c.found, a.Agent)
		}
	}
	for agent, a := range before {
		if _, still := c.usedUp[agent]; still {
			continue
		}
		if a.Until.After(time.Now()) {
			freed = append(freed, agent)
		}
		if c.ended == nil {
			c.ended, c.pause = map[string]time.Time{}, map[string]time.Duration{}
		}
		c.ended[agent], c.pause[agent] = time.Time{}, min(accountPause, a.Until.Sub(a.Since))
	}
	return freed
}

// wait returns how long no session of an agent may begin; 0: this one may begin now, and the next one
// waits for it.
func (c *claims) wait(agent string, now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != "" {
		return time.Hour // it is looked at again when the record changes
	}
	for _, a := range []queue.Account{c.usedUp[agent], c.found[agent]} {
		if left := a.Until.Sub(now); left > 0 {
			return left
		}
	}
	next, limited := c.ended[agent]
	if left := next.Sub(now); limited && left > 0 {
		return left
	}
	if limited {
		c.ended[agent] = now.Add(c.pause[agent])
	}
	return 0
}

// shown returns the accounts at their usage limit, by agent, and whether the budget is
// used up.
func (c *claims) shown(now time.Time) (all []queue.Account, over string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, agent := range slices.Sorted(maps.Keys(c.usedUp)) {
		if a := c.usedUp[agent]; a.Until.After(now) {
			all = append(all, a)
		}
	}
	return all, c.over
}

// continueQueue makes all tasks try their accounts again, and renews the queue's budget. It reports
// whether anything waited for that.
func continueQueue(ctx context.Context, p *project.Task) (waited bool, err error) {
	q, err := queue.Open(p.Main())
	if errors.Is(err, store.ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return q.Continue(ctx, project.HumanOf(ctx))
}
