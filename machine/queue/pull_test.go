package queue

import (
	"testing"

	"ferrus/machine"
	"ferrus/machine/task"
)

// pullWorld is an item that lands by a pull request: what the queue has recorded, what the task
// says, what is on the remote and on the forge, and what the fetched branch contains. A forge may
// lie.
type pullWorld struct {
	snap   Snap
	task   machine.State
	staged bool   // what is staged is the task's
	step   string // recorded: push, open, wait, return
	known  bool   // recorded: which pull request it is
	pushed bool
	pulls  int    // on the forge
	state  string // of the pull request: open, closed, merged; claimed
	inGit  bool   // the fetched branch has the commit that the forge names
}

type pullMove struct {
	by machine.Role
	to pullWorld
}

// moves returns everything that may happen next. A process that dies does so between two of the
// moves.
func (w pullWorld) moves() (all []pullMove) {
	facts := Task{At: w.task, Moved: w.task != task.Complete || !w.staged}
	row := func(by machine.Role, e machine.Event, change func(*pullWorld)) {
		to := w
		var err error
		if to.snap, _, err = table.Step(w.snap, by, e); err == nil {
			change(&to)
			all = append(all, pullMove{by, to})
		}
	}
	add := func(by machine.Role, when bool, change func(*pullWorld)) {
		if to := w; when {
			change(&to)
			all = append(all, pullMove{by, to})
		}
	}
	row(machine.Human, Stage{Task: facts}, func(w *pullWorld) { w.staged, w.step = true, "push" })
	row(machine.Human, Unstage{Task: facts}, func(w *pullWorld) { w.staged, w.step = false, "" })
	row(machine.Ferrus, Unstage{Task: facts}, func(w *pullWorld) { w.staged, w.step = false, "" })
	row(machine.Human, Cancel{}, func(w *pullWorld) { w.staged, w.step = false, "" })
	row(machine.Ferrus, Want{Task: facts}, func(*pullWorld) {})
	row(machine.Ferrus, Admit{Task: facts}, func(*pullWorld) {})
	row(machine.Ferrus, Release{Task: facts}, func(*pullWorld) {})
	staged := w.snap.At == StateStaged
	if staged && w.step == "return" {
		row(machine.Ferrus, Returned{facts}, func(w *pullWorld) { w.staged, w.step = false, "" })
	}
	if staged && w.step == "wait" { // the forge is believed as far as the table lets it
		row(machine.Ferrus, Landed{Contained: w.inGit, ByPull: true, Merged: w.state == "merged"},
			func(w *pullWorld) { w.step = "" })
	}
	// Each step is taken first and recorded afterwards.
	add(machine.Ferrus, staged && w.step == "push" && !w.pushed, func(w *pullWorld) { w.pushed = true })
	add(machine.Ferrus, staged && w.step == "push" && w.pushed, func(w *pullWorld) { w.step = "open" })
	opens := staged && w.step == "open"
	add(machine.Ferrus, opens && w.pulls == 0, func(w *pullWorld) { w.pulls, w.state = 1, "open" })
	add(machine.Ferrus, opens && w.pulls > 0, func(w *pullWorld) { w.step, w.known = "wait", true })
	add(machine.Ferrus, staged && w.step == "wait" && w.state == "open", func(w *pullWorld) { w.step = "return" })
	add(machine.Ferrus, staged && w.step == "return" && w.task == task.Complete, func(w *pullWorld) {
		w.task = task.Executing
	})
	add(machine.Executor, w.snap.At == StateRunning && w.task == task.Executing, func(w *pullWorld) {
		w.task, w.pushed = task.Complete, false // another commit
	})
	// The forge, and its users.
	add(machine.Human, w.state == "open", func(w *pullWorld) { w.state = "closed" })
	add(machine.Human, w.state == "closed", func(w *pullWorld) { w.state = "open" })
	add(machine.Human, w.state == "open" && w.pushed, func(w *pullWorld) { w.state, w.inGit = "merged", true })
	add(machine.Human, w.state == "open", func(w *pullWorld) { w.state = "merged" }) // a lie
	add(machine.Human, w.pulls > 0 && !w.inGit, func(w *pullWorld) { w.inGit = true })
	return all
}

// A task lands by a pull request only if the forge reports it as merged and the fetched branch
// contains the commit; there is never a second pull request; and the task can still be cancelled,
// whatever the forge does.
func TestEveryPull(t *testing.T) {
	t.Parallel()
	start := pullWorld{snap: Snap{At: StateParked}, task: task.Complete}
	seen, todo := map[pullWorld]bool{start: true}, []pullWorld{start}
	landed := 0
	for len(todo) > 0 {
		w := todo[0]
		todo = todo[1:]
		if w.pulls > 1 || w.known && w.pulls == 0 {
			t.Fatalf("%d pull requests: %+v", w.pulls, w)
		}
		if w.snap.At == StateLanded {
			if landed++; w.state != "merged" || !w.inGit {
				t.Fatalf("it has landed, but the forge says %q and git %v", w.state, w.inGit)
			}
			continue
		}
		cancels := w.snap.At == StateCancelled
		for _, m := range w.moves() {
			cancels = cancels || m.to.snap.At == StateCancelled
			if !seen[m.to] {
				seen[m.to] = true
				todo = append(todo, m.to)
			}
		}
		if !cancels {
			t.Fatalf("it cannot be cancelled: %+v", w)
		}
	}
	if landed == 0 {
		t.Error("no pull request lands")
	}
	t.Logf("%d worlds, %d of them landed", len(seen), landed)
}
