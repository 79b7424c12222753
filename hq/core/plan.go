package core

import (
	"slices"

	"ferrus/machine/task"
)

// Plan says what should be going on in w: whoever carries things out starts and
// ends the difference to what is, as often as it likes. A slot that is neither in
// Start nor in Stay is to be empty.
//
// Living are the sessions that are known, with those of the present task that
// have been reaped: by them Plan knows that an executor was at work before. A
// session of another task has no claim to its slot, and the slot's new session
// waits until it is reaped. Unmanaged tells that a session outside the conductor
// holds a valid lease.
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

// planView is what Plan looks at.
type planView struct {
	w         World
	wants     []Request
	living    []SessionInfo
	unmanaged bool
}

// wanted are the sessions that a person asked for, the first of each slot. A job
// outlives the list that it was made from.
func (v planView) wanted() []Job {
	var jobs []Job
	for _, w := range v.wants {
		jobs = append(jobs, Job{Slot: w.Slot(), Mode: w.Kind, Want: &w})
	}
	return jobs
}

// jobs are the sessions that the task calls for.
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

func (v planView) executorWorks() bool {
	switch v.w.State {
	case task.Executing, task.Addressing, task.Checking:
		return true
	}
	return v.w.State == task.Consultation && v.consultAnswered()
}

func (v planView) consultAnswered() bool { return v.w.Consult != nil && v.w.Consult.Answered }

// executorMode is resume once the task has been worked on.
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

func (v planView) taskID() string {
	if v.w.Task == nil {
		return ""
	}
	return v.w.Task.ID
}

// free reports that a job's slot is empty or has a session that is the job's own.
func (v planView) free(job Job) bool {
	for _, l := range v.living {
		if l.Slot == job.Slot && !l.Reaped && !v.mine(l, job) {
			return false
		}
	}
	return true
}

// mine reports that a living session is the one the job asks for. A planner's is
// told by its mode, the others' by their task.
func (v planView) mine(l SessionInfo, job Job) bool {
	if job.Mode == ModePhase || l.Mode == ModePhase {
		return l.Mode == job.Mode && job.Want != nil && l.TaskID == job.Want.Text
	}
	if job.Want != nil || l.Mode == ModeFree {
		return l.Mode == job.Mode
	}
	return l.TaskID == v.taskID()
}

// stays reports that a session may go on though none would be started in its
// place: whoever waits for an answer of the person or of the consultant.
func (v planView) stays(l SessionInfo) bool {
	if l.TaskID != v.taskID() || l.Slot == SlotPlanner {
		return false
	}
	switch v.w.State {
	case task.AwaitingHuman:
		return true
	case task.Consultation:
		return l.Slot == SlotExecutor
	case task.Reviewing: // The reviewer is told that the person approves, and ends by itself.
		return l.Slot == SlotReviewer && v.w.AwaitsApproval()
	}
	return false
}

// executorLives reports that the executor of the task has not been reaped.
func (v planView) executorLives() bool {
	return slices.ContainsFunc(v.living, func(l SessionInfo) bool {
		return l.Slot == SlotExecutor && !l.Reaped && l.TaskID == v.taskID()
	})
}

// alive are the slots of the living sessions that keep, in the order of Slots.
func (v planView) alive(keep func(SessionInfo) bool) []Slot {
	var slots []Slot
	for _, s := range Slots {
		if slices.ContainsFunc(v.living, func(l SessionInfo) bool { return l.Slot == s && !l.Reaped && keep(l) }) {
			slots = append(slots, s)
		}
	}
	return slots
}
