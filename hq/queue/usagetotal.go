package queue

import (
	"os"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// usageTotal is what the sessions of a task used, as its file had it.
type usageTotal struct {
	size    int64
	written time.Time
	amount  core.Amount
}

// used returns what the tasks of the queue have used. A file that cannot be read counts as at
// the last time.
func (q *Queue) used(d Document) core.Amount {
	sum := d.Spent
	for _, i := range d.Items {
		a := q.usedBy(i)
		sum.Tokens, sum.Cost = sum.Tokens+a.Tokens, sum.Cost+a.Cost
	}
	return sum
}

// usedBy returns what the sessions of an item's task used.
func (q *Queue) usedBy(i Item) core.Amount {
	if i.Task == "" {
		return core.Amount{}
	}
	of, err := q.Task(i)
	if err != nil {
		return core.Amount{}
	}
	info, err := os.Stat(of.Store.Path(project.EndedFile))
	q.mu.Lock()
	known := q.spent[i.N]
	q.mu.Unlock()
	if err != nil || info.Size() == known.size && info.ModTime().Equal(known.written) {
		return known.amount
	}
	ended, err := of.Ended(i.Task)
	if err != nil {
		return known.amount
	}
	total := project.SumUsage(ended).Total
	now := usageTotal{info.Size(), info.ModTime(), core.Amount{Tokens: total.Tokens(), Cost: total.Cost}}
	q.mu.Lock()
	q.spent[i.N] = now
	q.mu.Unlock()
	return now.amount
}
