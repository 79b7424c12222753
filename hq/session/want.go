package session

import (
	"strings"

	"ferrus/machine/session"
)

// Want asks for a session for a job, and brings the slot one step nearer to it. Ask
// again on each turn: a slot that waits, or whose last process is not reaped, begins
// later.
func (r *Runner) Want(job Job) {
	defer r.publish()
	r.wanted = true
	if r.process != nil {
		r.wantLiving(job)
		return
	}
	if r.snap.Data.Parked && (job.Agent.Agent != r.entry.AgentType || job.Agent.Model != r.entry.Model) {
		r.step(session.BackoffElapsed{Session: r.snap.Data.Session}) // another account
	}
	if job.Origin != r.entry.Task && r.entry.Task != "" {
		r.step(session.TaskChanged{})
		r.entry.Task = job.Origin
	}
	if job.Prepared && (r.snap.At == session.Initializing || r.snap.At == session.SessionComplete) {
		r.step(session.WorktreeReady{})
	}
	if r.snap.At == session.BuildingPrompt {
		r.buildPrompt(job)
	}
}

// wantLiving has the session that lives go on, unless it is not the one for the job.
func (r *Runner) wantLiving(job Job) {
	number := r.snap.Data.Session
	switch {
	case job.Want != nil && (r.job.Want == nil || *r.job.Want != *job.Want):
		r.step(session.Superseded{Session: number})
	case r.dismissal != nil && r.job.Interactive && !r.job.Attended && r.presence().Tool == "":
		r.step(session.Dismissed{Session: number}) // it sits at its prompt, where nothing tells it of new work
	default:
		r.cancelDismissal()
	}
}

// Retain takes back a Release. A session that lives may stay, and none is started.
func (r *Runner) Retain() {
	defer r.publish()
	r.wanted = false
	r.cancelDismissal()
}

func (r *Runner) cancelDismissal() {
	if r.dismissal != nil {
		r.dismissal.Stop()
		r.dismissal = nil
	}
}

// Release says that nothing is left to do for the session that lives. It has
// grace_secs to end by itself, unless at once says that not even that is wanted.
func (r *Runner) Release(atOnce bool) {
	defer r.publish()
	r.wanted = false
	switch {
	case r.process == nil:
	case atOnce:
		r.step(session.Dismissed{Session: r.snap.Data.Session})
	case r.dismissal == nil:
		r.dismissal = r.whileAlive(r.process, r.Policy().Grace(), func() {
			if r.dismissal != nil {
				r.dismissal = nil
				r.step(session.Dismissed{Session: r.snap.Data.Session})
			}
		})
	}
}

// Interrupt has the session that lives ended, because its next prompt carries a
// message. That is no error. A session that was told to end, or does not live, gets
// the message with the next prompt anyway.
func (r *Runner) Interrupt() {
	defer r.publish()
	r.step(session.UrgentMessage{})
}

// Interruptible reports whether Interrupt would reach a session: one that runs, or is
// about to, and was not told to end.
func (r *Runner) Interruptible() bool {
	return r.process != nil && r.snap.Data.Cause == "" && session.Undone(r.snap)
}

// WaitsInTool reports whether a tool of the session waits for something, so that a
// message can be its answer.
func (r *Runner) WaitsInTool() bool { return strings.HasPrefix(r.presence().Tool, "wait_for_") }

// Stop ends the session and stops the slot until [Runner.Resume].
func (r *Runner) Stop() {
	defer r.publish()
	r.wanted = false
	r.step(session.OperatorStop{})
}

// Resume ends every wait of the slot, and has it go on if it was stopped or gave up.
// It reports whether there was anything to resume.
func (r *Runner) Resume() bool {
	defer r.publish()
	before := r.snap
	r.step(session.Resumed{})
	return session.Waiting(before) || before.At == session.Stopped
}

// Accept notes that a call of the session was accepted: it is established, and has
// achieved something.
func (r *Runner) Accept() {
	defer r.publish()
	r.entry.Accepted = true
	r.step(session.SessionStarted{Session: r.snap.Data.Session})
}

// Establish makes a session Running whose server was called.
func (r *Runner) Establish() {
	if r.process != nil && r.snap.At == session.Spawning && r.presence().FirstCall != nil {
		defer r.publish()
		r.step(session.SessionStarted{Session: r.snap.Data.Session})
	}
}

// Detach lets the session run on without us, if it can; see [Process.Detach]. It is the
// last call.
func (r *Runner) Detach() {
	r.cancelDismissal()
	close(r.detached)
	if r.process != nil {
		r.process.Detach()
	}
}
