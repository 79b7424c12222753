package conductor_test

import (
	"slices"
	"strings"
	"testing"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/hqtest"
	"ferrus/hq/scheduler"
)

// A usage limit parks the account: what waits for it says so, the inbox has one line, no other session
// begins on it, also after a restart, and /resume has all of them continue.
func TestALimitParksTheAccount(t *testing.T) {
	s := newSpenders(t, "limited", "max_parallel_tasks = 2\nmin_free_memory_mb = 0")
	s.edit("[hq.supervisor]", "[hq]\nworkspace = \"worktree\"\n[hq.supervisor]")
	s.add("One", "Two", "Three")
	c := s.schedule()
	name := metered().Name()
	why := name + " has hit its usage limit; ferrus tries again at "
	usedUp := func(v conductor.View) bool {
		for _, r := range v.Tasks {
			if r.N < 3 && !strings.HasPrefix(r.Why, why) {
				return false
			}
		}
		return len(v.Tasks) == 3 && len(v.Accounts) == 1
	}
	v := s.wait(c, "an account that is used up", usedUp)
	lines := 0
	for _, i := range v.Inbox() {
		if i.Kind == advice.ItemLimit {
			lines++
		}
	}
	if lines != 1 {
		t.Errorf("the inbox has %d lines: %+v", lines, v.Inbox())
	}
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		s.waitParked(c, dir)
	}
	if err := c.Detach(); err != nil {
		t.Fatal(err)
	}
	s.play("work")
	c = s.schedule()
	defer s.close(c, false)
	s.wait(c, "the same account", usedUp)
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a free account", func(v conductor.View) bool { return len(v.Accounts) == 0 })
	s.wait(c, "a task that is done", func(v conductor.View) bool {
		return strings.Contains(rows(v), "Reviewing") || strings.Contains(rows(v), "Complete")
	})
}

// A task whose account another one has used up continues with its fallback, too, and so does one that starts.
func TestAUsedUpAccountHasAFallback(t *testing.T) {
	s := newSpenders(t, "limited", "max_parallel_tasks = 2\nmin_free_memory_mb = 0")
	s.write("limit", "3 hours")
	s.edit("[hq.supervisor]", "[hq]\nworkspace = \"worktree\"\n[hq.supervisor]")
	s.edit("[hq.executor]", "[hq.executor]\nfallback = [\"actor\"]")
	s.add("One")
	c := s.schedule()
	defer s.close(c, false)
	s.wait(c, "an account that is used up", func(v conductor.View) bool { return len(v.Accounts) == 1 })
	s.play("work")
	s.add("Two")
	s.wait(c, "both submissions", rowsAre("#1 Running Reviewing, #2 Running Reviewing"))
	for _, dir := range []string{"t-1-one", "t-2-two"} {
		if agent := hqtest.World(t, c.Task(dir).Project).Task.Pin.Executor.Agent; agent != "actor" {
			t.Errorf("the executor of %s is %s, want actor", dir, agent)
		}
	}
}

// An answer without HQ has the sessions of all tasks begin again, not only those of the task that it names.
func TestResumeAllTasksWithoutAConductor(t *testing.T) {
	s := newSpenders(t, "limited", "min_free_memory_mb = 0")
	s.edit("[hq.supervisor]", "[hq]\nworkspace = \"worktree\"\n[hq.supervisor]")
	s.add("One")
	c := s.schedule()
	s.wait(c, "an account that is used up", func(v conductor.View) bool { return len(v.Accounts) == 1 })
	s.waitParked(c, "t-1-one")
	if err := c.Detach(); err != nil {
		t.Fatal(err)
	}
	s.play("work")
	if waited, err := conductor.ResumeAll(t.Context(), s.p); !waited || err != nil {
		t.Fatalf("ResumeAll: %v, %v; want that something waited", waited, err)
	}
	c = s.schedule()
	defer s.close(c, false)
	s.wait(c, "a task that is done", func(v conductor.View) bool {
		return strings.Contains(rows(v), "Reviewing") || strings.Contains(rows(v), "Complete")
	})
}

// waitParked returns when each session that a task has begun has met its limit, as far as its conductor knows: one
// that ends while there is no conductor would meet it afterwards.
func (s *fixture) waitParked(c *scheduler.Scheduler, dir string) {
	s.Helper()
	s.wait(c, "its conductor", func(conductor.View) bool { return c.Task(dir) != nil })
	s.wait(c.Task(dir), "no session", func(v conductor.View) bool {
		return !slices.ContainsFunc(v.Panes, func(p conductor.PaneView) bool { return p.Limit == "" })
	})
}
