package session

import (
	"fmt"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
)

// reap takes the end of the process: what is known of it first, then the judgement
// of the machine, and then what that means for the owner.
func (r *Runner) reap(number uint32, exit agent.Exit) {
	cause := r.snap.Data.Cause
	r.cancelDismissal()
	r.process = nil
	r.live.Store(nil)
	end := End{Job: r.job, Session: r.entry.Session, Exit: exit, Summary: describeExit(exit, cause)}
	if limit := r.limitOf(exit); r.snap.Data.Parked {
		end.Limit = r.wait.record.Why // it was told to end for it
	} else if r.wanted && limit.Reached() {
		end.Limit = r.park(limit)
	}
	if end.Limit != "" {
		end.Summary = "met a usage limit"
	}
	r.exit = end.Summary
	r.entry.Status, r.entry.PID, r.entry.Exit = project.Suspended, 0, end.Summary
	if r.Reaped != nil {
		r.Reaped(r.entry, exit)
	}
	r.step(r.judge(number, exit))
	end.Succeeded = r.snap.At == session.SessionComplete
	end.WillRetry = cause == session.UrgentMessage{}.Kind() || end.Limit != "" || r.crashed(exit, cause)
	r.exited(end)
}

// judge says what the machine must know of an end, and tells the human of one that
// left its work undone.
func (r *Runner) judge(number uint32, exit agent.Exit) session.SessionExited {
	end := session.SessionExited{
		Session: number, Outcome: outcome(exit), Progress: r.entry.Accepted,
		Unwanted: !r.wanted || r.job.Once && outcome(exit) == session.Success,
	}
	if !end.Unwanted && session.Undone(r.snap) {
		end.Trouble = r.explainEnd(end)
	}
	return end
}

// crashed reports an end by an error: what the session was for is still to be done.
// A human who sits before a program ends it there, with whatever exit that has.
func (r *Runner) crashed(exit agent.Exit, cause machine.Kind) bool {
	failed := r.snap.At == session.CoolingDown || r.snap.At == session.Stopped
	timedOut := cause == session.TimedOut{}.Kind()
	return failed && !timedOut && (!r.job.Attended || exit.Signal == syscall.SIGKILL)
}

// exited tells the owner, once the end is written down.
func (r *Runner) exited(end End) {
	_ = r.Save() // the owner says why it cannot, and tries again
	if r.Exited != nil {
		r.Exited(end)
	}
}

// outcome judges an end by the exit alone.
func outcome(exit agent.Exit) session.Outcome {
	if exit.Code == 0 && exit.Signal == 0 {
		return session.Success
	}
	return session.Error
}

// describeExit say how a process ended that was told to end because of cause, if it was.
func describeExit(exit agent.Exit, cause machine.Kind) string {
	switch {
	case cause == session.TimedOut{}.Kind():
		return "ended: over its time"
	case exit.Signal != 0:
		return fmt.Sprintf("ended by %s", exit.Signal)
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code)
	}
	return "done"
}

// limitOf returns the usage limit that a session ended with. One with a screen of its
// own says so there, unless a human sits before it.
func (r *Runner) limitOf(exit agent.Exit) agent.Limit {
	switch {
	case r.job.Attended:
		return agent.Limit{}
	case r.job.Interactive:
		return r.limitOnScreen()
	}
	return exit.Limit
}

func (r *Runner) limitOnScreen() agent.Limit {
	return agent.LimitOnScreen(r.entry.AgentType, r.rows(), time.Now())
}
