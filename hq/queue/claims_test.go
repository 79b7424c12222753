package queue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
)

const threeAtATime = "[hq]\nworkspace = \"worktree\"\n[limits]\nmax_parallel_tasks = 3\n"

// reconcileAt reconciles at the given time.
func (f *fixture) reconcileAt(now time.Time) {
	f.Helper()
	for {
		c := f.conditions()
		c.Now = now
		begin, err := f.q.Reconcile(f.Context(), c)
		f.ok(err)
		if len(begin) == 0 {
			return
		}
		f.ok(f.q.Start(f.Context(), begin[0]))
	}
}

// Two tasks that are expected to change the same files do not run at the same time.
func TestWhatTouchesTheSameWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	_, err := f.q.Add(t.Context(), project.HumanActor(), []queue.New{
		{Text: "# A", Touches: []string{"fetch/*.go", "README.md"}}, {Text: "# B", Touches: []string{"fetch/retry.go"}},
		{Text: "# C", Touches: []string{"cache"}}, {Text: "# D"}})
	f.ok(err)
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Queued: touches the same files as #1", "#3 Running: Executing",
		"#4 Running: Executing")
	hqtest.Do(t, f.task(1), core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing", "#3 Running: Executing", "#4 Running: Executing")
	_, err = f.q.Add(t.Context(), project.HumanActor(), []queue.New{{Text: "# E", Touches: []string{"../x"}}})
	f.refused(err, `"../x" is not a file or a pattern inside the project`)
	touches := []string{"a["}
	f.refused(f.q.Edit(t.Context(), project.HumanActor(), 2, queue.Changes{Touches: &touches}), "#2 touches", "a[")
}

// Neither do they if workers run them: the touched files and the sessions of an agent count wherever a task runs.
func TestTasksOnWorkersAreLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime+"[agent.two]\nmax_sessions = 2\n")
	f.conduct()
	_, err := f.q.Add(t.Context(), project.HumanActor(), []queue.New{
		{Text: "# A", Touches: []string{"fetch"}}, {Text: "# B", Touches: []string{"fetch/retry.go"}},
		{Text: "# C"}, {Text: "# D"}})
	f.ok(err)
	c := f.conditions()
	c.Workers = []queue.Worker{{Name: "big", Slots: 4, Free: true}}
	begin, err := f.q.Reconcile(t.Context(), c)
	f.ok(err)
	if len(begin) != 2 || begin[0].Worker != "big" || begin[1].N != 3 || begin[1].Worker != "big" {
		t.Errorf("%+v start, want #1 and #3 on big", begin)
	}
	rows, err := f.q.Rows(c)
	f.ok(err)
	for n, why := range map[int]string{2: "touches the same files as #1", 4: "2 of 2 two sessions"} {
		if got := rows[n-1]; got.State != "Queued" || got.Why != why {
			t.Errorf("#%d is %s: %q; want it to wait because it %q", n, got.State, got.Why, why)
		}
	}
}

// A conversation that a task adopted is kept on this machine, and so are the sessions that continue it.
func TestAnAdoptedConversationStaysHere(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	_, err := f.q.Add(t.Context(), project.HumanActor(), []queue.New{
		{Text: "# A", Adopted: &core.Adopted{Dir: "/a", Agent: "one", Conversation: "c"}},
		{Text: "# B", Adopted: &core.Adopted{Dir: "/b"}}})
	f.ok(err)
	c := f.conditions()
	c.Workers = []queue.Worker{{Name: "big", Slots: 4, Free: true}}
	begin, err := f.q.Reconcile(t.Context(), c)
	f.ok(err)
	if len(begin) != 2 || begin[0].Worker != "" || begin[1].Worker != "big" {
		t.Errorf("%+v start, want #1 here and #2 on big", begin)
	}
}

func TestSessionsOfAnAgentAreLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime+"[agent.two]\nmax_sessions = 2\n")
	f.conduct()
	f.add("# A", "# B", "# C")
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Queued: 2 of 2 two sessions")
	// A running item keeps its own claim, however ferrus.toml changes.
	c := f.conditions()
	c.Agents = []string{"three", "one"}
	begin, err := f.q.Reconcile(t.Context(), c)
	f.ok(err)
	if len(begin) != 1 || begin[0].N != 3 {
		t.Fatalf("other agents start %+v, want #3", begin)
	}
}

// An exhausted account parks the items that need it, and no others, until its limit resets.
func TestAnAccountIsUsedUp(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	f.add("# A", "# B")
	c := f.conditions()
	begin, err := f.q.Reconcile(t.Context(), c)
	f.ok(err)
	f.ok(f.q.Start(t.Context(), begin[0]))
	f.ok(f.q.Start(t.Context(), begin[1]))
	until := time.Now().Add(time.Hour)
	f.ok(f.q.UseUp(t.Context(), queue.Account{Agent: "two", Until: time.Now().Add(-time.Second)})) // already reset
	if s, err := f.q.Load(); err != nil || len(s.World.Accounts) > 0 {
		t.Errorf("the accounts after the reset are %+v, %v; want none", s.World.Accounts, err)
	}
	account := queue.Account{Agent: "two", Since: time.Now(), Until: until}
	f.ok(f.q.UseUp(t.Context(), account))
	f.ok(f.q.UseUp(t.Context(), account)) // the other task's session hits it too
	f.add("# C")
	f.reconcile()
	words := "two has hit its usage limit until " + until.Local().Format("15:04")
	f.shows("#1 Running: "+words, "#2 Running: "+words, "#3 Queued: "+words)
	again, err := queue.Open(f.Task) // another process
	f.ok(err)
	if rows, err := again.Rows(f.conditions()); err != nil || rows[2].Why != words {
		t.Errorf("the rows are %+v, %v; want #3 to wait because %q", rows, err, words)
	}
	f.reconcileAt(until.Add(time.Second))
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Running: Executing")
	f.ok(f.q.UseUp(t.Context(), queue.Account{Agent: "two", Until: until, Guess: true}))
	f.shows("#1 Running: two has hit its usage limit; ferrus tries again at "+until.Local().Format("15:04"),
		"#2 Running: two has hit its usage limit; ferrus tries again at "+until.Local().Format("15:04"),
		"#3 Running: two has hit its usage limit; ferrus tries again at "+until.Local().Format("15:04"))
	if waited, err := f.q.Continue(t.Context(), project.HumanActor()); !waited || err != nil {
		t.Errorf("the first answer: %v, %v; want that the queue had waited", waited, err)
	}
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Running: Executing")
	if waited, err := f.q.Continue(t.Context(), project.HumanActor()); waited || err != nil {
		t.Errorf("the second answer: %v, %v; want that nothing waited", waited, err)
	}
}

// A limit that was met before the human had the accounts tried again does not undo that, however late it is found.
func TestALimitThatIsFoundLate(t *testing.T) {
	f := newFixture(t, threeAtATime)
	f.add("# A")
	begin, err := f.q.Reconcile(t.Context(), f.conditions())
	f.ok(err)
	f.ok(f.q.Start(t.Context(), begin[0]))
	until := time.Now().Add(time.Hour)
	usedUp := func(since time.Time) bool {
		t.Helper()
		f.ok(f.q.UseUp(t.Context(), queue.Account{Agent: "two", Since: since, Until: until}))
		s, err := f.q.Load()
		f.ok(err)
		return len(s.World.Accounts) > 0
	}
	met := time.Now()
	if !usedUp(met) {
		t.Fatal("the limit is not recorded")
	}
	_, err = f.q.Continue(t.Context(), project.HumanActor())
	f.ok(err)
	if usedUp(met) {
		t.Error("a limit from before is recorded")
	}
	if !usedUp(time.Now()) {
		t.Error("a limit from afterwards is not recorded")
	}
	_, err = f.q.Continue(t.Context(), project.HumanActor())
	f.ok(err)
	met = time.Now() // and not recorded yet
	if waited, err := f.q.Continue(t.Context(), project.HumanActor()); waited || err != nil {
		t.Errorf("an answer before the limit is known: %v, %v; want that nothing waited", waited, err)
	}
	if usedUp(met) {
		t.Error("a limit that was met before the answer, and is found afterwards, is recorded")
	}
	d := queue.Document{Retried: until}
	if d.IsRetried(queue.Account{Since: time.Now()}, time.Now()) {
		t.Error("after the clock was set back, no limit counts")
	}
}

// The queue's budget counts the usage of all tasks, even after a task ends, until you grant it
// again.
func TestTheBudgetOfTheQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime+"max_queue_tokens = 100\n")
	f.conduct()
	f.add("# A", "# B")
	f.reconcile()
	use := func(n, tokens int) {
		t.Helper()
		of := f.task(n)
		w := hqtest.World(t, of)
		f.ok(of.AddEnded(project.Ended{Session: fmt.Sprint("session ", n, tokens), Task: w.Task.ID,
			Role: machine.Executor, Usage: &core.Usage{Input: tokens}}))
	}
	use(1, 60)
	use(2, 40)
	f.add("# C")
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Running: Executing")
	use(2, 1)
	f.add("# D")
	f.reconcile()
	const waits = "the queue has used 101 tokens"
	const over = "needs you: " + waits + ", resume it"
	f.shows("#1 Running: "+over, "#2 Running: "+over, "#3 Running: "+over, "#4 Queued: 3 of 3 tasks are running")
	hqtest.Do(t, f.task(1), core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: "+over, "#3 Running: "+over, "#4 Queued: "+waits)
	if _, err := f.q.Continue(t.Context(), project.HumanActor()); err != nil {
		t.Fatal(err)
	}
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing", "#3 Running: Executing", "#4 Running: Executing")
	use(3, 100)
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing", "#3 Running: Executing", "#4 Running: Executing")
	use(4, 1)
	f.reconcile()
	const again = "needs you: the queue has used 202 tokens, resume it"
	f.shows("#1 Cancelled:", "#2 Running: "+again, "#3 Running: "+again, "#4 Running: "+again)
}

// A session that asks for your permission waits in its call, and its task keeps its turn.
func TestARowSaysThatPermissionIsAskedFor(t *testing.T) {
	f := newFixture(t, twoAtATime+"[hq.executor]\nagent = \"two\"\n")
	f.conduct()
	f.add("# A")
	f.reconcile()
	hqtest.Do(t, f.task(1), core.Command{Kind: core.KindAskPermission, By: hqtest.Executor(),
		Wanted: &core.Wanted{Kind: core.PermitCommand, What: "make", Key: "k"}})
	f.reconcileAt(time.Now().Add(time.Hour))
	f.shows("#1 Running: needs you: asks for permission")
	if all, err := f.q.Rows(f.conditions()); err != nil || all[0].Needs || !all[0].NeedsYou() {
		t.Errorf("%+v, %v: its session has not ended, and it needs you", all, err)
	}
}

// A task that waits long for you gives up its turn, and is first in line once you answer.
func TestATaskThatWaitsForYouGivesItsTurnUp(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, twoAtATime+"[hq.executor]\nagent = \"two\"\n")
	f.conduct()
	f.add("# A", "# B", "# C", "# D")
	f.reconcile()
	one := f.task(1)
	hqtest.Do(t, one, core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
	hqtest.Do(t, one, core.Command{Kind: core.KindAskHuman, By: hqtest.Executor(), Text: "Which one?"})
	f.reconcileAt(time.Now().Add(29 * time.Minute))
	f.shows("#1 Running: needs you: a question is open", "#2 Running: Executing", "#3 Queued: 2 of 2 tasks are running",
		"#4 Queued: 2 of 2 tasks are running")
	later := time.Now().Add(31 * time.Minute)
	f.reconcileAt(later)
	f.shows("#1 Parked: needs you: a question is open", "#2 Running: Executing", "#3 Running: Executing",
		"#4 Queued: 2 of 2 tasks are running")
	f.reconcileAt(later) // it keeps its place
	f.shows("#1 Parked: needs you: a question is open", "#2 Running: Executing", "#3 Running: Executing",
		"#4 Queued: 2 of 2 tasks are running")
	hqtest.Do(t, one, core.Command{Kind: core.KindAnswer, By: project.HumanActor(), Text: "This one"})
	f.reconcileAt(later)
	hqtest.Do(t, f.task(2), core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcileAt(later)
	f.shows("#1 Running: Executing", "#2 Cancelled:", "#3 Running: Executing", "#4 Queued: 2 of 2 tasks are running")
}

// Two processes that reconcile at the same time never give more turns than the limit.
func TestTurnsAreGivenOnce(t *testing.T) {
	f := newFixture(t, twoAtATime)
	f.add("# A", "# B", "# C", "# D", "# E")
	other, err := queue.Open(f.Task)
	f.ok(err)
	done := make(chan error)
	for _, q := range []*queue.Queue{f.q, other, f.q, other} {
		go func() {
			_, err := q.Reconcile(t.Context(), f.conditions())
			done <- err
		}()
	}
	for range 4 {
		f.ok(<-done)
	}
	s, err := f.q.Load()
	f.ok(err)
	running := 0
	for _, i := range s.World.Items {
		if i.Running() {
			running++
		}
	}
	if running != 2 {
		data, _ := json.Marshal(s.World.Items)
		t.Errorf("%d items have a turn, want 2: %s", running, data)
	}
}

// A task with a damaged record delays no other task, and is neither changed nor started again.
func TestADamagedTaskDelaysNoOther(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, threeAtATime)
	f.conduct()
	f.add("# A", "# B", "# C")
	f.reconcile()
	one := f.task(1)
	state := one.Store.Path("STATE.json")
	good, err := os.ReadFile(state)
	f.ok(err)
	f.ok(os.WriteFile(state, []byte("{"), 0o600))
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 3))
	f.add("# D")
	f.reconcile()
	rows := strings.Split(f.rows(), "\n")
	if !strings.HasPrefix(rows[0], "#1 Running: its record cannot be read: ") || rows[1] != "#2 Running: Executing" ||
		rows[2] != "#3 Cancelled:" || rows[3] != "#4 Running: Executing" {
		t.Errorf("the queue is\n%s\nwant #1 unreadable, #3 cancelled, and the others running",
			strings.Join(rows, "\n"))
	}
	f.ok(os.WriteFile(state, good, 0o600))
	f.reconcile()
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Cancelled:", "#4 Running: Executing")
}

// A cancelled task keeps its turn until all its processes have ended.
func TestACancelledTaskEndsBeforeAnotherBegins(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n[limits]\nmax_parallel_tasks = 1\n")
	f.conduct()
	f.add("# A", "# B")
	f.reconcile()
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 1))
	c := f.conditions()
	c.Lives = func(dir string) bool { return dir == "t-1-a" }
	begin, err := f.q.Reconcile(t.Context(), c)
	if err != nil || len(begin) != 0 {
		t.Errorf("%+v, %v start; want none", begin, err)
	}
	f.reconcile()
	f.shows("#1 Cancelled:", "#2 Running: Executing")
}

// A damaged task that is first in line does not take a turn that it could not use.
func TestADamagedTaskGetsNoTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, "[hq]\nworkspace = \"worktree\"\n[limits]\nmax_parallel_tasks = 1\n")
	f.conduct()
	f.add("# A", "# B", "# C")
	f.reconcile()
	one := f.task(1)
	hqtest.Do(t, one, core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldStop})
	f.reconcile()
	hqtest.Do(t, one, core.Command{Kind: core.KindResume, By: project.HumanActor()})
	f.reconcile()
	f.shows("#1 Queued: another task is running", "#2 Running: Executing", "#3 Queued: another task is running")
	f.ok(os.WriteFile(one.Store.Path("STATE.json"), []byte("{"), 0o600))
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 2))
	f.reconcile()
	if rows := f.rows(); !strings.HasPrefix(rows, "#1 Queued: its record cannot be read: ") ||
		!strings.HasSuffix(rows, "#2 Cancelled:\n#3 Running: Executing\n") {
		t.Errorf("the queue is\n%s\nwant #1 queued and unreadable, and #3 running", rows)
	}
}
