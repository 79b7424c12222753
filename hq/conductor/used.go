package conductor

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// account is what the sessions of the task in hand used that have ended.
type account struct {
	task     string // that it is of
	read     bool   // the rest is as sessions.jsonl has it
	sessions []project.Ended
	used     core.TaskUsage
	owed     []project.Ended // that could not be written down yet
}

// note keeps how a session ended and what it used.
func (c *Conductor) note(entry project.Entry, exit agent.Exit) {
	at := exit.Ended
	if at.IsZero() {
		at = time.Now()
	}
	c.account.owed = append(c.account.owed, entry.EndedNow(at, reported(exit.Usage)))
	c.account.read = false
	c.pay()
}

// reported is what an agent said of its use; nil when it said nothing.
func reported(u agent.Usage) *core.Usage {
	if !u.Known && !u.Priced {
		return nil
	}
	used := core.Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Silent: !u.Known}
	if u.Priced {
		used.Cost = &u.Cost
	}
	return &used
}

// pay writes down what is owed. What the disk does not take is tried again.
func (c *Conductor) pay() {
	for len(c.account.owed) > 0 {
		if err := c.project.AddEnded(c.account.owed[0]); err != nil {
			c.once(err.Error())
			return
		}
		c.account.owed = c.account.owed[1:]
	}
}

// lost notes a session that a dead conductor could not: its host may know how it
// ended.
func (c *Conductor) lost(entry project.Entry) {
	var exit agent.Exit
	record, ok, err := Record(c.project, entry.Slot)
	if err != nil {
		c.once(err.Error())
	}
	if ok && record.Session == entry.Session && record.Exit != nil {
		exit = record.Exit.Exit()
	}
	c.note(entry, exit)
}

// settleUse adds up what the task has used and holds it where that is over a limit.
func (c *Conductor) settleUse() {
	c.pay()
	c.count()
	lim := core.Amount{Tokens: c.config.Limits.MaxTaskTokens, Cost: c.config.Limits.MaxTaskCost}
	spent := c.account.used.Total
	reason := c.state.World.OverLimit(spent, lim)
	if reason == "" {
		return
	}
	because, limit := overdrawn(reason, spent, lim)
	if c.ferrus(core.Command{Kind: "hold", Text: reason, Because: because, Used: &core.Amount{Tokens: spent.Tokens(), Cost: spent.Cost}}) {
		c.notice(true, "%s; resume lets it use %s more before you are asked again", because, limit)
	}
}

// overdrawn words a limit that was passed, and the limit.
func overdrawn(reason string, s core.UsageTotal, lim core.Amount) (words, limit string) {
	used, limit := fmt.Sprintf("%d tokens", s.Tokens()), fmt.Sprint(lim.Tokens)
	if reason == core.HoldCost {
		used, limit = fmt.Sprintf("$%.2f", s.Cost), fmt.Sprintf("$%.2f", lim.Cost)
	}
	return "the task has used " + used, limit
}

// count reads what the sessions of the present task used, when there is something
// new.
func (c *Conductor) count() {
	a := &c.account
	task := ""
	if t := c.state.World.Task; t != nil {
		task = t.ID
	}
	if a.read && a.task == task {
		return
	}
	a.task, a.read, a.sessions = task, true, nil
	if task != "" {
		sessions, err := c.project.Ended(task)
		if err != nil {
			c.once(err.Error())
		}
		a.sessions = sessions
	}
	for _, e := range a.owed {
		if e.Task == task && task != "" {
			a.sessions = append(a.sessions, e)
		}
	}
	a.used = project.Tally(a.sessions)
}
