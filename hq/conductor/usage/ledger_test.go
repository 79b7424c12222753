package usage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/agent"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/task"
)

func record(id, task string) project.SessionRecord {
	return project.SessionRecord{Role: machine.Executor, Slot: core.SlotExecutor, Task: task, Session: id, Exit: "done"}
}

func newLedger(t *testing.T) *Ledger {
	return &Ledger{Project: hqtest.NewProject(t, nil), Notices: &notice.List{}}
}

// Only the open task's sessions count, and what they used is on disk.
func TestALedgerAddsUpTheOpenTask(t *testing.T) {
	t.Parallel()
	u := newLedger(t)
	used := agent.Usage{Input: 30, Output: 5, Cost: 0.25, Known: true, Priced: true}
	u.Add(record("aa", "t-1"), agent.Exit{Usage: used})
	u.Add(record("bb", "t-1"), agent.Exit{})
	u.Add(record("dd", "t-1"), agent.Exit{Usage: agent.Usage{Cost: 0.5, Priced: true}}) // only the price is known
	u.Add(record("cc", "t-2"), agent.Exit{Usage: agent.Usage{Input: 7, Known: true}})
	next := &Ledger{Project: u.Project, Notices: u.Notices}
	for _, ledger := range []*Ledger{u, next} {
		ledger.Count(&core.Task{ID: "t-1"})
		if s := ledger.Used.Total; s.Tokens() != 35 || s.Cost != 0.75 || s.Sessions != 3 || s.Silent != 2 {
			t.Errorf("t-1 used %+v, want 35 tokens for $0.75 in 3 sessions, 2 of them without tokens", s)
		}
	}
	u.Count(nil)
	if s := u.Used.Total; s.Sessions != 0 || len(u.Ended) != 0 {
		t.Errorf("without a task %+v was used, want nothing", s)
	}
}

// Sessions that cannot be recorded still count. They are recorded once that is possible.
func TestALedgerOwesWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	u := newLedger(t)
	file := filepath.Join(u.Project.Dir, ".ferrus", project.EndedFile)
	hqtest.Must(t, os.Mkdir(file, 0o700))
	for _, id := range []string{"aa", "bb"} {
		u.Add(record(id, "t-1"), agent.Exit{Usage: agent.Usage{Input: 15, Known: true}})
	}
	if len(u.Notices.All) != 1 || !u.Notices.All[0].Error {
		t.Errorf("the notices are %+v, want the error once", u.Notices.All)
	}
	u.Count(&core.Task{ID: "t-1"})
	if u.Used.Total.Tokens() != 30 {
		t.Errorf("the unrecorded sessions used %d tokens, want 30", u.Used.Total.Tokens())
	}
	hqtest.Must(t, os.Remove(file))
	u.Flush()
	if all, err := u.Project.Ended("t-1"); err != nil || len(all) != 2 || all[0].Session != "aa" {
		t.Errorf("the recorded sessions are %+v, %v; want aa and bb", all, err)
	}
}

func TestOverdraft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limits       core.Amount
		reason, says string // empty: within the limits
	}{
		{core.Amount{}, "", ""},
		{core.Amount{Tokens: 35, Cost: 0.25}, "", ""},
		{core.Amount{Tokens: 34}, core.HoldTokens, "the task has used 35 tokens; resume lets it use 34 more"},
		{core.Amount{Cost: 0.2}, core.HoldCost, "the task has used $0.25; resume lets it use $0.20 more"},
	} {
		var u Ledger
		cost := 0.25
		u.Used.Total.Add(&core.Usage{Input: 30, Output: 5, Cost: &cost})
		w := core.World{State: task.Executing, Task: &core.Task{ID: "t-1"}}
		hold, words := u.Overdraft(&w, c.limits)
		switch {
		case (hold != nil) != (c.reason != ""):
			t.Errorf("Overdraft with limits %+v = %+v, want the reason %q", c.limits, hold, c.reason)
		case hold != nil && (hold.Text != c.reason || hold.Used.Tokens != 35 || !strings.HasPrefix(words, c.says)):
			t.Errorf("Overdraft with limits %+v = %+v, %q; want %q after 35 tokens, and %q", c.limits, hold, words,
				c.reason, c.says)
		}
	}
}
