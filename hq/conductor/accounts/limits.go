// Package accounts says when a session of an agent may start, by the usage limits of the agents' accounts and by the
// budget of the queue.
//
// Sessions find that an account has reached its limit ([Limits.Report]); the queue records that ([Limits.Unrecorded])
// for all processes, and [Limits.Follow] applies the record. [Limits.Wait] is asked before a session starts.
package accounts

import (
	"maps"
	"slices"
	"sync"
	"time"

	"ferrus/hq/queue"
)

// accountPause separates the starts of sessions on an account whose usage limit has just ended: the
// first session shows whether it has, and the waiting ones do not all start at once. After a limit
// that lasted less than this, the pause is as short as the limit.
const accountPause = 5 * time.Second

// Limits are what the queue's record says of accounts and of the budget, for the conductors of all
// tasks, with what they have found since. The zero value has no limit. Its methods may be called from any goroutine.
type Limits struct {
	mu     sync.Mutex
	usedUp map[string]queue.Account // guarded by mu: by agent, as recorded
	found  map[string]queue.Account // guarded by mu: by agent, and not recorded yet
	ended  map[string]time.Time     // guarded by mu: by agent, when the next session may begin
	pause  map[string]time.Duration // guarded by mu: by agent, between two sessions that begin
	record queue.Document           // guarded by mu: the last that was followed
}

// IsRetried reports whether you had an account tried again since it reached its limit.
func (l *Limits) IsRetried(a queue.Account) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record.IsRetried(a, time.Now())
}

// Report records that an account has reached its limit. It returns whether that is new.
func (l *Limits) Report(a queue.Account) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, known := range []queue.Account{l.usedUp[a.Agent], l.found[a.Agent]} {
		if known.Until.Add(time.Second).After(a.Until) {
			return false
		}
	}
	if l.found == nil {
		l.found = map[string]queue.Account{}
	}
	l.found[a.Agent] = a
	return true
}

// Unrecorded returns what was found since the last call.
func (l *Limits) Unrecorded() []queue.Account {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.found))
}

// Follow applies what the record says, and returns the agents whose accounts you want tried before their
// limit ends.
func (l *Limits) Follow(d queue.Document) (freed []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.usedUp
	l.usedUp, l.record = map[string]queue.Account{}, d
	for _, a := range d.Accounts {
		l.usedUp[a.Agent] = a
		if found, ok := l.found[a.Agent]; ok && !found.Until.After(a.Until.Add(time.Second)) {
			delete(l.found, a.Agent)
		}
	}
	for agent, a := range l.found {
		if d.IsRetried(a, time.Now()) {
			delete(l.found, agent)
			freed = append(freed, agent)
		}
	}
	for agent, a := range before {
		if _, still := l.usedUp[agent]; still {
			continue
		}
		if a.Until.After(time.Now()) && !slices.Contains(freed, agent) {
			freed = append(freed, agent)
		}
		if l.ended == nil {
			l.ended, l.pause = map[string]time.Time{}, map[string]time.Duration{}
		}
		l.ended[agent], l.pause[agent] = time.Time{}, min(accountPause, a.Until.Sub(a.Since))
	}
	return freed
}

// IsFree reports whether an account is below its usage limit, as far as is known.
func (l *Limits) IsFree(agent string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.usedUp[agent].Until.After(now) && !l.found[agent].Until.After(now)
}

// Wait returns how long no session of an agent may begin; 0: this one may begin now, and the next one
// waits for it.
func (l *Limits) Wait(agent string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.record.Over != "" {
		return time.Hour // it is looked at again when the record changes
	}
	for _, a := range []queue.Account{l.usedUp[agent], l.found[agent]} {
		if left := a.Until.Sub(now); left > 0 {
			return left
		}
	}
	next, limited := l.ended[agent]
	if left := next.Sub(now); limited && left > 0 {
		return left
	}
	if limited {
		l.ended[agent] = now.Add(l.pause[agent])
	}
	return 0
}

// Shown returns the accounts at their usage limit, by agent, and whether the budget is
// used up.
func (l *Limits) Shown(now time.Time) (all []queue.Account, over string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, agent := range slices.Sorted(maps.Keys(l.usedUp)) {
		if a := l.usedUp[agent]; a.Until.After(now) {
			all = append(all, a)
		}
	}
	return all, l.record.Over
}
