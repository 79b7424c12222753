package conductor

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// usageLedger adds up what the ended sessions of the task used. The loop owns it.
type usageLedger struct {
	project *project.Task
	notices *notices
	task    string // its id
	read    bool   // ended and used are up to date with sessions.jsonl
	ended   []project.Ended
	used    core.TaskUsage
	owed    []project.Ended // not written to disk yet
}

// add records how a session ended and what it used.
func (u *usageLedger) add(entry project.SessionRecord, exit agent.Exit) {
	at := exit.Ended
	if at.IsZero() {
		at = time.Now()
	}
	u.owed = append(u.owed, entry.EndedNow(at, reportedUsage(exit.Usage)))
	u.read = false
	u.flush()
}

// addLost records a session whose conductor died before it could. Its host may know how it
// ended.
func (u *usageLedger) addLost(entry project.SessionRecord) {
	var exit agent.Exit
	record, ok, err := session.ReadRecord(u.project, entry.Slot)
	u.notices.addErrorOnce(err)
	if ok && record.Session == entry.Session && record.Exit != nil {
		exit = record.Exit.Exit()
	}
	u.add(entry, exit)
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

// flush writes what is owed to disk. What fails is tried again on the next turn.
func (u *usageLedger) flush() {
	for len(u.owed) > 0 {
		if err := u.project.AddEnded(u.owed[0]); err != nil {
			u.notices.addOnce(err.Error())
			return
		}
		u.owed = u.owed[1:]
	}
}

// count reads what the sessions of a task used, if that has changed.
func (u *usageLedger) count(of *core.Task) {
	task := ""
	if of != nil {
		task = of.ID
	}
	if u.read && u.task == task {
		return
	}
	u.task, u.read, u.ended = task, true, nil
	if task != "" {
		ended, err := u.project.Ended(task)
		u.notices.addErrorOnce(err)
		u.ended = ended
	}
	for _, e := range u.owed {
		if e.Task == task && task != "" {
			u.ended = append(u.ended, e)
		}
	}
	u.used = project.SumUsage(u.ended)
}

// reconcile puts the task on hold when its usage is over a limit.
func (u *usageLedger) reconcile(o *observed, lim core.Amount) {
	u.flush()
	u.count(o.world().Task)
	spent := u.used.Total
	reason := o.world().OverLimit(spent, lim)
	if reason == "" {
		return
	}
	because, limit := describeOverdraft(reason, spent, lim)
	hold := core.Command{
		Kind: core.KindHold, Text: reason, Cause: because,
		Used: &core.Amount{Tokens: spent.Tokens(), Cost: spent.Cost},
	}
	if o.do(hold) {
		u.notices.add(true, "%s; resume lets it use %s more before you are asked again", because, limit)
	}
}

// describeOverdraft returns a sentence about a passed limit, and the limit.
func describeOverdraft(reason string, s core.UsageTotal, lim core.Amount) (words, limit string) {
	used, limit := fmt.Sprintf("%d tokens", s.Tokens()), fmt.Sprint(lim.Tokens)
	if reason == core.HoldCost {
		used, limit = fmt.Sprintf("$%.2f", s.Cost), fmt.Sprintf("$%.2f", lim.Cost)
	}
	return "the task has used " + used, limit
}
