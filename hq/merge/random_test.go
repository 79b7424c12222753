package merge

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// randomWork returns a change that may be red with another one, flaky, or in conflict with others. By itself
// it is green, as approved work is.
func (f *fixture) randomWork(r *rand.Rand, n int) work {
	w := work{fmt.Sprintf("file-%d", n): "x"}
	switch r.IntN(7) {
	case 0, 1, 2:
		w[fmt.Sprintf("not-with-%d", r.IntN(n))] = fmt.Sprint(n)
	case 3:
		w["flaky"] = filepath.Join(f.TempDir(), "ran")
	case 4:
		w["shared.txt"] = fmt.Sprintf("%d\n2\n3\n4\n5\n6\n7\n8\n9\n", n)
	}
	return w
}

// Random batches with random semantic conflicts, textual conflicts and flaky tests: before every step the tree
// of the branch is one that has passed, and at the end each task has landed once or was returned.
func TestRandomBatches(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	skipShort(t)
	rounds := 1 // FERRUS_LONG has more
	if longtest.On() {
		rounds = 40
	}
	for range rounds {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 1))
		f := newFixture(t)
		f.o.Batch = 1 + r.IntN(5)
		first := f.git("rev-parse", "main")
		var all []work
		for n := 1; n <= 3+r.IntN(4); n++ {
			all = append(all, f.randomWork(r, n))
		}
		f.tasks(all...)
		for n := range all {
			f.stage(n + 1)
		}
		steps := 0
		f.o.stop = func() bool {
			steps++
			f.proven(first, fmt.Sprintf("seed %d, before step %d", seed, steps))
			return false
		}
		f.complete()
		for f.merge().Data.Flaky {
			how := []Decision{Again, Accept}[r.IntN(2)]
			f.ok(f.m.Decide(t.Context(), project.HumanActor(), "main", how, f.o))
			f.complete()
		}
		f.proven(first, fmt.Sprintf("seed %d, at the end", seed))
		landed := strings.Count(f.states(), "Landed")
		if strings.Contains(f.states(), "Staged") ||
			f.git("rev-list", "--count", first+"..main") != fmt.Sprint(landed) {
			t.Errorf("seed %d, batch %d, %v: %s, main has %s commits", seed, f.o.Batch, all, f.states(),
				f.git("rev-list", "--count", first+"..main"))
		}
		for n := range all {
			if of := n + 1; f.has(fmt.Sprintf("file-%d", of)) != (f.item(of).Landed != "") {
				t.Errorf("seed %d: #%d is %s, and its file says otherwise", seed, of, f.item(of).State)
			}
		}
		if t.Failed() {
			return
		}
	}
}
