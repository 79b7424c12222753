package core

import (
	"slices"

	"ferrus/machine/task"
)

// Plan computes which sessions should run in w. The conductor starts and stops the
// difference to the running ones, as often as it likes: doing so twice is harmless. A
// slot that is neither in Start nor in Stay should be empty.
//
// Living are the known sessions, including the reaped ones of the present task, by which
// Plan knows that an executor has worked on it before. A session of another task has no
// right to its slot; the slot's new session waits until it is reaped. Unmanaged says that
// a session outside the conductor holds a valid lease.
func Plan(w World, wants []Request, living []SessionInfo, unmanaged bool) Desired {
	v := planView{w.Normalize(), wants, living, unmanaged}
	if w.Hold != nil {
		return Desired{Stay: v.alive(func(SessionInfo) bool { return true })}
	}
	var g Desired
	for _, job := range append(v.wanted(), v.jobs()...) {
		if !slices.ContainsFunc(g.Start, func(j Job) bool { return j.Slot == job.Slot }) && v.free(job) {
			g.Start = append(g.Start, job)
		}
	}
	g.Stay = v.alive(func(l SessionInfo) bool { return v.stays(l) && !g.starts(l.Slot) })
	return g
}

func (g Desired) starts(s Slot) bool {
	return slices.ContainsFunc(g.Start, func(j Job) bool { return j.Slot == s })
}

// planView is what Plan decides on. It is made anew for each call.
type planView struct {
	w         World
	wants     []Request
	living    []SessionInfo
	unmanaged bool
}

// wanted returns the sessions that the human requested. Where two are for one slot, Plan
// takes the first.
func (v planView) wanted() []Job {
	var jobs []Job
	for _, w := range v.wants {
		jobs = append(jobs, Job{Slot: w.Slot(), Mode: w.Kind, Want: &w})
	}
	return jobs
}

// jobs returns the sessions that the task needs: one at most. The states exclude each
// other, so the task never has two agents that could write at once: the reviewer waits
// until the executor is reaped.
func (v planView) jobs() []Job {
	switch {
	case v.executorWorks() && !v.unmanaged:
		return []Job{{Slot: SlotExecutor, Mode: v.executorMode()}}
	case v.w.State == task.Consultation && !v.consultAnswered():
		return []Job{{Slot: SlotConsultant, Mode: ModeConsult}}
	case v.w.State == task.Reviewing && !v.w.AwaitsApproval() && !v.unmanaged && !v.executorLives():
		return []Job{{Slot: SlotReviewer, Mode: ModeReview}}
	}
	return nil
}

// executorWorks reports whether the task is in a state that an executor works in. It
// waits for a consultation only until that is answered.
func (v planView) executorWorks() bool {
	switch v.w.State {
	case task.Executing, task.Addressing, task.Checking:
		return true
	}
	return v.w.State == task.Consultation && v.consultAnswered()
}

func (v planView) consultAnswered() bool { return v.w.Consult != nil && v.w.Consult.Answered }

// executorMode returns ModeResume once the task has been worked on. The mode chooses
// the prompt: one that starts on a task, or one that explains where it stands.
func (v planView) executorMode() Mode {
	for _, l := range v.living {
		if l.Slot == SlotExecutor && l.TaskID == v.taskID() {
			if !l.Reaped {
				return l.Mode
			}
			return ModeResume
		}
	}
	if v.w.State == task.Executing && v.w.Gate == nil && v.w.Consult == nil && v.w.Question == nil {
		return ModeWork
	}
	return ModeResume
}

// taskID returns the id of the open task; empty: none.
func (v planView) taskID() string {
	if v.w.Task == nil {
		return ""
	}
	return v.w.Task.ID
}

// free reports whether a job's slot is empty or has the job's own session. A slot whose
// old session still ends is not free; the next turn of the loop asks again.
func (v planView) free(job Job) bool {
	for _, l := range v.living {
		if l.Slot == job.Slot && !l.Reaped && !v.mine(l, job) {
			return false
		}
	}
	return true
}

// mine reports whether a running session does what a job needs. A planner's is
// recognized by its mode, a workflow's by its phase, the others by their task.
func (v planView) mine(l SessionInfo, job Job) bool {
	if job.Mode == ModePhase || l.Mode == ModePhase {
		return l.Mode == job.Mode && job.Want != nil && l.TaskID == job.Want.Text
	}
	if job.Want != nil || l.Mode == ModeFree {
		return l.Mode == job.Mode
	}
	return l.TaskID == v.taskID()
}

// stays reports whether a session may continue although none would be started in its
// place: it waits for an answer of the human or of the consultant. Ending it would lose
// what it has in mind; starting another in its place would gain nothing.
func (v planView) stays(l SessionInfo) bool {
	if l.TaskID != v.taskID() || l.Slot == SlotPlanner {
		return false
	}
	switch v.w.State {
	case task.AwaitingHuman:
		return true
	case task.Consultation:
		return l.Slot == SlotExecutor
	case task.Reviewing: // The reviewer learns that the human approves, and ends by itself.
		return l.Slot == SlotReviewer && v.w.AwaitsApproval()
	}
	return false
}

// executorLives reports whether the executor of the task has not been reaped.
func (v planView) executorLives() bool {
	return slices.ContainsFunc(v.living, func(l SessionInfo) bool {
		return l.Slot == SlotExecutor && !l.Reaped && l.TaskID == v.taskID()
	})
}

// alive returns the slots of the running sessions that keep accepts, in the order of
// Slots.
func (v planView) alive(keep func(SessionInfo) bool) []Slot {
	var slots []Slot
	for _, s := range Slots {
		if slices.ContainsFunc(v.living, func(l SessionInfo) bool { return l.Slot == s && !l.Reaped && keep(l) }) {
			slots = append(slots, s)
		}
	}
	return slots
}
