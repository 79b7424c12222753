package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

// Two items, one slot, one merge, and kills between all commits: what the queue calls landed is in
// git and the reverse, sessions run only with a slot, no item waits for something that never comes,
// and a row of one item changes nothing of the other.
func TestEveryWorld(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	for _, start := range []world{
		{items: [2]item{{snap: Start(false)}, {snap: Start(false), after: true}}},
		{items: [2]item{{snap: Start(true)}, {snap: Start(true)}}},
		{items: [2]item{{snap: Start(false)}, {snap: Start(true)}}},
	} {
		for i := range start.items {
			start.items[i].snap.At = StateQueued
		}
		exploreWorld(t, start)
	}
}

// couldEnd reports whether an item that is not over must still be able to end in this way: an item
// that was reset does not land, and one that the branch contains is not cancelled.
func (it item) couldEnd(end State) bool {
	switch {
	case it.snap.At == StateLanded || it.snap.At == StateCancelled:
		return false
	case end == StateLanded:
		return it.task != task.Idle
	}
	return !it.inGit
}

type seen struct {
	from int // the world before it, for the path
	by   string
	back []int
}

func exploreWorld(t *testing.T, start world) {
	t.Helper()
	index := map[world]int{start: 0}
	worlds, found := []world{start}, []seen{{from: -1}}
	path := func(n int) string {
		var names []string
		for ; found[n].from >= 0; n = found[n].from {
			names = append(names, found[n].by)
		}
		slices.Reverse(names)
		return strings.Join(names, ", ")
	}
	faults := map[string]string{}
	fault := func(n int, format string, args ...any) {
		if why := fmt.Sprintf(format, args...); faults[why] == "" {
			faults[why] = path(n)
		}
	}
	edges, byQueue := 0, map[int][]int{} // the steps that ferrus makes in the queue alone
	for n := 0; n < len(worlds); n++ {
		w := worlds[n]
		for i := range w.items {
			w.check(i, func(why string) { fault(n, "%s", why) })
		}
		steps := w.steps()
		if why := w.stuck(steps); why != "" {
			fault(n, "%s", why)
		}
		for _, s := range steps {
			edges++
			if why := forbidden(w, s); why != "" {
				fault(n, "%s: %s", s.name, why)
			}
			at, known := index[s.to]
			if !known {
				at = len(worlds)
				index[s.to] = at
				worlds, found = append(worlds, s.to), append(found, seen{from: n, by: s.name})
			}
			found[at].back = append(found[at].back, n)
			if s.rowOf >= 0 && s.by == machine.Ferrus {
				byQueue[n] = append(byQueue[n], at)
			}
		}
	}
	for i := range start.items {
		for _, end := range []State{StateLanded, StateCancelled} {
			reach := reaches(found, func(n int) bool { return worlds[n].items[i].snap.At == end })
			for n, w := range worlds {
				if it := w.items[i]; !reach[n] && it.couldEnd(end) {
					fault(n, "%d in %s never gets to %s (task %q)", i, it.snap.At, end, it.task)
				}
			}
		}
	}
	if n := circle(byQueue); n >= 0 {
		fault(n, "ferrus moves an item in circles while nothing else changes")
	}
	for _, why := range slices.Sorted(maps.Keys(faults)) {
		t.Errorf("%s\n\tafter %s", why, faults[why])
	}
	t.Logf("%d worlds, %d steps", len(worlds), edges)
}

// reaches marks every world from which a wanted one can be reached.
func reaches(found []seen, wanted func(int) bool) []bool {
	reach := make([]bool, len(found))
	var next []int
	for n := range found {
		if wanted(n) {
			reach[n], next = true, append(next, n)
		}
	}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		for _, from := range found[n].back {
			if !reach[from] {
				reach[from], next = true, append(next, from)
			}
		}
	}
	return reach
}

// circle returns a world that its own steps lead back to; -1: there is none.
func circle(steps map[int][]int) int {
	const open, done = 1, 2
	state := map[int]int{}
	var walk func(int) int
	walk = func(n int) int {
		if state[n] != 0 {
			if state[n] == open {
				return n
			}
			return -1
		}
		state[n] = open
		for _, to := range steps[n] {
			if at := walk(to); at >= 0 {
				return at
			}
		}
		state[n] = done
		return -1
	}
	for _, n := range slices.Sorted(maps.Keys(steps)) {
		if at := walk(n); at >= 0 {
			return at
		}
	}
	return -1
}

// check checks one item of a world against the invariants.
func (w world) check(i int, fault func(string)) {
	it, at := w.items[i], w.items[i].snap.At
	must := func(ok bool, why string) {
		if !ok {
			fault(fmt.Sprintf("%d in %s: %s", i, at, why))
		}
	}
	must(!it.inGit || at == StateLanded || w.merge == merge{moving, i}, "the branch contains what has not landed")
	must(at != StateLanded || it.inGit, "landed, and the branch does not contain it")
	must(w.merge.at == idle || w.merge.item != i || at == StateStaged, "the merge has an item that is not staged")
	must(!it.lives || at == StateRunning || at == StateCancelled, "a session lives without a slot")
	running := 0
	for _, other := range w.items {
		if other.snap.At == StateRunning || other.lives {
			running++
		}
	}
	must(running <= slots, "more slots are taken than there are")
}

// stuck checks that an item that waits, and that ferrus does not move, is in the inbox or waits for
// another item that is not over.
func (w world) stuck(steps []step) string {
	for _, s := range steps {
		if s.by == machine.Ferrus || s.by == machine.Executor {
			return ""
		}
	}
	for i, it := range w.items {
		asks := it.snap.Data.Held != NotHeld || it.held || it.task == task.Failed || it.task == task.Complete ||
			it.task == task.AwaitingHuman
		over := it.snap.At == StateLanded || it.snap.At == StateCancelled
		waits := it.snap.At == StateQueued && w.waits(i) != Waits{}
		if !asks && !over && !waits {
			return fmt.Sprintf("%d in %s (task %q) waits, and nothing says for what", i, it.snap.At, it.task)
		}
	}
	return ""
}

// forbidden checks that one step changes only what it may change.
func forbidden(w world, s step) string {
	for i, before := range w.items {
		after := s.to.items[i]
		switch {
		case s.rowOf >= 0 && s.rowOf != i && after != before:
			return "the row of one item changed the other"
		case before.inGit && !after.inGit:
			return "what landed is gone"
		case before.snap.At == StateStaged && w.facts(i).Moved && s.rowOf == i &&
			!slices.Contains([]State{StateParked, StateCancelled, StateLanded, StateStaged}, after.snap.At):
			return "a staged item whose task moved on does something else"
		case (before.snap.At == StateLanded || before.snap.At == StateCancelled) && after.snap != before.snap:
			return "what is over continues"
		}
	}
	return ""
}
