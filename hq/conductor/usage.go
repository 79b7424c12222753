package conductor

import (
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// usageLedger is what the sessions of the present task used that have ended.
type usageLedger struct {
	project *project.Project
	notices *notices
	task    string // that it is of
	read    bool   // the rest is as sessions.jsonl has it
	ended   []project.Ended
	used    core.TaskUsage
	owed    []project.Ended // that could not be written down yet
}

// add notes how a session ended and what it used.
func (u *usageLedger) add(entry project.SessionRecord, exit agent.Exit) {
	at := exit.Ended
	if at.IsZero() {
		at = time.Now()
	}
	u.owed = append(u.owed, entry.EndedNow(at, reportedUsage(exit.Usage)))
	u.read = false
	u.flush()
}

// addLost notes a session that a dead conductor could not: its host may know how it
// ended.
func (u *usageLedger) addLost(entry project.SessionRecord) {
	var exit agent.Exit
	record, ok, err := session.ReadRecord(u.project, entry.Slot)
	u.notices.onceIf(err)
	if ok && record.Session == entry.Session && record.Exit != nil {
		exit = record.Exit.Exit()
	}
	u.add(entry, exit)
}

// reportedUsage is what an agent said of its use; nil when it said nothing.
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

// flush writes down what is owed. What the disk does not take is tried again.
func (u *usageLedger) flush() {
	for len(u.owed) > 0 {
		if err := u.project.AddEnded(u.owed[0]); err != nil {
			u.notices.once(err.Error())
			return
		}
		u.owed = u.owed[1:]
	}
}

// count reads what the sessions of a task used, when there is something new.
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
		u.notices.onceIf(err)
		u.ended = ended
	}
	for _, e := range u.owed {
		if e.Task == task && task != "" {
			u.ended = append(u.ended, e)
		}
	}
	u.used = project.SumUsage(u.ended)
}

// reconcile adds up what the task has used and holds it where that is over a limit.
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
		Kind: core.KindHold, Text: reason, Because: because,
		Used: &core.Amount{Tokens: spent.Tokens(), Cost: spent.Cost},
	}
	if o.do(hold) {
		u.notices.add(true, "%s; resume lets it use %s more before you are asked again", because, limit)
	}
}

// describeOverdraft words a limit that was passed, and the limit.
func describeOverdraft(reason string, s core.UsageTotal, lim core.Amount) (words, limit string) {
	used, limit := fmt.Sprintf("%d tokens", s.Tokens()), fmt.Sprint(lim.Tokens)
	if reason == core.HoldCost {
		used, limit = fmt.Sprintf("$%.2f", s.Cost), fmt.Sprintf("$%.2f", lim.Cost)
	}
	return "the task has used " + used, limit
}
