package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

// Limits are what the tasks of a queue may use together. They are kept as claims: an item that has
// its turn holds a slot and a session of each of its agents, by its state in the record alone, so
// that they hold whichever process gives the next turn.
type Limits struct {
	Workers  []Worker       // other machines, and how they are
	Parallel int            // tasks that may have their turn at the same time; 0 is 1
	Sessions map[string]int // tasks that may use an agent at the same time, by its name; 0: any number
	Agents   []string       // of a task that begins now, the executor's first
	Fallback []string       // of its executor
	Budget   core.Amount    // of all tasks; 0: none
	Defer    time.Duration  // how long a task waits for you before it gives its turn up; 0: for ever
	Now      time.Time
}

// Account is a vendor's account that has reached its usage limit. No session starts on it before
// the limit resets.
type Account struct {
	Agent string    `json:"agent"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	Guess bool      `json:"guess,omitempty"` // the vendor names no time: ferrus tries again then
}

// Words say that the account has reached its limit, and until when.
func (a Account) Words(now time.Time) string {
	at := a.Until.Local().Format("15:04")
	if a.Until.Sub(now) > 20*time.Hour {
		at = a.Until.Local().Format("Mon 15:04")
	}
	if a.Guess {
		return fmt.Sprintf("%s has hit its usage limit; ferrus tries again at %s", a.Agent, at)
	}
	return fmt.Sprintf("%s has hit its usage limit until %s", a.Agent, at)
}

// The events that change what the queue keeps beside its items. They move none.
const (
	KindAccountUsedUp machine.Kind = "account_used_up"
	KindAccountFree   machine.Kind = "account_free"
	KindBudget        machine.Kind = "budget"
	KindContinue      machine.Kind = "continue"
)

// Account returns the account of an agent that is used up.
func (d *Document) Account(agent string, now time.Time) (a Account, usedUp bool) {
	for _, a := range d.Accounts {
		if a.Agent == agent && a.Until.After(now) {
			return a, true
		}
	}
	return a, false
}

// errRetried cancels the record of a usage limit.
var errRetried = errors.New("you have had the account tried again since")

// IsRetried reports whether you had all accounts tried again since an account reached its limit. A time that is still
// to come says nothing: the clock was set back.
func (d *Document) IsRetried(a Account, now time.Time) bool {
	return a.Since.Before(d.Retried) && !d.Retried.After(now)
}

// UseUp records that an account has reached its usage limit. What is known already, or over, changes nothing,
// nor what was met before you had the account tried again.
func (q *Queue) UseUp(ctx context.Context, a Account) error {
	s, err := q.Load()
	if err != nil {
		return err
	}
	a.Until = a.Until.UTC().Truncate(time.Second)
	if known, ok := s.World.Account(a.Agent, time.Now()); ok && !a.Until.After(known.Until) ||
		!a.Until.After(time.Now()) {
		return nil
	}
	_, err = q.update(ctx, project.FerrusActor(), KindAccountUsedUp, func(tx *store.Tx[Document]) (string, error) {
		d := &tx.World
		if d.IsRetried(a, time.Now()) {
			return "", errRetried
		}
		if known, ok := d.Account(a.Agent, time.Now()); ok && known.Until.After(a.Until) {
			a.Until = known.Until
		} else if ok {
			a.Since = known.Since
		}
		d.Accounts = append(d.withoutAccount(a.Agent), a)
		return a.Words(time.Now()), nil
	})
	if errors.Is(err, errRetried) {
		return nil
	}
	return err
}

// withoutAccount returns the accounts of all other agents.
func (d *Document) withoutAccount(agent string) []Account {
	return slices.DeleteFunc(slices.Clone(d.Accounts), func(a Account) bool { return a.Agent == agent })
}

// Continue has accounts tried again that are used up, and gives the queue its budget once more. It
// reports whether anything waited for that. While a task runs, its session may have met a limit that is not recorded
// yet, so the answer is recorded then as well.
func (q *Queue) Continue(ctx context.Context, by core.Actor) (waited bool, err error) {
	s, err := q.Load()
	if err != nil {
		return false, err
	}
	waited = len(s.World.Accounts) > 0 || s.World.Over != ""
	if !waited && !slices.ContainsFunc(s.World.Items, Item.Running) {
		return false, nil
	}
	used := q.used(s.World)
	_, err = q.update(ctx, by, KindContinue, func(tx *store.Tx[Document]) (string, error) {
		d := &tx.World
		d.Accounts, d.Retried = nil, time.Now().UTC()
		if d.Over != "" {
			d.Over, d.Asked = "", used
		}
		return "", nil
	})
	return waited, err
}

// keepClaims records accounts that are free again, and a budget that is used up. It reports whether there
// was anything to record.
func (q *Queue) keepClaims(ctx context.Context, l Limits, d Document) (moved bool, err error) {
	for _, a := range d.Accounts {
		if a.Until.After(l.Now) {
			continue
		}
		_, err := q.update(ctx, project.FerrusActor(), KindAccountFree, func(tx *store.Tx[Document]) (string, error) {
			tx.World.Accounts = tx.World.withoutAccount(a.Agent)
			return "the account of " + a.Agent + " is free again", nil
		})
		return true, err
	}
	over := ""
	if l.Budget != (core.Amount{}) {
		over = overBudget(q.used(d), d.Asked, l.Budget)
	}
	if (over == "") == (d.Over == "") {
		return false, nil
	}
	_, err = q.update(ctx, project.FerrusActor(), KindBudget, func(tx *store.Tx[Document]) (string, error) {
		if tx.World.Over = over; over == "" {
			return "the queue is within its budget", nil
		}
		return over, nil
	})
	return true, err
}

// overBudget says that the queue has used more than it may since you were last asked; empty: it has
// not.
func overBudget(used, asked, limit core.Amount) string {
	switch {
	case limit.Tokens > 0 && used.Tokens-asked.Tokens > limit.Tokens:
		return fmt.Sprintf("the queue has used %s tokens", core.FormatCount(used.Tokens))
	case limit.Cost > 0 && used.Cost-asked.Cost > limit.Cost:
		return fmt.Sprintf("the queue has used $%.2f", used.Cost)
	}
	return ""
}

// claims are what the items hold that have their turn.
type claims struct {
	tasks    int            // on this machine
	full     string         // why none gets its turn on it; empty: there is room
	remote   map[string]int // on workers, by their names
	ending   int            // ended items that still have a running process
	sessions map[string]int // by agent
	here     int            // the number of the item in your checkout; 0: there is none
	touches  []Item         // that have their turn, and say what they touch
}

// claim adds up what the items hold.
func (f *facts) claim(d *Document) {
	c := claims{sessions: map[string]int{}, remote: map[string]int{}}
	for _, i := range d.Items {
		switch {
		case i.State == queue.StateCancelled && i.Dir != "" && f.Lives != nil && f.Lives(i.Dir):
			c.ending++
		case i.State != queue.StateRunning:
			continue
		case i.Worker != "":
			c.remote[i.Worker]++
		default:
			if c.tasks++; i.Dir == "" {
				c.here = i.N
			}
		}
		if i.Running() && len(i.Touches) > 0 {
			c.touches = append(c.touches, i)
		}
		for _, agent := range f.agents(i) {
			c.sessions[agent]++
		}
	}
	switch limit := max(f.Parallel, 1); {
	case c.tasks == 1 && limit == 1:
		c.full = "another task is running"
	case c.tasks >= limit:
		c.full = fmt.Sprintf("%d of %d tasks are running", c.tasks, limit)
	case c.tasks+c.ending >= limit:
		c.full = "a cancelled task is still ending"
	}
	f.claimed = c
}

// agents returns the agents of an item, without doubles, the executor's first.
func (f *facts) agents(i Item) []string {
	all := f.Limits.Agents
	if i.State == queue.StateRunning && i.Agents != nil {
		all = i.Agents
	}
	if i.Adopted != nil && i.Adopted.Agent != "" && len(all) > 1 {
		all = []string{i.Adopted.Agent, all[1]}
	}
	if w := f.worldOf(i); w != nil && w.Pinned() != nil {
		pin := w.Pinned()
		all = []string{pin.Of(machine.Executor).Agent, pin.Of(machine.Supervisor).Agent}
	}
	if len(all) == 2 && all[0] == all[1] {
		return all[:1]
	}
	return all
}

// nextAgent returns the agent whose session is the next that an item needs; empty: unknown.
func (f *facts) nextAgent(i Item) string {
	all := f.agents(i)
	w := f.worldOf(i)
	if w != nil && len(all) > 1 && (w.State == task.Reviewing ||
		w.State == task.Consultation && (w.Consult == nil || !w.Consult.Answered)) {
		return all[1]
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// usedUp says that the account that an item needs is used up, or the budget of the queue; empty:
// neither is.
func (f *facts) usedUp(d *Document, i Item) (account, budget string) {
	usedUp := func(agent string) bool { _, ok := d.Account(agent, f.Now); return ok }
	next := f.nextAgent(i)
	if a, ok := d.Account(next, f.Now); ok && !slices.ContainsFunc(f.fallback(i, next), func(other string) bool {
		return other != next && !usedUp(other)
	}) {
		account = a.Words(f.Now)
	}
	return account, d.Over
}

// fallback returns the agents that an item may continue with where the next one has hit its usage limit.
func (f *facts) fallback(i Item, next string) []string {
	var pin *core.Pin
	if w := f.worldOf(i); w != nil {
		pin = w.Pinned()
	}
	switch {
	case pin == nil:
		return f.Limits.Fallback
	case pin.Executor.Agent == next:
		return pin.Executor.Fallback
	}
	return pin.Supervisor.Fallback
}

// slot returns which limit of tasks or of sessions an item has to wait for; empty: none.
func (f *facts) slot(i Item, apart bool) string {
	c := &f.claimed
	switch {
	case apart && f.worker != "":
	case len(i.Needs) > 0:
		return "waits for a worker with " + strings.Join(i.Needs, ", ")
	case !apart && c.here != 0:
		return fmt.Sprintf("#%d is running in your checkout", c.here)
	case c.full != "":
		return c.full
	}
	for _, agent := range f.agents(i) {
		if most := f.Sessions[agent]; most > 0 && c.sessions[agent] >= most {
			return fmt.Sprintf("%d of %s", c.sessions[agent], text.Count(most, agent+" session"))
		}
	}
	return ""
}

// touched says which running item touches what an item touches; empty: none.
func (f *facts) touched(i Item) string {
	for _, other := range f.claimed.touches {
		if other.N != i.N && bothTouch(i.Touches, other.Touches) {
			return "touches the same files as " + other.Name()
		}
	}
	return ""
}
