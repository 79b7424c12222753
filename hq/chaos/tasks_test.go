package chaos

import (
	"context"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/demo"
	"ferrus/hq/ports"
	"ferrus/hq/queue"
	"ferrus/store"
	"ferrus/store/longtest"
)

// tasks is the number of the demo's tasks; at most atOnce of them run at the same time.
const (
	tasks  = 4
	atOnce = 2
)

// scaffoldTasks creates the project of the demo's four tasks, two of which must wait for a turn.
func scaffoldTasks(dir string) error {
	if err := demo.ScaffoldTasks(dir); err != nil {
		return err
	}
	name := filepath.Join(dir, "ferrus.toml")
	toml, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	limits := fmt.Sprintf("[limits]\nmax_parallel_tasks = %d\n", atOnce)
	err = os.WriteFile(name, []byte(strings.Replace(string(toml), "[limits]\n", limits, 1)), 0o644)
	if err == nil {
		err = git.In(dir).Do(context.Background(), "commit", "--quiet", "--no-verify", "-am", "limits")
	}
	return err
}

// tasksTally counts over all trials of several tasks.
type tasksTally struct {
	tally
	leaked, helped, answers int
}

// TestKillTasks randomly kills processes of several tasks, and of their gates, merges and hosts,
// until all tasks have landed: nothing is lost, doubled or leaked.
func TestKillTasks(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG: it runs the demo with four tasks")
	}
	if *seed == 0 {
		*seed = mathrand.Uint64()
	}
	t.Logf("seed %d", *seed)
	var sum tasksTally
	for n := 0; sum.kills < *kills; n++ {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			p := newTrialOf(t, scaffoldTasks)
			rng := mathrand.New(mathrand.NewPCG(*seed, uint64(n)))
			doubled := p.runTasks(rng, min(25, *kills-sum.kills), &sum)
			p.checkTasks(doubled, &sum)
			t.Logf("killed: %s", strings.Join(p.killed.all, ", "))
			if t.Failed() {
				t.Logf("seed %d, trial %d\n%s\nstill running at the limit:\n%s", *seed, n, p.output.String(),
					p.hung.String())
			}
		})
	}
	t.Logf("%d kills, %d answers: lost = %d, doubled = %d, leaked = %d; continued by hand %d times; seed %d",
		sum.kills, sum.answers, sum.lost, sum.doubled, sum.leaked, sum.helped, *seed)
}

// runTasks runs the demo with several tasks, restarting it while its conductor is killed, and kills
// meanwhile. It returns what existed twice at a time.
func (p *trial) runTasks(rng *mathrand.Rand, planned int, sum *tasksTally) (doubled []string) {
	ctx, cancel := context.WithTimeout(p.Context(), 2*limit)
	defer cancel()
	defer context.AfterFunc(ctx, p.dumpStacks)()
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { doubled = p.processes.watch(over) })
	watching.Go(func() { p.killAtRandom(over, rng, planned) })
	p.continueTasks(ctx, sum)
	close(over)
	watching.Wait()
	p.awaitEmpty(ctx)
	if ctx.Err() != nil {
		p.Errorf("the trial did not end within %v", 2*limit)
	}
	return doubled
}

func (p *trial) continueTasks(ctx context.Context, sum *tasksTally) {
	for ctx.Err() == nil {
		killed := p.killed.count("conductor")
		switch code, _ := p.ferrus("demo", "--tasks", strconv.Itoa(tasks), "--headless", "--dir", p.dir); {
		case code == 0:
			return
		case code == 3: // too many sessions of one task ended, or a merge was unstable
			sum.helped++
			p.continueByHand()
		case code == -1 && p.killed.count("conductor") > killed:
		default:
			p.Errorf("ferrus demo ended with %d", code)
			return
		}
	}
}

// continueByHand does what you do about a task that needs you. Commands that do not apply are
// refused.
func (p *trial) continueByHand() {
	for n := range tasks {
		name := strconv.Itoa(n + 1)
		p.ferrus("status", "--task", name)
		for _, args := range [][]string{{"task", "resume", name}, {"resume", "--task", name}, {"task", "retry", name}} {
			p.ferrus(args...)
		}
	}
	for _, name := range p.awaitingApproval() {
		p.ferrus("approve", "--task", name)
	}
	p.ferrus("merge", "resume")
	p.ferrus("merge", "again")
}

// awaitingApproval returns the tasks that only you may approve: a check whose command was killed on
// a tree, and which passed there later, is FLAKY.
func (p *trial) awaitingApproval() (names []string) {
	all, err := queue.Open(p.project())
	if err != nil {
		return nil // not created yet
	}
	s, err := all.Load()
	if err != nil {
		p.Error(err)
	}
	for _, i := range s.World.Items {
		of, err := all.Task(i)
		if err != nil {
			continue // not started yet
		}
		if w, err := of.World(); err == nil && w.World.AwaitsApproval() {
			names = append(names, strconv.Itoa(i.N))
		}
	}
	return names
}

// killable has the parts of ferrus that run while several tasks do.
var killable = []string{"conductor", "serve", "executor", "reviewer", "command", "host", "git"}

// killAtRandom kills processes one after another: each after a random number of events in any
// journal and a pause, as soon as the drawn part has a process.
func (p *trial) killAtRandom(over <-chan struct{}, rng *mathrand.Rand, planned int) {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for range planned {
		part, most := killable[rng.IntN(len(killable))], p.countEvents()+rng.IntN(6)
		due := time.Now().Add(time.Duration(rng.IntN(600)) * time.Millisecond)
		late := time.Now().Add(3 * time.Second) // the drawn part may not run again
		for done := false; !done; {
			select {
			case <-over:
				return
			case <-ticks.C:
			}
			if time.Now().Before(due) || p.countEvents() < most && time.Now().Before(late) {
				continue
			}
			if all := p.processes.parts(part); len(all) > 0 {
				victim := all[rng.IntN(len(all))]
				p.killed.add(strings.TrimPrefix(victim.task+"/"+part, "/"))
				victim.kill()
				done = true
			} else if time.Now().After(late) {
				part, late = killable[rng.IntN(len(killable))], time.Now().Add(time.Second)
			}
		}
	}
}

// journals returns the journals of a project with several tasks.
func (p *trial) journals() []string {
	all, _ := filepath.Glob(filepath.Join(p.dir, ".ferrus", "tasks", "*", "journal.jsonl"))
	return append(all, filepath.Join(p.dir, ".ferrus", queue.Dir, "journal.jsonl"))
}

func (p *trial) countEvents() (sum int) {
	for _, name := range p.journals() {
		data, _ := os.ReadFile(name) // there may be none yet
		sum += strings.Count(string(data), "\n")
	}
	return sum
}

// checkTasks compares a trial's result with the expected one.
func (p *trial) checkTasks(doubled []string, sum *tasksTally) {
	p.Helper()
	sum.kills += len(p.killed.all)
	all, err := queue.Open(p.project())
	if err != nil {
		p.Fatal(err)
	}
	entries, err := all.Journal(0)
	if err != nil {
		p.Fatal(err)
	}
	p.checkFold(entries, filepath.Join(queue.Dir, "state.json"))
	state, err := all.Load()
	if err != nil {
		p.Fatal(err)
	}
	var lost []string
	landings := strings.Join(p.git("log", "--format=%s", "main"), "\n") + "\n"
	for _, i := range state.World.Items {
		switch n := strings.Count(landings, i.Title+"\n"); {
		case n == 0 || !i.IsLanded():
			lost = append(lost, fmt.Sprintf("%s %s: %s, %d times on main", i.Name(), i.Title, i.State, n))
		case n > 1:
			doubled = append(doubled, fmt.Sprintf("%s is on main %d times", i.Name(), n))
		}
		of, err := all.Task(i)
		if err != nil {
			p.Errorf("%s: %v", i.Name(), err)
			continue
		}
		lines, err := of.Store.Journal(0)
		if err != nil {
			p.Errorf("%s: %v", i.Name(), err)
		}
		missing, answers := p.findLost(lines, i.Dir)
		lost, doubled = append(lost, missing...), append(doubled, findDoubled(lines)...)
		sum.answers += answers
		p.checkFold(lines, filepath.Join("tasks", i.Dir, "STATE.json"))
		doubled = append(doubled, landedTwice(i, lines)...)
	}
	if len(state.World.Items) != tasks {
		lost = append(lost, fmt.Sprintf("%d items of %d", tasks-len(state.World.Items), tasks))
	}
	leaked := p.findLeaks(all.CandidateRef("main"))
	for what, found := range map[string][]string{"lost": lost, "doubled": doubled, "leaked": leaked} {
		for _, one := range found {
			p.Errorf("%s: %s", what, one)
		}
	}
	sum.lost, sum.doubled, sum.leaked = sum.lost+len(lost), sum.doubled+len(doubled), sum.leaked+len(leaked)
}

// landedTwice reports that a task's journal does not have exactly one landing.
func landedTwice(i queue.Item, lines []store.Entry) []string {
	n := 0
	for _, l := range lines {
		if l.Event == "landed" {
			n++
		}
	}
	if n == 1 {
		return nil
	}
	return []string{fmt.Sprintf("%s has landed %d times by its journal", i.Name(), n)}
}

func (p *trial) git(args ...string) []string {
	out, err := git.In(p.dir).Output(context.Background(), args...)
	if err != nil {
		p.Error(err)
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}

// findLeaks returns what is left but no longer needed: processes, worktrees, branches, refs, ports,
// temporary files, and changes in the checkout. A ref keeps the candidates of the last batch.
func (p *trial) findLeaks(candidates string) (all []string) {
	for _, one := range p.processes.living() {
		all = append(all, "process "+one.String())
	}
	all = append(all, p.git("worktree", "list", "--porcelain")[3:]...)
	for _, ref := range p.git("for-each-ref", "--format=%(refname)") {
		if ref != "refs/heads/main" && ref != candidates {
			all = append(all, ref)
		}
	}
	if changed := p.git("status", "--porcelain", "--ignored"); !slices.Equal(changed, []string{"!! .ferrus/"}) {
		all = append(all, changed...)
	}
	names, _ := filepath.Glob(filepath.Join(p.dir, ".ferrus", "worktrees", "*"))
	all = append(all, names...)
	_ = filepath.WalkDir(filepath.Join(p.dir, ".ferrus"), func(path string, _ fs.DirEntry, _ error) error {
		if strings.Contains(filepath.Base(path), ".tmp") {
			all = append(all, path)
		}
		return nil
	})
	return append(all, p.leakedPorts()...)
}

// leakedPorts returns the blocks that a worktree of the trial still holds after others have asked
// for them.
func (p *trial) leakedPorts() (all []string) {
	book := ports.In(filepath.Dir(string(store.UserHeads())))
	if _, err := book.Of(p.root); err != nil {
		p.Error(err)
	}
	names, _ := filepath.Glob(filepath.Join(string(book), "[0-9]*"))
	for _, name := range names {
		owner, _ := os.ReadFile(name)
		if strings.HasPrefix(string(owner), p.dir) {
			all = append(all, fmt.Sprintf("ports %s of %s", filepath.Base(name), owner))
		}
	}
	return all
}
