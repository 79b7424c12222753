package session

import (
	"strings"

	"ferrus/machine/session"
)

// Want asks for a session for a job, and takes the slot one step towards it. Call it on
// every turn while the plan wants the session: a slot that waits, whose workspace is
// not prepared or whose last process is not reaped starts it on a later turn. A session
// that runs for another request is stopped first. Repeating it for the same job changes
// nothing.
func (r *Runner) Want(job Job) {
	defer r.publish()
	r.wanted = true
	if r.process != nil {
		r.wantLiving(job)
		return
	}
	if r.snap.Data.Parked && (job.Agent.Agent != r.entry.AgentType || job.Agent.Model != r.entry.Model) {
		r.step(session.BackoffElapsed{Session: r.snap.Data.Session}) // another account has no limit yet
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

// wantLiving keeps the session that runs, unless it serves another request, or sits at
// its own prompt, where no tool call brings it new work. A session at its own prompt
// has done what it was started for and would sit there forever, because nothing types
// into it.
func (r *Runner) wantLiving(job Job) {
	number := r.snap.Data.Session
	switch {
	case job.Want != nil && (r.job.Want == nil || *r.job.Want != *job.Want):
		r.step(session.Superseded{Session: number})
	case r.dismissal != nil && r.job.Interactive && !r.job.Attended && r.presence().Tool == "":
		r.step(session.Dismissed{Session: number}) // its program waits for a human
	default:
		r.cancelDismissal()
	}
}

// Supersede stops the session that runs, because another is to do its work: the next Want
// starts that. It counts as no error.
func (r *Runner) Supersede() {
	defer r.publish()
	r.step(session.Superseded{Session: r.snap.Data.Session})
}

// Reopen stops the session that runs like [Runner.Supersede], and makes the next one continue its
// conversation, on its program's own screen or without one, as the job says then.
func (r *Runner) Reopen() {
	r.continues = r.entry
	r.Supersede()
}

// Wanted reports whether a session of the slot is to run: where it ends, another starts.
func (r *Runner) Wanted() bool { return r.wanted }

// Retain takes back a Release: the session that runs may stay, and none is started.
// Call it while the plan neither starts nor ends the slot's session. It is what a hold
// means for a session: the running one may finish.
func (r *Runner) Retain() {
	defer r.publish()
	r.wanted = false
	r.cancelDismissal()
}

// cancelDismissal stops the timer that Release set.
func (r *Runner) cancelDismissal() {
	if r.dismissal != nil {
		r.dismissal.Stop()
		r.dismissal = nil
	}
}

// Release says that nothing is left to do for the session that runs. It has grace_secs
// to end by itself, from the first call on; with atOnce it is stopped now. However it
// ends then, it counts as no error. The grace is for the agent's last words; a session
// whose tool has just returned usually ends by itself.
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

// Interrupt stops the session that runs, because the next prompt carries a message.
// That is no error, and the next session follows at once. A slot without a process, or
// whose process is stopping anyway, needs no interruption: its next prompt carries the
// message. The interrupted session gets grace_secs to end, and what it had done is in
// the tree.
func (r *Runner) Interrupt() {
	defer r.publish()
	r.step(session.UrgentMessage{})
}

// Interruptible reports whether Interrupt would reach a session: one that runs or
// starts, and is not stopping. Where it is false, the next prompt carries the message
// anyway.
func (r *Runner) Interruptible() bool {
	return r.process != nil && r.snap.Data.Cause == "" && session.Undone(r.snap)
}

// WaitsInTool reports whether the session waits in a tool call, so that a message can
// be the result of that call. It reads the presence of the session's server. It may be
// over a moment later, so a message for the tool is kept until the server has taken it.
func (r *Runner) WaitsInTool() bool { return strings.HasPrefix(r.presence().Tool, "wait_for_") }

// Stop stops the session, if one runs, and the slot until [Runner.Resume]. The process
// gets its grace; the slot is Stopped at once.
func (r *Runner) Stop() {
	defer r.publish()
	r.wanted = false
	r.step(session.OperatorStop{})
}

// Resume ends the slot's wait, and restarts a slot that was stopped or gave up, with
// fresh counters. The next Want starts the session. It reports whether there was
// anything to resume. It does not touch a session that runs.
func (r *Runner) Resume() bool {
	defer r.publish()
	before := r.snap
	r.step(session.Resumed{})
	return session.Waiting(before) || before.At == session.Stopped
}

// Accept records that a call of the session was accepted: the session is established,
// and its exit counts as progress. It may be repeated. The owner calls it for each
// journal entry of the session, in their order.
func (r *Runner) Accept() {
	defer r.publish()
	r.entry.Accepted, r.entry.Trouble = true, ""
	r.step(session.SessionStarted{Session: r.snap.Data.Session})
	r.step(session.Progressed{Session: r.snap.Data.Session})
}

// Establish makes a starting session Running once its server was called. Call it on every
// turn; it reads the presence only while the session starts.
func (r *Runner) Establish() {
	if r.process != nil && r.snap.At == session.Spawning && r.presence().FirstCall != nil {
		defer r.publish()
		r.step(session.SessionStarted{Session: r.snap.Data.Session})
	}
}

// Detach lets the session run on without us, if it can; see [Process.Detach]. It is the
// last call on the loop.
func (r *Runner) Detach() {
	r.cancelDismissal()
	close(r.detached)
	if r.process != nil {
		r.process.Detach()
	}
}
