package accounts

import (
	"fmt"
	"testing"
	"time"

	"ferrus/hq/queue"
)

// After a usage limit, one session begins at a time: the first shows whether it is over.
func TestSessionsBeginOneByOneAfterALimit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c := &Limits{}
	if wait := c.Wait("codex", now); wait != 0 {
		t.Errorf("without a limit the wait is %v, want 0", wait)
	}
	until := now.Add(time.Hour)
	if a := (queue.Account{Agent: "codex", Until: until}); !c.Report(a) || c.Report(a) {
		t.Error("the same limit is new twice, or never")
	}
	if wait := c.Wait("codex", now); wait != time.Hour {
		t.Errorf("after the report the wait is %v, want an hour", wait)
	}
	c.Follow(queue.Document{Accounts: []queue.Account{{Agent: "codex", Until: until}}})
	if wait, other := c.Wait("codex", now), c.Wait("other", now); wait != time.Hour || other != 0 {
		t.Errorf("after the record the waits are %v and %v, want an hour and 0", wait, other)
	}
	c.Follow(queue.Document{})
	var waits []time.Duration
	for range 3 {
		waits = append(waits, c.Wait("codex", until))
	}
	if got := fmt.Sprint(waits, c.Wait("codex", until.Add(time.Minute))); got != "[0s 5s 5s] 0s" {
		t.Errorf("afterwards the waits are %s, want one session at a time", got)
	}
	c.Follow(queue.Document{Over: "the queue has used 5 tokens"})
	if c.Wait("other", now) == 0 {
		t.Error("a session begins beyond the budget")
	}
}

// A limit that a session met before the human had the accounts tried again, and that is not recorded yet, ends.
func TestALimitFromBefore(t *testing.T) {
	t.Parallel()
	l, met := &Limits{}, time.Now()
	before := queue.Account{Agent: "codex", Since: met, Until: met.Add(time.Hour)}
	after := queue.Account{Agent: "claude-code", Since: met.Add(2), Until: met.Add(time.Hour)}
	if !l.Report(before) || !l.Report(after) {
		t.Error("the limits are not new")
	}
	freed := l.Follow(queue.Document{Retried: met.Add(1)})
	if got := fmt.Sprint(freed, l.Unrecorded()); got != fmt.Sprint([]string{"codex"}, []queue.Account{after}) {
		t.Errorf("freed, and still to record: %s; want codex, and %v", got, after)
	}
	if !l.IsRetried(before) || l.IsRetried(after) {
		t.Error("it is not only the limit from before that you had tried again")
	}
}
