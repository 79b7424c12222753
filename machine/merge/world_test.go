package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/machine/task"
)

// A world is two items of the queue with their tasks, the merge of their branch, and git. Every
// commit of a store and every move of the branch is its own step, so every order of steps is also a
// kill at some point: no state is kept anywhere else. A row of the merge and the rows of its items
// are taken in one commit, as the queue's store does.
type world struct {
	items [2]item
	merge Snap
	// Of candidates 1 and 2, as indexes of items; -1: none.
	picks [2]int
	ahead bool // another process has moved the branch since the batch was opened
	moves int  // how often another process did, at most one time
}

type item struct {
	snap   queue.Snap
	task   machine.State
	lives  bool
	staged bool // the staged submission is still the task's
	inGit  bool // the branch contains its commit
}

var (
	merges = Table(2)
	items  = queue.Table()
)

func (w world) facts(i int) queue.Task {
	it := w.items[i]
	return queue.Task{At: it.task, Lives: it.lives, Moved: it.task != task.Complete || !it.staged}
}

// inBatch reports whether an item is in the batch that is open.
func (w world) inBatch(i int) bool {
	return w.merge.Data.Picks > 0 && slices.Contains(w.picks[:w.merge.Data.Picks], i)
}

func (w world) merging(i int) bool {
	return w.inBatch(i) && (w.merge.At == StateMoving || w.merge.At == StateReturning)
}

type step struct {
	name  string
	human bool
	to    world
}

// commit takes a row of the merge together with rows of items. It returns false if one is refused.
func (w world) commit(by machine.Role, e machine.Event, also map[int]machine.Event) (world, bool) {
	var err error
	if e != nil {
		if w.merge, _, err = merges.Step(w.merge, by, e); err != nil {
			return w, false
		}
	}
	for i, e := range also {
		if w.items[i].snap, _, err = items.Step(w.items[i].snap, by, e); err != nil {
			return w, false
		}
	}
	if w.merge.Data.Picks == 0 {
		w.picks, w.ahead = [2]int{-1, -1}, false
	}
	return w, true
}

func (w world) steps() (all []step) {
	add := func(name string, human bool, to world, ok bool) {
		if ok && to != w {
			all = append(all, step{name, human, to})
		}
	}
	for i := range w.items {
		w.itemSteps(i, add)
	}
	w.mergeSteps(add)
	return all
}

// itemSteps returns what ferrus, the human and sessions do with one item and its task.
func (w world) itemSteps(i int, add func(string, bool, world, bool)) {
	it, f := w.items[i], w.facts(i)
	name := func(s string) string { return fmt.Sprintf("%d.%s", i, s) }
	one := func(by machine.Role, e machine.Event) {
		to, ok := w.commit(by, nil, map[int]machine.Event{i: e})
		add(name(string(e.Kind())), by == machine.Human, to, ok)
	}
	for _, e := range []machine.Event{queue.Admit{Task: f}, queue.Release{Task: f}, queue.Want{Task: f},
		queue.Rest{Task: f}, queue.Gone{Task: f}} {
		one(machine.Ferrus, e)
	}
	staged, ok := w.commit(machine.Human, nil, map[int]machine.Event{i: queue.Stage{Task: f}})
	staged.items[i].staged = true
	add(name("stage"), true, staged, ok)

	// Taking an item out of a batch dissolves the batch, in the same commit.
	for _, by := range []machine.Role{machine.Human, machine.Ferrus} {
		merging := w.merging(i)
		for _, e := range []machine.Event{queue.Unstage{Task: f, Merging: merging}, queue.Cancel{Merging: merging}} {
			from := w
			if w.inBatch(i) {
				var open bool
				if from, open = w.commit(machine.Ferrus, Withdrawn{}, nil); !open {
					continue
				}
			}
			to, ok := from.commit(by, nil, map[int]machine.Event{i: e})
			to.items[i].staged = false
			add(name(string(e.Kind())), by == machine.Human, to, ok)
		}
	}

	change := func(what string, human bool, set func(*item)) {
		to := w
		set(&to.items[i])
		add(name(what), human, to, true)
	}
	working := it.task == task.Executing || it.task == task.Reviewing
	if it.snap.At == queue.StateRunning && working {
		change("session", false, func(it *item) { it.lives = true })
	}
	if it.lives {
		change("end", false, func(it *item) { it.lives = false })
		if working {
			change("complete", false, func(it *item) { it.task = task.Complete })
		}
	}
	if it.task != task.Idle && it.snap.At != queue.StateLanded {
		change("reset", true, func(it *item) { it.task, it.staged = task.Idle, false })
	}
}

// mergeSteps returns what the merge, its gate and git do.
func (w world) mergeSteps(add func(string, bool, world, bool)) {
	d := w.merge.Data
	ferrus := func(e machine.Event) {
		to, ok := w.commit(machine.Ferrus, e, nil)
		add(string(e.Kind()), false, to, ok)
	}
	for _, picks := range [][2]int{{0, -1}, {1, -1}, {0, 1}, {1, 0}} {
		n := 0
		for n < 2 && picks[n] >= 0 && w.items[picks[n]].snap.At == queue.StateStaged && !w.facts(picks[n]).Moved {
			n++
		}
		if n == 0 || n < 2 && picks[n] >= 0 {
			continue
		}
		to, ok := w.commit(machine.Ferrus, Open{Picks: n, Next: 1}, nil)
		to.picks = picks
		add("open", false, to, ok)
		if n == 1 {
			to, ok = w.commit(machine.Ferrus, Conflict{}, nil)
			to.picks = picks
			add("conflict", false, to, ok)
			to, ok = w.commit(machine.Ferrus, Open{Picks: n, Next: 1, Rejudge: true}, nil)
			to.picks = picks
			add("open to judge again", false, to, ok)
		}
	}
	for _, v := range []Verdict{Green, Red, Unproven, Flaky} {
		ferrus(Proved{d.Ticket, v, 3 - max(d.Ticket, 1)})
	}
	for _, e := range []machine.Event{Again{1}, Accept{1}, Resume{}} {
		to, ok := w.commit(machine.Human, e, nil)
		add(string(e.Kind()), true, to, ok)
	}
	if !w.ahead {
		move := Move{}
		for _, i := range w.picks[:max(d.Green, 0)] {
			if w.facts(i).Moved {
				move.Changed = "it was reset"
			}
		}
		ferrus(move)
	}
	w.gitSteps(add)
	if w.merge.At == StateReturning {
		w.returnSteps(add)
	}
}

// gitSteps move the branch, and tell the queue.
func (w world) gitSteps(add func(string, bool, world, bool)) {
	d := w.merge.Data
	if w.moves == 0 {
		to := w
		to.moves, to.ahead = 1, w.merge.Data.Picks > 0
		add("another process moves the branch", false, to, true)
	}
	contained := w.merge.At == StateMoving && w.items[w.picks[0]].inGit
	if w.ahead {
		to, ok := w.commit(machine.Ferrus, Moved{contained}, nil)
		add("moved", false, to, ok)
	}
	if w.merge.At != StateMoving {
		return
	}
	if !w.ahead && !contained {
		to := w
		for _, i := range w.picks[:d.Green] {
			to.items[i].inGit = true
		}
		add("swap", false, to, true)
	}
	also := map[int]machine.Event{}
	for _, i := range w.picks[:d.Green] {
		also[i] = queue.Landed{Contained: w.items[i].inGit}
	}
	to, ok := w.commit(machine.Ferrus, Landed{contained}, also)
	add("landed", false, to, ok)
}

// returnSteps gives the red item back to its task, or an item that is a different change on the
// branch to its reviewer, and then tells the queue.
func (w world) returnSteps(add func(string, bool, world, bool)) {
	i := w.picks[w.merge.Data.Red-1]
	it, f := w.items[i], w.facts(i)
	if it.task == task.Complete && it.staged && !it.lives {
		to := w
		to.items[i].task, to.items[i].staged = task.Executing, false
		if w.merge.Data.Rejudge {
			to.items[i].task = task.Reviewing
		}
		add("give back", false, to, true)
	}
	to, ok := w.commit(machine.Ferrus, Returned{it.lives, f.Moved}, map[int]machine.Event{i: queue.Returned{Task: f}})
	to.items[i].staged = false
	add("returned", false, to, ok)
}

// Two approved items, a merge with batches of two, a branch that another process moves as well, and
// kills between all commits: what the queue calls landed is in git and the reverse, a batch has
// only staged items, and each item can still land or be cancelled until one of the two has
// happened.
func TestEveryWorld(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	start := world{merge: Start, picks: [2]int{-1, -1}}
	for i := range start.items {
		start.items[i] = item{snap: queue.Snap{At: queue.StateParked}, task: task.Complete}
	}
	index, worlds := map[world]int{start: 0}, []world{start}
	type way struct {
		from int
		by   string
	}
	ways, back := []way{{-1, ""}}, [][]int{nil}
	faults := map[string]string{}
	fault := func(n int, why string) {
		if faults[why] != "" {
			return
		}
		var names []string
		for ; ways[n].from >= 0; n = ways[n].from {
			names = append(names, ways[n].by)
		}
		slices.Reverse(names)
		faults[why] = "after " + strings.Join(names, ", ")
	}
	edges := 0
	for n := 0; n < len(worlds); n++ {
		w, waits := worlds[n], true
		for _, why := range w.faults() {
			fault(n, why)
		}
		for _, s := range w.steps() {
			edges++
			waits = waits && s.human
			at, known := index[s.to]
			if !known {
				at = len(worlds)
				index[s.to] = at
				worlds, ways, back = append(worlds, s.to), append(ways, way{n, s.name}), append(back, nil)
			}
			back[at] = append(back[at], n)
		}
		if why := w.unasked(); waits && why != "" {
			fault(n, why)
		}
	}
	for i := range start.items {
		for _, end := range []machine.State{queue.StateLanded, queue.StateCancelled} {
			reach := reaches(back, func(n int) bool { return worlds[n].items[i].snap.At == end })
			for n, w := range worlds {
				if it := w.items[i]; !reach[n] && w.couldEnd(i, end) {
					fault(n, fmt.Sprintf("%d in %s never gets to %s (task %q)", i, it.snap.At, end, it.task))
				}
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(faults)) {
		t.Errorf("%s\n\t%s", why, faults[why])
	}
	t.Logf("%d worlds, %d steps", len(worlds), edges)
}

// lands reports whether the branch is being moved to a candidate with the item.
func (w world) lands(i int) bool {
	return w.merge.At == StateMoving && slices.Contains(w.picks[:w.merge.Data.Green], i)
}

// couldEnd reports whether an item that is not over must still be able to end in this way: an item
// that was reset does not land, and one that is landing is not cancelled.
func (w world) couldEnd(i int, end machine.State) bool {
	it := w.items[i]
	switch {
	case it.snap.At == queue.StateLanded || it.snap.At == queue.StateCancelled:
		return false
	case end == queue.StateLanded:
		return it.task != task.Idle
	}
	return !w.lands(i)
}

// faults checks a world against the invariants.
func (w world) faults() (all []string) {
	must := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	for i, it := range w.items {
		at := it.snap.At
		must(!it.inGit || at == queue.StateLanded || w.lands(i), "%d in %s: the branch contains it", i, at)
		must(at != queue.StateLanded || it.inGit, "%d landed, and the branch does not contain it", i)
		over := at == queue.StateLanded && w.merge.At == StateReturning // it landed with this batch
		must(!w.lands(i) || !w.merge.Data.Rejudge, "%d lands without being judged again", i)
		must(!w.inBatch(i) || at == queue.StateStaged || over, "%d in %s is in the batch", i, at)
		must(!it.lives || at == queue.StateRunning || at == queue.StateCancelled, "%d in %s: a session lives", i, at)
	}
	return all
}

// unasked says what waits for a human who has not been asked; empty: nothing.
func (w world) unasked() string {
	if w.merge.Data.Flaky || w.merge.Data.Held != NotHeld {
		return ""
	}
	if w.merge.At != StateIdle {
		return "the merge waits in " + string(w.merge.At)
	}
	for i, it := range w.items {
		if it.snap.At == queue.StateStaged {
			return fmt.Sprintf("%d stays staged", i)
		}
	}
	return ""
}

// reaches marks every world from which a wanted one can be reached.
func reaches(back [][]int, wanted func(int) bool) []bool {
	reach := make([]bool, len(back))
	var next []int
	for n := range back {
		if wanted(n) {
			reach[n], next = true, append(next, n)
		}
	}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		for _, from := range back[n] {
			if !reach[from] {
				reach[from], next = true, append(next, from)
			}
		}
	}
	return reach
}
