package queue

import (
	"fmt"

	"ferrus/machine"
	"ferrus/machine/task"
)

// A world is a queue of two items with their tasks, their sessions, a merge and a branch. Every
// commit, every start and end of a session, and every move of the branch is its own step, so every
// interleaving is also a kill at some point: no state is kept anywhere else.
type world struct {
	items [2]item
	merge merge
}

// item is an item of the queue with everything that belongs to it elsewhere.
type item struct {
	snap   Snap
	after  bool // it depends on the other item
	task   machine.State
	begins bool // the conductor is about to begin the task: it does, whatever becomes of the item
	held   bool
	waited bool // the task has asked, and waited for longer than [hq] defer_after
	lives  bool // a session, a setup or a gate
	// It is cleared by whatever takes the task out of Complete.
	staged  bool // the staged submission is the task's
	inGit   bool // the branch contains the commit
	returns int
}

// merge takes one item at a time.
type merge struct {
	at   phase
	item int
}

type phase string

const (
	idle      phase = ""
	proving   phase = "Proving"
	moving    phase = "Moving"
	returning phase = "Returning"
)

// Start returns the snapshot in which an item is added.
func Start(here bool) Snap { return Snap{At: StateNew, Data: Data{Here: here}} }

const (
	slots       = 1
	returnLimit = 2
)

func (w world) facts(i int) Task {
	it := w.items[i]
	return Task{At: it.task, Held: it.held, Deferred: it.waited, Lives: it.lives,
		Moved: it.task != task.Complete || !it.staged}
}

func (w world) merging(i int) bool {
	return w.merge.item == i && (w.merge.at == moving || w.merge.at == returning)
}

// waits says what an item waits for: the other one, a slot or your checkout.
func (w world) waits(i int) (waits Waits) {
	other := w.items[1-i]
	if w.items[i].after && other.snap.At != StateLanded {
		waits.Dependencies = "waits for the other"
	}
	used := 0
	for _, it := range w.items {
		// A cancelled item holds its slot until its sessions have ended.
		if it.snap.At == StateRunning || it.lives {
			used++
		}
	}
	if used >= slots {
		waits.Slot = "1 of 1"
	}
	if open := other.snap.At != StateLanded && other.snap.At != StateCancelled; w.items[i].snap.Data.Here &&
		other.snap.Data.Here && open && other.task != "" && other.task != task.Idle {
		waits.Checkout = "the other works in your checkout"
	}
	return waits
}

// step is one step to another world. Steps of ferrus need no human.
type step struct {
	name  string
	by    machine.Role
	to    world
	rowOf int // the item whose row it was; -1: none
}

func (w world) steps() []step {
	var all []step
	for i := range w.items {
		all = append(all, w.rows(i)...)
		all = append(all, w.taskSteps(i)...)
		all = append(all, w.mergeSteps(i)...)
	}
	return all
}

var table = Table()

// rows returns the steps of the table of one item, with the facts as they are.
func (w world) rows(i int) (all []step) {
	f, it := w.facts(i), w.items[i]
	try := func(by machine.Role, e machine.Event, then func(*world)) {
		if n, err := table.Match(it.snap, by, e); err != nil || n < 0 {
			if err != nil {
				panic(err)
			}
			return
		}
		to := w
		to.items[i].snap, _, _ = table.Step(it.snap, by, e)
		if then != nil {
			then(&to)
		}
		if to != w {
			all = append(all, step{fmt.Sprintf("%d.%s", i, e.Kind()), by, to, i})
		}
	}
	// Withdrawing an item ends the gate on its batch.
	withdraw := func(w *world) {
		if w.items[i].staged = false; w.merge.item == i {
			w.merge = merge{}
		}
	}
	try(machine.Ferrus, Admit{f, w.waits(i)}, nil)
	try(machine.Ferrus, Unadmit{f}, func(w *world) { w.items[i].begins = false })
	for _, e := range []machine.Event{Release{f}, Rest{f}, Want{f}, Gone{f}} {
		try(machine.Ferrus, e, nil)
	}
	try(machine.Human, Hold{f}, nil)
	try(machine.Human, Resume{}, nil)
	try(machine.Human, Stage{Task: f}, func(w *world) { w.items[i].staged = true })
	try(machine.Human, Unstage{f, w.merging(i)}, withdraw)
	try(machine.Ferrus, Unstage{f, w.merging(i)}, withdraw)
	try(machine.Human, Cancel{w.merging(i)}, withdraw)
	if w.merge == (merge{moving, i}) {
		try(machine.Ferrus, Landed{Contained: it.inGit}, func(w *world) { w.merge = merge{} })
	}
	if w.merge == (merge{returning, i}) {
		try(machine.Ferrus, Returned{f}, func(w *world) { w.merge, w.items[i].staged = merge{}, false })
	}
	try(machine.Human, LandHere{f}, func(w *world) { w.items[i].inGit = true })
	if it.after {
		try(machine.Human, Edit{}, func(w *world) { w.items[i].after = false })
	}
	return all
}

// taskSteps returns what the task of an item and its sessions do.
func (w world) taskSteps(i int) (all []step) {
	it := w.items[i]
	add := func(name string, by machine.Role, change func(*item)) {
		to := w
		change(&to.items[i])
		all = append(all, step{fmt.Sprintf("%d.task %s", i, name), by, to, -1})
	}
	running := it.snap.At == StateRunning
	switch it.task {
	case "":
		if running && !it.lives && !it.begins {
			add("setup", machine.Ferrus, func(it *item) { it.lives = true })
			add("about to begin", machine.Ferrus, func(it *item) { it.begins = true })
		}
		if it.begins {
			add("begin", machine.Ferrus, func(it *item) { it.task, it.begins = task.Executing, false })
			add("killed", machine.Ferrus, func(it *item) { it.begins = false })
		}
	case task.Executing:
		if running && !it.held && !it.lives {
			add("session", machine.Ferrus, func(it *item) { it.lives = true })
		}
		if it.lives { // only a session of it ends the work, or asks
			add("complete", machine.Executor, func(it *item) { it.task = task.Complete })
			add("fail", machine.Executor, func(it *item) { it.task = task.Failed })
			add("ask", machine.Executor, func(it *item) { it.task = task.AwaitingHuman })
		}
	case task.AwaitingHuman:
		add("answer", machine.Human, func(it *item) { it.task, it.waited = task.Executing, false })
		if !it.waited {
			add("defer", machine.Ferrus, func(it *item) { it.waited = true })
		}
	case task.Failed:
		if it.snap.At != StateLanded && it.snap.At != StateCancelled {
			add("retry", machine.Human, func(it *item) { it.task, it.returns = task.Executing, 0 })
		}
	}
	if it.lives {
		add("end", machine.Ferrus, func(it *item) { it.lives = false })
	}
	if it.held {
		add("resume", machine.Human, func(it *item) { it.held = false })
	}
	if open := it.task != "" && it.task != task.Idle; open && it.snap.At == StateCancelled {
		add("clean up", machine.Ferrus, (*item).reset)
	} else if open {
		if !it.held && it.task != task.Complete {
			add("hold", machine.Human, func(it *item) { it.held = true })
		}
		add("reset", machine.Human, (*item).reset)
	}
	return all
}

func (it *item) reset() { it.task, it.held, it.waited, it.staged = task.Idle, false, false, false }

// mergeSteps returns what the merge does with an item that is staged.
func (w world) mergeSteps(i int) (all []step) {
	it := w.items[i]
	add := func(name string, change func(*world)) {
		to := w
		change(&to)
		all = append(all, step{fmt.Sprintf("%d.merge %s", i, name), machine.Ferrus, to, -1})
	}
	if it.snap.At == StateStaged && w.merge.at == idle && !w.facts(i).Moved {
		add("begin", func(w *world) { w.merge = merge{proving, i} })
	}
	if w.merge.item != i {
		return all
	}
	switch w.merge.at {
	case proving:
		add("green", func(w *world) { w.merge.at = moving })
		add("red", func(w *world) { w.merge.at = returning })
		add("moved", func(w *world) { w.merge = merge{} })
	case moving:
		if !it.inGit {
			add("swap", func(w *world) { w.items[i].inGit = true })
			add("moved", func(w *world) { w.merge = merge{} })
		}
	case returning:
		if it.task == task.Complete && it.staged && !it.lives {
			add("give back", func(w *world) {
				it := &w.items[i]
				it.task, it.staged, it.returns = task.Executing, false, it.returns+1
				if it.returns == returnLimit {
					it.task = task.Failed
				}
			})
		}
	}
	return all
}
