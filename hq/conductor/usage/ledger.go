// Package usage adds up what the sessions of a task use: tokens and money, as reported by the sessions that have
// ended ([Ledger]), and disk space for their private homes and caches ([Disk]).
//
// It records usage below .ferrus and reports when a task exceeds its limits. The caller puts the task on hold.
package usage

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// Ledger adds up what the ended sessions of the task used. One goroutine uses it.
type Ledger struct {
	Project *project.Task
	Notices *notice.List    // gets what cannot be read or written
	Ended   []project.Ended // the sessions of the task that [Ledger.Count] counted, oldest first
	Used    core.TaskUsage  // what they used

	task string          // its id
	read bool            // Ended and Used are up to date with sessions.jsonl
	owed []project.Ended // not written to disk yet
}

// Add records how a session ended and what it used.
func (u *Ledger) Add(entry project.SessionRecord, exit agent.Exit) {
	at := exit.Ended
	if at.IsZero() {
		at = time.Now()
	}
	u.owed = append(u.owed, entry.EndedNow(at, reportedUsage(exit.Usage)))
	u.read = false
	u.Flush()
}

// AddLost records a session whose conductor died before it could. Its host may know how it
// ended.
func (u *Ledger) AddLost(entry project.SessionRecord) {
	var exit agent.Exit
	record, ok, err := session.ReadRecord(u.Project, entry.Slot)
	u.Notices.AddErrorOnce(err)
	if ok && record.Session == entry.Session && record.Exit != nil {
		exit = record.Exit.Exit()
	}
	u.Add(entry, exit)
}

// reportedUsage returns the usage that an agent reported; nil: it reported none.
func reportedUsage(u agent.Usage) *core.Usage {
	if !u.Known && !u.Priced {
		return nil
	}
	used := core.Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Silent: !u.Known}
	if u.Priced {
		used.Cost = &u.Cost
	}
	return &used
}

// Flush writes what is owed to disk. What fails is tried again on the next turn.
func (u *Ledger) Flush() {
	for len(u.owed) > 0 {
		if err := u.Project.AddEnded(u.owed[0]); err != nil {
			u.Notices.AddOnce(err.Error())
			return
		}
		u.owed = u.owed[1:]
	}
}

// Count reads what the sessions of a task used, if that has changed.
func (u *Ledger) Count(of *core.Task) {
	task := ""
	if of != nil {
		task = of.ID
	}
	if u.read && u.task == task {
		return
	}
	u.task, u.read, u.Ended = task, true, nil
	if task != "" {
		ended, err := u.Project.Ended(task)
		u.Notices.AddErrorOnce(err)
		u.Ended = ended
	}
	for _, e := range u.owed {
		if e.Task == task && task != "" {
			u.Ended = append(u.Ended, e)
		}
	}
	u.Used = project.SumUsage(u.Ended)
}

// Overdraft returns the hold of a task whose usage is over a limit, and what to say of it once the task is on hold;
// nil: it is within its limits.
func (u *Ledger) Overdraft(w *core.World, limits core.Amount) (hold *core.Command, words string) {
	spent := u.Used.Total
	reason := w.OverLimit(spent, limits)
	if reason == "" {
		return nil, ""
	}
	because, limit := describeOverdraft(reason, spent, limits)
	return &core.Command{
		Kind: core.KindHold, Text: reason, Cause: because,
		Used: &core.Amount{Tokens: spent.Tokens(), Cost: spent.Cost},
	}, fmt.Sprintf("%s; resume lets it use %s more before you are asked again", because, limit)
}

// describeOverdraft returns a sentence about a passed limit, and the limit.
func describeOverdraft(reason string, s core.UsageTotal, lim core.Amount) (words, limit string) {
	used, limit := fmt.Sprintf("%d tokens", s.Tokens()), fmt.Sprint(lim.Tokens)
	if reason == core.HoldCost {
		used, limit = fmt.Sprintf("$%.2f", s.Cost), fmt.Sprintf("$%.2f", lim.Cost)
	}
	return "the task has used " + used, limit
}
