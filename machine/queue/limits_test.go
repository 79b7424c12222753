package queue

import (
	"maps"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store/longtest"
)

// A crowd is a queue of three items and what its tasks share: slots, sessions of an agent, an
// account, a budget and memory. The first two items touch the same files, and the first and the
// last may work in your checkout. An item has only the state that a limit can depend on; the worlds
// explore the rest.
type crowd struct {
	items  [3]member
	here   bool // the first and the last item work in your checkout
	usedUp bool // the account
	over   bool // the budget
	scarce bool // memory
}

type member struct {
	at      State
	begun   bool
	lives   bool
	rested  bool // the task waits for the human
	blocked bool // by another item that has not landed
}

const (
	crowdSlots    = 2
	crowdSessions = 1 // of the agent that the last two items use
)

// usesAgent reports whether an item uses the agent that has so few sessions.
func usesAgent(i int) bool { return i > 0 }

func (c crowd) running(i int) bool { return c.items[i].at == StateRunning || c.items[i].lives }

// waits says what an item waits for, as the queue's caller computes it.
func (c crowd) waits(i int) (w Waits) {
	tasks, sessions := 0, 0
	for n := range c.items {
		if !c.running(n) {
			continue
		}
		if tasks++; usesAgent(n) {
			sessions++
		}
	}
	if c.items[i].blocked {
		w.Dependencies = "waits for #9"
	}
	if tasks >= crowdSlots || usesAgent(i) && sessions >= crowdSessions {
		w.Slot = "2 of 2 sessions"
	}
	if i < 2 && c.running(1-i) {
		w.Touches = "touches what the other works on"
	}
	if c.here && i != 1 && c.running(2-i) {
		w.Checkout = "the other works in your checkout"
	}
	if c.usedUp {
		w.Account = "one has hit its usage limit"
	}
	if c.over {
		w.Budget = "the queue has used 1M tokens"
	}
	if c.scarce && tasks > 0 {
		w.Memory = "less than 1 GB of memory free"
	}
	return w
}

func (c crowd) facts(i int) Task {
	m := c.items[i]
	t := Task{Lives: m.lives, Deferred: m.rested}
	if m.begun {
		t.At = task.Executing
	}
	return t
}

// next returns every crowd that one step of a table leads to.
func (c crowd) next(tab *machine.Table[Data]) (all []crowd) {
	add := func(change func(*crowd)) {
		to := c
		change(&to)
		all = append(all, to)
	}
	for i, m := range c.items {
		snap := Snap{At: m.at, Data: Data{Here: c.here && i != 1}}
		for _, e := range []machine.Event{Admit{c.facts(i), c.waits(i)}, Release{c.facts(i)}, Want{c.facts(i)}} {
			if s, _, err := tab.Step(snap, machine.Ferrus, e); err == nil {
				add(func(c *crowd) { c.items[i].at = s.At })
			}
		}
		if s, _, err := tab.Step(snap, machine.Human, Cancel{}); err == nil {
			add(func(c *crowd) { c.items[i].at = s.At })
		}
		switch running := m.at == StateRunning; {
		case m.lives:
			add(func(c *crowd) { c.items[i].lives = false })
			add(func(c *crowd) { c.items[i].rested = true })
		case running && !m.rested:
			add(func(c *crowd) { c.items[i].begun, c.items[i].lives = true, true })
		}
		if m.rested {
			add(func(c *crowd) { c.items[i].rested = false })
		}
		if m.blocked {
			add(func(c *crowd) { c.items[i].blocked = false })
		}
	}
	add(func(c *crowd) { c.usedUp = !c.usedUp })
	add(func(c *crowd) { c.over = !c.over })
	add(func(c *crowd) { c.scarce = !c.scarce })
	return all
}

// broken says which limit a crowd, or a step to it, breaks; empty: none.
func broken(from, to crowd) string {
	tasks, sessions := 0, 0
	for i, m := range to.items {
		if to.running(i) {
			if tasks++; usesAgent(i) {
				sessions++
			}
		}
		if m.at != StateRunning || from.items[i].at == StateRunning {
			continue
		}
		switch others := tasks > 1 || slices.ContainsFunc(to.items[i+1:], func(m member) bool { return m.lives }); {
		case to.items[i].blocked:
			return "it begins before what it waits for"
		case to.usedUp:
			return "it begins on an account that is used up"
		case to.over:
			return "it begins beyond the budget"
		case to.scarce && others:
			return "it begins beside another one without memory"
		}
	}
	switch {
	case tasks > crowdSlots:
		return "more tasks have their turn than there are slots"
	case sessions > crowdSessions:
		return "an agent has more sessions than it may"
	case to.running(0) && to.running(1):
		return "two work on the same files"
	case to.here && to.running(0) && to.running(2):
		return "two work in your checkout"
	}
	return ""
}

// explore returns everything that is broken anywhere, and the number of crowds.
func (c crowd) explore(tab *machine.Table[Data]) (faults []string, n int) {
	seen, found := map[crowd]bool{c: true}, map[string]bool{}
	for next := []crowd{c}; len(next) > 0; {
		from := next[len(next)-1]
		next = next[:len(next)-1]
		for _, to := range from.next(tab) {
			if why := broken(from, to); why != "" {
				found[why] = true
			}
			if !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), len(seen)
}

// Three items under every limit: no limit is ever exceeded, in whatever order the items are
// admitted, end, wait for you and are cancelled. Without its guard, each limit is exceeded.
func TestLimitsHold(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	start := crowd{}
	for i := range start.items {
		start.items[i] = member{at: StateQueued, blocked: i == 2}
	}
	for _, start.here = range []bool{true, false} {
		if !longtest.CI() && start.here {
			continue
		}
		if faults, n := start.explore(Table()); len(faults) > 0 {
			t.Errorf("of %d crowds: %q", n, faults)
		}
	}
	if !longtest.CI() {
		return // the limits hold; .ci/run shows that each guard is needed
	}
	for _, name := range []string{"dependencies-landed", "touches-free", "slot-free", "here-free", "account-free",
		"budget-left", "memory-free"} {
		start.here = name == "here-free"
		tab, dropped := Table(), 0
		for i := range tab.Rows {
			if row := &tab.Rows[i]; row.On == KindAdmit {
				before := len(row.If)
				row.If = slices.DeleteFunc(slices.Clone(row.If), func(g guard) bool { return g.Name == name })
				dropped += before - len(row.If)
			}
		}
		if faults, _ := start.explore(tab); dropped != 1 || len(faults) == 0 {
			t.Errorf("without %s, %d dropped, nothing is broken", name, dropped)
		} else {
			t.Logf("without %s: %q", name, faults)
		}
	}
}
