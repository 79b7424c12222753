package conductor

import (
	"slices"
	"sync/atomic"
	"time"

	"ferrus/hq/conductor/accounts"
	"ferrus/hq/core"
	"ferrus/hq/fleet"
	"ferrus/hq/queue"
	"ferrus/hq/session"
	"ferrus/machine"
)

// queueTurn is what a conductor knows of its task's turn in the queue.
type queueTurn struct {
	*observed
	slots    slots
	setup    *workspaceSetup
	admitted atomic.Bool               // it may start sessions; else only running ones continue
	placed   atomic.Pointer[Placement] // where its sessions run; nil: on this machine
	deferred atomic.Bool               // it has waited for you for so long that it gives its turn up
	accounts *accounts.Limits          // of the queue, for all tasks

	limited map[core.Slot]int // the last session of each slot that met a usage limit

	waking   *time.Timer // until a session may begin that waits for an account; nil: none does
	changed  func()      // has the queue looked at; nil: this is the conductor of the project
	reported turnFacts   // when it was last looked at
}

// turnFacts are what the queue, and the list of tasks, have to know of a task.
type turnFacts struct {
	seq    uint64 // of the state
	living bool   // whether anything lives
	need   string // what its sessions need of you
}

// lives reports whether a session, a setup or a gate of the task is running.
func (t *queueTurn) lives() bool {
	for _, r := range t.slots {
		if r.Lives() {
			return true
		}
	}
	return t.setup.current != nil || t.world().GateRunning()
}

// report makes the conductor look at the queue if the task has changed, or what its sessions need of you.
func (t *queueTurn) report(need func() string) {
	if t.changed == nil {
		return
	}
	if now := (turnFacts{t.state.Seq, t.lives(), need()}); now != t.reported {
		t.reported = now
		t.changed()
	}
}

// reportAccounts reports the usage limits that the sessions of this task have met, each once: what you
// want to be tried again is not used up because a slot has not tried yet. A limit from before you wanted that
// ends at once: it was found only now, or met in an earlier process. Without a queue, there is only this task,
// and its slot waits.
func (t *queueTurn) reportAccounts(queued bool) {
	if t.changed == nil && !queued {
		return
	}
	for name, r := range t.slots {
		v := r.View()
		if v.Limit == "" || r.Job().Attended || t.limited[name] == v.Session {
			continue
		}
		a := queue.Account{Agent: v.Agent, Since: v.Since, Until: v.Until, Guess: v.Estimated}
		retried := t.accounts.IsRetried(a)
		if !retried && v.LastEvent != session.MetLimit {
			continue // an earlier process has reported it
		}
		t.limited[name] = v.Session
		if retried {
			r.Resume()
		} else if t.accounts.Report(a) && t.changed != nil {
			t.changed()
		}
	}
}

// mayBegin reports whether the session of a slot may begin as far as accounts and the budget of the queue
// go. If not, the loop asks again in time.
func (t *queueTurn) mayBegin(agent string, at machine.State) bool {
	if at != session.Initializing && at != session.SessionComplete && at != session.BuildingPrompt {
		return true // none would begin now
	}
	wait := t.accounts.Wait(agent, time.Now())
	if wait > 0 && t.waking == nil {
		t.waking = t.loop.After(min(wait, time.Minute), func() { t.waking = nil })
	}
	return wait == 0
}

// Placement is what the queue has decided on a task: whether its sessions may start, and where they run.
type Placement struct {
	Admitted bool   // they may start; else only running ones continue
	Deferred bool   // the task has waited for you for so long that it gives its turn up
	Worker   string // that they run on; empty: this machine
	Attempt  int    // of the task; a worker tells attempts apart by it
}

// Place applies a placement, which counts until the next one. It does not wait, and may be called from any goroutine.
func (t *queueTurn) Place(at Placement) {
	t.placed.Store(&at)
	if t.deferred.Swap(at.Deferred) != at.Deferred {
		t.loop.Post(func() {})
	}
	if t.admitted.Swap(at.Admitted) != at.Admitted && at.Admitted {
		t.loop.Post(func() {}) // what waited for it starts
	}
}

// Pause prevents the task from starting anything until it is admitted again. It reports whether a session, a setup or
// a gate of the task is running. It waits for the loop.
func (t *queueTurn) Pause() (lives bool) {
	t.loop.Ask(func() { t.admitted.Store(false); lives = t.lives() })
	return lives
}

// ResumeParked ends the waits of this task for the accounts of agents, and does not wait.
func (t *queueTurn) ResumeParked(agents []string) {
	t.loop.Post(func() {
		for _, r := range t.slots {
			if v := r.View(); v.Limit != "" && slices.Contains(agents, v.Agent) {
				r.Resume()
			}
		}
	})
}

// workerPlace returns the worker that sessions of the task run on; false: they run here.
func (t *queueTurn) workerPlace() (session.Place, bool) {
	at := t.placed.Load()
	if at == nil || at.Worker == "" {
		return session.Place{}, false
	}
	cfg, _ := t.project.Config() // the last good one
	return session.Place{Target: fleet.TargetOf(t.project.Project, cfg, at.Worker), Attempt: at.Attempt}, true
}
