package queue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/store/longtest"
)

const fourAtATime = "[hq]\nworkspace = \"worktree\"\n[limits]\nmax_parallel_tasks = 4\n"

// another returns the queue as opened by another process.
func (f *fixture) another() *fixture {
	f.Helper()
	p, err := project.Open(f.Dir, "one", "two")
	f.ok(err)
	q, err := queue.Open(p)
	f.ok(err)
	return &fixture{f.T, p, q}
}

// running counts the items that have a turn, and those of them whose tasks run.
func (f *fixture) running() (turns, working int, err error) {
	s, err := f.q.Load()
	if err != nil {
		return 0, 0, err
	}
	for _, i := range s.World.Items {
		if !i.Running() {
			continue
		}
		turns++
		of, err := f.q.Task(i)
		if err != nil {
			continue // about to start
		}
		if w, err := of.World(); err == nil && w.World.State == task.Executing {
			working++
		}
	}
	return turns, working, nil
}

// step performs one process's next action: it gives turns, starts tasks if it is a conductor, or
// ends a running task. A conductor may be killed before it starts an item that has a turn. It
// reports whether there is nothing left to do.
func (f *fixture) step(r *rand.Rand) (done bool, err error) {
	lock, err := f.Store.TryLock(project.ConductorLock)
	if err == nil {
		defer lock.Close()
	}
	begin, failed := f.q.Reconcile(f.Context(), f.conditions())
	if failed != nil {
		return false, failed
	}
	for _, i := range begin {
		if err != nil || r.IntN(4) == 0 {
			break
		}
		if err := f.q.Start(f.Context(), i); err != nil {
			return false, err
		}
	}
	if turns, working, err := f.running(); turns > 4 || err != nil {
		return false, fmt.Errorf("%d items have a turn and %d tasks run, more than the limit (error: %v)",
			turns, working, err)
	}
	s, err := f.q.Load()
	if err != nil {
		return false, err
	}
	open := slices.DeleteFunc(slices.Clone(s.World.Items), queue.Item.Final)
	if len(open) == 0 {
		return true, nil
	}
	open = slices.DeleteFunc(open, func(i queue.Item) bool { return !i.Running() })
	if len(open) == 0 {
		return false, nil
	}
	of, err := f.q.Task(open[r.IntN(len(open))])
	if err != nil {
		return false, nil //nolint:nilerr // it is about to begin
	}
	if w, err := of.World(); err != nil || w.World.State != task.Executing {
		return false, nil //nolint:nilerr // as above
	}
	_, err = of.Do(f.Context(), store.Call{}, core.Command{Kind: core.KindReset, By: project.HumanActor()})
	if machine.IsRefusal(err) {
		err = nil
	}
	return false, err
}

// The queue's budget is in its record: it applies to an HQ that takes over and to one that is
// attached, and if both answer, one answer counts.
func TestTheBudgetHoldsOverTwoHQs(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	one := newFixture(t, threeAtATime+"max_queue_tokens = 100\n")
	two := one.another()
	conduct := func(f *fixture) *store.Lock {
		t.Helper()
		lock, err := f.Store.TryLock(project.ConductorLock)
		one.ok(err)
		return lock
	}
	first := conduct(one)
	one.add("# A", "# B")
	one.reconcile()
	sessions := 0
	use := func(f *fixture, n, tokens int) {
		t.Helper()
		of := f.task(n)
		sessions++
		f.ok(of.AddEnded(project.Ended{Session: fmt.Sprint("session ", sessions), Task: hqtest.World(t, of).Task.ID,
			Role: machine.Executor, Usage: &core.Usage{Input: tokens}}))
	}
	both := func(want ...string) {
		t.Helper()
		one.shows(want...)
		two.shows(want...)
	}
	use(one, 1, 60)
	one.reconcile()
	one.ok(first.Close())
	defer conduct(two).Close()
	use(two, 2, 41)
	one.add("# C")
	two.reconcile()
	const over = "needs you: the queue has used 101 tokens, resume it"
	both("#1 Running: "+over, "#2 Running: "+over, "#3 Queued: the queue has used 101 tokens")
	for i, f := range []*fixture{one, two} {
		if waited, err := f.q.Continue(t.Context(), project.HumanActor()); waited != (i == 0) || err != nil {
			t.Errorf("answer %d: %v, %v; want that only the first one was awaited", i+1, waited, err)
		}
	}
	two.reconcile()
	both("#1 Running: Executing", "#2 Running: Executing", "#3 Running: Executing")
	use(two, 3, 101)
	two.reconcile()
	const again = "needs you: the queue has used 202 tokens, resume it"
	both("#1 Running: "+again, "#2 Running: "+again, "#3 Running: "+again)
}

// B.5 5: twenty tasks, four at a time, and three processes that give turns: two HQs and a ferrus
// run. Five never have a turn at once, and each task gets exactly one.
func TestThreeProcessesGiveTurns(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	f := newFixture(t, fourAtATime)
	seed := rand.Uint64()
	var texts []string
	for n := range 20 {
		texts = append(texts, fmt.Sprintf("# Task %d", n+1))
	}
	f.add(texts...)
	var all sync.WaitGroup
	faults := make(chan error, 3)
	for n := range 3 {
		p := f.another()
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for {
				if done, err := p.step(r); done || err != nil {
					faults <- err
					return
				}
			}
		})
	}
	all.Wait()
	for range 3 {
		if err := <-faults; err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	s, err := f.q.Load()
	f.ok(err)
	for _, i := range s.World.Items {
		if i.Attempt != 1 || !i.IsCancelled() {
			t.Errorf("seed %d: %s is %s after %d turns, want it cancelled after one",
				seed, i.Name(), i.State, i.Attempt)
		}
	}
}

// B.5 5: while memory is scarce, none of them starts a task next to a running one.
func TestNothingBeginsWithoutMemory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	f := newFixture(t, fourAtATime)
	f.add("# A")
	f.reconcile()
	f.add("# B", "# C", "# D")
	for range 3 {
		p := f.another()
		c := p.conditions()
		c.Memory = "less than 1024 MB of memory free"
		begin, err := p.q.Reconcile(t.Context(), c)
		if err != nil || len(begin) > 0 {
			t.Errorf("%+v, %v start; want none", begin, err)
		}
	}
	if turns, _, err := f.running(); turns != 1 || err != nil {
		t.Errorf("%d items have a turn, %v; want 1", turns, err)
	}
	f.reconcile()
	if turns, _, err := f.running(); turns != 4 || err != nil {
		t.Errorf("with enough memory %d items have a turn, %v; want 4", turns, err)
	}
}

// B.5 6: one vendor's account is exhausted in the middle of a wave. Its tasks wait with one line,
// whichever of them hit the limit, while the tasks of another vendor continue and start. Nothing is
// retried early, and tokens count once.
func TestAnAccountRunsOutMidWave(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	t.Parallel()
	f := newFixture(t, fourAtATime+"max_queue_tokens = 500\n")
	f.conduct()
	f.add("# A", "# B")
	f.reconcile()
	toml, err := os.ReadFile(filepath.Join(f.Dir, "ferrus.toml"))
	f.ok(err)
	hqtest.Write(t, f.Dir, "ferrus.toml", string(toml)+"[hq.executor]\nagent = \"one\"\n") // another vendor
	f.add("# C")
	f.reconcile()
	until := time.Now().Add(time.Hour)
	for _, n := range []int{1, 2, 1} { // each session hits the limit, and one of them twice
		of := f.task(n)
		for range 2 {
			f.ok(of.AddEnded(project.Ended{Session: fmt.Sprint("session ", n), Task: hqtest.World(t, of).Task.ID,
				Role: machine.Executor, Usage: &core.Usage{Input: 200}}))
		}
		f.ok(f.q.UseUp(t.Context(), queue.Account{Agent: "two", Since: time.Now(), Until: until}))
	}
	f.add("# D", "# E")
	f.reconcile()
	words := "two has hit its usage limit until " + until.Local().Format("15:04")
	f.shows("#1 Running: "+words, "#2 Running: "+words, "#3 Running: Executing", "#4 Running: Executing",
		"#5 Queued: 4 of 4 tasks are running")
	s, err := f.q.Load()
	f.ok(err)
	if len(s.World.Accounts) != 1 || s.World.Over != "" {
		t.Errorf("the accounts are %+v and the budget %q, want one account and no spent budget",
			s.World.Accounts, s.World.Over)
	}
	hqtest.Write(t, f.Dir, "ferrus.toml", string(toml))
	hqtest.Do(t, f.task(3), core.Command{Kind: core.KindReset, By: project.HumanActor()})
	f.reconcile() // the limit allows more, but the account is exhausted
	f.shows("#1 Running: "+words, "#2 Running: "+words, "#3 Cancelled:", "#4 Running: Executing", "#5 Queued: "+words)
	f.reconcileAt(until.Add(time.Second))
	f.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Cancelled:", "#4 Running: Executing",
		"#5 Running: Executing")
}
