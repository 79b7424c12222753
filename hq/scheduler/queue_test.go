package scheduler

import (
	"errors"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/hqtest"
	"ferrus/hq/queue"
)

// A look at the queue that failed is not repeated at once: its cause may last.
func TestAFailedLookWaits(t *testing.T) {
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, agent.Names()...)
	c, err := conductor.Start(t.Context(), p, conductor.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(false) //nolint:errcheck // its project goes with the test
	seen := queueFacts{begun: 7}
	q := taskQueue{main: c, running: true}
	q.seen = seen
	c.Loop.Ask(func() { q.finished(found{record: &queue.Queue{}}, errors.New("the disk is full")) })
	if q.running || q.seen != seen || q.again == nil || q.record != nil {
		t.Errorf("after an error: %v, %v, %v", q.running, q.again, q.record)
	}
	first := q.again
	q.lookAgain(time.Hour)
	if q.again != first {
		t.Error("a later look takes the place of an earlier one")
	}
	first.Stop()
}

// A task whose worktree is being made says in the list what is copied.
func TestARowSaysWhatIsCopied(t *testing.T) {
	q := taskQueue{tasks: &tasks{}, begin: map[int]string{4: ""},
		rows: []queue.Row{{Item: queue.Item{N: 4}, Why: "is starting"}}}
	q.copied(4, "node_modules", 512)
	q.copied(5, "node_modules", 512) // it has begun meanwhile
	if got := q.shown()[0].Why; got != "copied 512 files of node_modules" {
		t.Errorf("it says %q", got)
	}
	if len(q.begin) != 1 || q.rows[0].Why != "is starting" {
		t.Errorf("kept: %v, %+v", q.begin, q.rows)
	}
}

// What the sessions of a task need of you is not in its state.
func TestWhatSessionsNeedIsInTheRow(t *testing.T) {
	for _, c := range []struct {
		v    conductor.View
		want string
	}{
		{conductor.View{}, ""},
		{conductor.View{Hosts: []advice.AskedHost{{Host: "one.test", By: "executor:x:1"}}},
			"executor:x:1 wants to reach one.test, which is not allowed in the sandbox"},
		{conductor.View{ConfigError: "no"}, ""}, // of the whole project
	} {
		if got := c.v.SessionsNeed(); got != c.want {
			t.Errorf("it needs %q, want %q", got, c.want)
		}
	}
}

// The first task that needs you is selected, also where the conductor of a later one has started before its own.
func TestASlowTaskIsSelected(t *testing.T) {
	first, second := &conductor.Conductor{}, &conductor.Conductor{}
	all := &tasks{all: map[string]*conductor.Conductor{"t-2": second}, starting: map[string]bool{"t-1": true}}
	s := Select(&Scheduler{Conductor: &conductor.Conductor{}, tasks: all})
	var v conductor.View
	v.Tasks = []queue.Row{{Item: queue.Item{Dir: "t-1"}, Needs: true}, {Item: queue.Item{Dir: "t-2"}, Needs: true}}
	if got := s.taskIn(v); got != s.Conductor {
		t.Errorf("while the first starts, the second is selected: %v", got == second)
	}
	all.starting, all.all["t-1"] = nil, first
	if got := s.taskIn(v); got != first {
		t.Error("then the first is not selected")
	}
	other := Select(s.Scheduler)
	delete(all.all, "t-1") // it could not be started
	if got := other.taskIn(v); got != second {
		t.Error("where the first cannot be started, the second is not selected")
	}
}
