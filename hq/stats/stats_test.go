package stats

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"ferrus/checks"
	"ferrus/checks/testnames"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// entry returns an entry of a journal, so many minutes after noon.
func entry(minute int, event machine.Kind, to machine.State, data string) store.Entry {
	return store.Entry{At: noon.Add(time.Duration(minute) * time.Minute), Event: string(event), To: string(to),
		Data: json.RawMessage(data)}
}

// history returns a task whose first gate fails, and a second one passes on the same
// tree. It is rejected once, asks you once, and lands.
func history() []store.Entry {
	return []store.Entry{
		entry(0, core.KindCreateTask, task.Executing, `{"task":{"pin":{"executor":{"agent":"codex","model":"m"},`+
			`"supervisor":{"agent":"claude-code"}}}}`),
		entry(10, core.KindCheck, task.Checking, `{"gate":{"ticket":2,"verdict":null}}`),
		entry(11, core.KindChecked, task.Addressing, `{"gate":{"verdict":"FAIL","tree":"aa"}}`),
		entry(11, core.KindCheck, task.Checking, `{"gate":{"ticket":4}}`),
		entry(13, core.KindChecked, task.Checking, `{"gate":{"verdict":"PASS","tree":"aa"}}`),
		entry(13, core.KindAskHuman, task.AwaitingHuman, `{}`),
		entry(43, core.KindAnswer, task.Checking, `{}`),
		entry(43, core.KindSubmit, task.Reviewing, `{}`),
		entry(48, core.KindReject, task.Addressing, `{}`),
		entry(40, core.KindSubmit, task.Reviewing, `{}`), // the clock went back
		entry(50, core.KindApprove, task.Complete, `{}`),
		entry(90, core.KindLanded, task.Complete, `{"task":{"landed":{"commit":"c"}}}`),
	}
}

func TestReadCountsWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	got := Read("t-1", history())
	if got.State != task.Complete || !got.Landed || got.Gates != 2 || *got.FirstGreen || got.Flaky.Gates != 1 ||
		got.Rejections != 1 || got.Asked != 1 {
		t.Errorf("got %+v", got)
	}
	if a := got.Agents[machine.Executor]; a.String() != "codex m" {
		t.Errorf("the executor is %q", a)
	}
	for state, minutes := range map[machine.State]float64{task.Executing: 10, task.Checking: 3,
		task.AwaitingHuman: 30, task.Reviewing: 7, task.Addressing: 0, task.Complete: 40} {
		if got.In[state].Minutes() != minutes {
			t.Errorf("%s took %v, not %v minutes", state, got.In[state], minutes)
		}
	}
	if got.Began != noon || got.Ended != noon.Add(90*time.Minute) {
		t.Errorf("from %v to %v", got.Began, got.Ended)
	}
}

// A gate that was cancelled, and one that has no verdict yet, say nothing of the work.
func TestACancelledGateIsNotTheFirst(t *testing.T) {
	t.Parallel()
	got := Read("t-1", []store.Entry{
		entry(0, core.KindChecked, task.Executing, `{"gate":{"verdict":"UNPROVEN","tree":"aa"}}`),
		entry(1, core.KindChecked, task.Checking, `{"gate":{"verdict":"PASS","tree":"aa"}}`),
	})
	if got.Gates != 1 || got.FirstGreen == nil || !*got.FirstGreen || got.Flaky.Gates != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestSumAddsUpByAgent(t *testing.T) {
	t.Parallel()
	first, second := Read("t-1", history()), Read("t-2", history()[:3])
	second.Agents[machine.Executor] = Agent{Name: "qwen-code"}
	price := 0.5
	sessions := []Session{
		{Agent: Agent{"codex", "m"}, Role: machine.Executor, Ended: noon, Usage: &core.Usage{Input: 10, Output: 5}},
		{Agent: Agent{"claude-code", ""}, Role: machine.Supervisor, Ended: noon, Usage: &core.Usage{Cost: &price}},
		{Agent: Agent{"opencode", ""}, Role: machine.Executor, Ended: noon.AddDate(0, -1, 0)},
	}
	r := Sum([]Task{first, second}, sessions, noon.Add(-time.Hour), noon.AddDate(0, 0, 8))
	if r.Tasks != 2 || r.Complete != 1 || r.Landed != 1 || r.Gates != 3 || r.Checked != 2 || r.FirstGreen != 0 {
		t.Errorf("got %+v", r.Sums)
	}
	if _, counted := r.Seconds[task.Complete]; counted || r.Seconds[task.Executing] != 20*60 {
		t.Errorf("got %v", r.Seconds)
	}
	if r.CostPerLanded == nil || *r.CostPerLanded != 0.5 {
		t.Errorf("a landed task cost %v", r.CostPerLanded)
	}
	for _, row := range r.Rows { // the executors reported no cost
		if cost := row.CostPerLanded; (cost != nil) != (row.Name == "claude-code") || cost != nil && *cost != 0.5 {
			t.Errorf("a task that %s landed cost %v", row.Agent, cost)
		}
	}
	var rows string
	for _, row := range r.Rows {
		rows += fmt.Sprintf("%s %s %d %d; ", row.Role, row.Agent, row.Tasks, row.Used.Sessions)
	}
	if want := "executor codex m 1 1; executor qwen-code 1 0; supervisor claude-code 2 1; "; rows != want {
		t.Errorf("got  %s\nwant %s", rows, want)
	}
	if r.Weeks[len(r.Weeks)-2] != 2 {
		t.Errorf("by week %v", r.Weeks)
	}
	if r := Sum([]Task{first}, sessions, noon.Add(time.Hour), noon); r.Tasks != 0 || len(r.Rows) != 0 {
		t.Errorf("tasks from before: %+v", r)
	}
}

// A test is flaky if it passed and failed on one tree by one command, and only then.
func TestFlakyTests(t *testing.T) {
	t.Parallel()
	gate := func(tree, command string, names testnames.Set) checks.Record {
		return checks.Record{Tree: checks.Tree{Hash: tree}, Commands: []checks.Result{{Command: command, Names: names}}}
	}
	got := FlakyTests([]checks.Record{
		gate("aa", "test", testnames.Set{"b": "fail", "a": "fail", "c": "pass", "d": "fail", "s": "skip"}),
		gate("aa", "test", testnames.Set{"b": "pass", "a": "pass", "c": "pass", "d": "fail", "s": "pass"}),
		gate("bb", "test", testnames.Set{"d": "pass", "c": "fail"}), // repaired, and broken
		gate("aa", "other", testnames.Set{"c": "fail"}),
		gate("", "test", testnames.Set{"c": "fail"}), gate("", "test", testnames.Set{"c": "pass"}),
	})
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %v", got)
	}
	one, two := history(), Read("t-2", history())
	first := Read("t-1", one)
	first.Flaky.Tests, two.Flaky.Tests = []string{"a", "b"}, []string{"b"}
	r := Sum([]Task{first, two}, nil, time.Time{}, noon)
	if names := r.FlakyNames(); !slices.Equal(names, []string{"b", "a"}) || r.FlakyTests["b"] != 2 {
		t.Errorf("got %v, %v", names, r.FlakyTests)
	}
}
