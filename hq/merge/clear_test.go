package merge

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/worktree"
	"ferrus/store/longtest"
)

// landAndDie lands a task up to the point where it is to be cleared away, and is killed there.
func (f *fixture) landAndDie() (place worktree.Place) {
	f.Helper()
	f.tasks(work{"file-a": "a"})
	f.ok(Stage(f.Context(), f.q, f.item(1), project.FerrusActor(), ""))
	place = f.of(1).Worktree(f.item(1).Task)
	f.o.Follow = true
	f.o.stop = func() bool { return f.item(1).Landed != "" }
	if _, err := f.run(); !errors.Is(err, errStopped) {
		f.Fatal(err)
	}
	f.restart()
	return place
}

func (f *fixture) isCleared(place worktree.Place) {
	f.Helper()
	left, err := worktree.Remains(f.Context(), place)
	staged := f.git("for-each-ref", "refs/ferrus/staged")
	if i := f.item(1); left || err != nil || i.Clears() || i.Why != "" || staged != "" {
		f.Errorf("left %v, %v: %+v; want it cleared", left, err, i)
	}
}

func (f *fixture) moves() bool {
	f.Helper()
	rows, err := f.q.Rows(queue.Conditions{})
	f.ok(err)
	return rows[0].Moves
}

// The remains of a killed removal of a landed worktree are removed, and until then the row says
// that ferrus has something to do. Work that landed by itself was landed by ferrus.
func TestAnInterruptedClearingIsContinued(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	place := f.landAndDie()
	if !f.moves() {
		t.Error("nothing is to be done")
	}
	f.ok(os.Remove(filepath.Join(place.Top(), ".git")))
	f.ok(os.Remove(filepath.Join(place.Top(), "check.sh")))
	f.complete()
	f.isCleared(place)
	if f.moves() {
		t.Error("something is to be done")
	}
	lines, err := f.of(1).Store.Journal(0)
	f.ok(err)
	if last := lines[len(lines)-1]; last.Event != "landed" || last.By != "ferrus" {
		t.Errorf("the last event is %s by %s, want landed by ferrus", last.Event, last.By)
	}
}

// ferrus waits for a process that works in the worktree, such as a git command that outlived its
// ferrus. A process that stays keeps the worktree, and the item says so.
func TestAProcessInAClearedWorktree(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for name, ends := range map[string]bool{"ends": true, "stays": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			place := f.landAndDie()
			other := exec.Command("sleep", "600")
			other.Dir = place.Top()
			f.ok(other.Start())
			end := func() { _, _ = other.Process.Kill(), other.Wait() }
			t.Cleanup(end)
			next, err := f.m.Advance(t.Context(), f.o)
			f.ok(err)
			if next.PollAt.IsZero() || next.Refused[1] == "" || !f.item(1).Clears() {
				t.Fatalf("next is %+v for %+v, want a later poll with a refusal", next, f.item(1))
			}
			if ends {
				end()
			}
			for range maxClears {
				f.complete()
			}
			if ends {
				f.isCleared(place)
				return
			}
			if i := f.item(1); i.Clears() || i.Why == "" {
				t.Errorf("the item is %+v, want it kept with the reason", i)
			}
		})
	}
}

// Objects of an approved tree that were lost are created again from the worktree, which still has
// their content.
func TestAnApprovedTreeIsLost(t *testing.T) {
	t.Parallel()
	skipShort(t)
	f := newFixture(t)
	f.tasks(work{"file-a": "a"})
	f.ok(os.RemoveAll(f.Store.Path("run", "git", "objects")))
	f.stage(1)
	f.complete()
	f.shows("#1 Landed")
}
