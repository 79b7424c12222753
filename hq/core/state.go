package core

import (
	"cmp"
	"slices"
	"time"

	"ferrus/checks"
	"ferrus/machine"
	"ferrus/machine/task"
)

// New returns the World before any task: Idle since now. Its epoch is 1, because 0 in a
// Command means that the caller knows none.
func New(now time.Time) World {
	return World{State: task.Idle, Since: stamp(now), Epoch: 1, Paused: []machine.State{}}
}

// Normalize returns w as Decide would have written it, sharing nothing with w: a
// missing state is Idle, and what can be derived from other fields is derived. It
// repairs nothing: what contradicts itself stays and is found by [World.Validate].
// Decide works on two normalized copies, so neither can write into the caller's World
// through a shared pointer.
func (w World) Normalize() World {
	w.State = cmp.Or(w.State, task.Idle)
	w.Paused = append([]machine.State{}, w.Paused...)
	w.PausedState = top(w.Paused)
	w.Epoch = max(w.Epoch, 1)
	w.Lease = w.Lease.copied()
	w.Task, w.Gate, w.Submission = copied(w.Task), copied(w.Gate), w.Submission.copied()
	w.Consult, w.Question, w.Hold = copied(w.Consult), copied(w.Question), copied(w.Hold)
	w.Permissions = w.Permissions.copied()
	if w.Task != nil {
		w.Task.Definition, w.Task.Asked = w.Task.Definition.copied(), copied(w.Task.Asked)
		w.Task.Pin = w.Task.Pin.copied()
		w.Task.Workspace, w.Task.Landed, w.Task.Origin = copied(w.Task.Workspace), copied(w.Task.Landed),
			copied(w.Task.Origin)
		w.Task.Comments = copied(w.Task.Comments)
	}
	if w.Gate != nil {
		w.Gate.At = copied(w.Gate.At)
	}
	return w
}

func (l Lease) copied() Lease {
	l.LeaseUntil, l.LastHeartbeat, l.Claim = copied(l.LeaseUntil), copied(l.LastHeartbeat), copied(l.Claim)
	if l.Claim != nil {
		l.Claim.Process = copied(l.Claim.Process)
	}
	l.Fenced = slices.Clone(l.Fenced)
	return l
}

func (s *Submission) copied() *Submission {
	if s == nil {
		return nil
	}
	c := *s
	c.Alarms, c.Review = slices.Clone(s.Alarms), copied(s.Review)
	for i := range c.Alarms {
		c.Alarms[i].Lines = slices.Clone(c.Alarms[i].Lines)
	}
	return &c
}

// copied returns a pointer to a shallow copy; nil for nil.
func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// top returns the state that an answer returns to; empty: nothing is paused.
func top(paused []machine.State) machine.State {
	if len(paused) == 0 {
		return ""
	}
	return paused[len(paused)-1]
}

// stamp returns a time as it is read back from STATE.json: in UTC, without a monotonic
// clock reading. Without it a World compared before and after a round trip through the
// disk would differ.
func stamp(t time.Time) time.Time { return t.UTC().Round(0) }

// IsIn reports whether s is the state or is paused below it. A question to the human does
// not end a review or a consultation; it only pauses it.
func (w World) IsIn(s machine.State) bool { return w.State == s || slices.Contains(w.Paused, s) }

// IsOpen reports whether a task is being worked on. In the other states it is up to the
// human, and no session is started for the task.
func (w World) IsOpen() bool {
	return !slices.Contains([]machine.State{task.Idle, task.Complete, task.Failed}, w.Normalize().State)
}

// GateRunning reports whether a check gate has no verdict yet. It says nothing of a
// process: a runner that died is found out by its lock, and reported as gate_lost.
func (w World) GateRunning() bool {
	return w.State == task.Checking && w.Gate != nil && w.Gate.Verdict == ""
}

// IsLastRunner reports whether the gate is cancelled if its runner dies.
func (g Gate) IsLastRunner() bool { return g.Lost+1 >= task.LostLimit }

// TreeChanged reports whether a tree is known and is not the submitted one. An unknown
// tree counts as unchanged: it refuses an approval, but voids no submission.
func (w World) TreeChanged(tree string) bool {
	return tree != "" && w.Submission != nil && w.Submission.Tree != tree
}

// NeedsTick reports whether the task is complete and its milestone still has to be
// ticked in the spec. Work in a worktree has to land first: the spec is in the
// checkout. Ferrus ticks it with a select command; the human may have done so, and then
// it is recorded as ticked all the same.
func (w World) NeedsTick() bool {
	home := w.Task == nil || w.Task.Workspace == nil || w.Task.Landed != nil
	return w.State == task.Complete && w.TaskSpec != "" && w.TaskMilestone != "" && !w.TaskTicked && home
}

// snap returns the snapshot of the task's machine in w, which has only what is open.
// The texts and trees stay here: the machine has counts and tickets only. An ended
// gate, consultation or question is zero in it, though World keeps it.
func (w World) snap() task.Snap {
	d := task.Data{Retries: w.CheckRetries, Cycles: w.ReviewCycles}
	copy(d.Paused[:], w.Paused)
	if w.Submission != nil {
		d.Voided = w.Submission.Voided
	}
	if w.Gate != nil && w.IsIn(task.Checking) {
		d.Gate = task.Gate{Ticket: w.Gate.Ticket, From: w.Gate.From, Passed: w.Gate.Verdict != "", Lost: w.Gate.Lost}
	}
	d.Flaky = w.Gate != nil && w.Gate.Verdict == checks.Flaky && (w.IsIn(task.Checking) || w.IsIn(task.Reviewing))
	if w.Consult != nil && w.IsIn(task.Consultation) {
		d.Consult = task.Asked{Ticket: w.Consult.Ticket, Answered: w.Consult.Answered}
	}
	if w.Question != nil && w.State == task.AwaitingHuman {
		d.Question = w.Question.Ticket
	}
	return task.Snap{At: w.State, Data: d}
}

// move applies a snapshot of the machine: the state, the pauses, the counters and what
// is known of open tickets. The caller adds or removes what the tickets are about.
// Since changes with the state only, so an event that stays does not restart the clock
// that is shown.
func (w *World) move(s task.Snap, now time.Time) {
	if w.State != s.At {
		w.State, w.Since = s.At, stamp(now)
	}
	w.Paused = s.Data.Paused.States()
	w.PausedState = s.Data.Paused.Top()
	w.CheckRetries, w.ReviewCycles = s.Data.Retries, s.Data.Cycles
	if w.Submission != nil {
		w.Submission.Voided = s.Data.Voided
	}
	if w.Gate != nil && w.Gate.Ticket == s.Data.Gate.Ticket {
		w.Gate.Lost = s.Data.Gate.Lost
	}
	if w.Consult != nil && w.Consult.Ticket == s.Data.Consult.Ticket {
		w.Consult.Answered = s.Data.Consult.Answered
	}
}
