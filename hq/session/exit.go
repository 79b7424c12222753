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

// reap handles the end of the process with a number, on the loop, once the process and
// all that it started are gone. The order matters: first the facts about the exit, then
// Reaped, which may accept a last call, then the machine's judgement, which may start a
// wait or stop the slot, and last Exited. A kill before the registry is saved leaves a
// running session on disk without a process; the next owner restores its slot, and reads
// how it ended from its host's record.
func (r *Runner) reap(number uint32, exit agent.Exit) {
	cause := r.snap.Data.Cause
	r.cancelDismissal()
	r.endServerWait()
	r.process = nil
	r.live.Store(nil)
	r.correctStart()
	end := End{Job: r.job, Session: r.entry.Session, Exit: exit, Summary: describeExit(exit, cause)}
	if limit := r.limitOf(exit); r.snap.Data.Parked {
		end.Limit = r.wait.record.Why // it was parked while it ran, and cancelled for it
	} else if r.wanted && limit.Reached() {
		end.Limit = r.park(limit)
	}
	if end.Limit != "" {
		end.Summary = "hit a usage limit"
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

// judge returns what the machine must know of an exit, and reports to the human one
// that left its work undone. A session that runs once has nothing left to do after a
// success. The trouble is looked for only where work is left undone, because only then
// the next session could meet it.
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

// crashed reports an exit by an error, after which the purpose of the session is still
// to be met. An attended program that a human quits is not a crash, whatever its exit
// code; one that was killed is. One whose time was up did not crash, though it
// failed.
func (r *Runner) crashed(exit agent.Exit, cause machine.Kind) bool {
	failed := r.snap.At == session.CoolingDown || r.snap.At == session.Stopped
	timedOut := cause == session.TimedOut{}.Kind()
	return failed && !timedOut && (!r.job.Attended || exit.Signal == syscall.SIGKILL)
}

// exited saves the slot, then calls Exited. A failed save does not keep the owner from
// learning of the exit. The order matters: what the owner starts next must find the
// exit recorded.
func (r *Runner) exited(end End) {
	_ = r.Save() // the owner reports the error and retries
	if r.Exited != nil {
		r.Exited(end)
	}
}

// outcome judges an exit by its code and signal alone. A timeout is the machine's to
// know. An agent that fails its task and exits with 0 is a success here; whether it got
// anywhere is judged by its accepted calls.
func outcome(exit agent.Exit) session.Outcome {
	if exit.Code == 0 && exit.Signal == 0 {
		return session.Success
	}
	return session.Error
}

// describeExit returns an exit in words. Cause is the event that cancelled the session;
// empty: it ended by itself. It is stored, shown and journaled, and never parsed.
func describeExit(exit agent.Exit, cause machine.Kind) string {
	switch {
	case cause == session.TimedOut{}.Kind():
		return "ended: its time was up"
	case cause == session.UrgentMessage{}.Kind():
		return "interrupted by a message"
	case outcome(exit) == session.Error &&
		(cause == session.Dismissed{}.Kind() || cause == session.Superseded{}.Kind()):
		return "stopped" // how its program ends then says nothing
	case exit.Signal != 0:
		return "ended by " + exit.SignalName()
	case exit.Code < 0:
		return "exit unknown" // its host ended first
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code)
	}
	return "done"
}

// limitOf returns the usage limit that a session ended with. A headless program reports
// it in its output, an interactive one shows it on its screen. In an attended session
// the human decides what a limit means. A limit takes precedence over the exit code:
// programs end with any code when they meet one.
func (r *Runner) limitOf(exit agent.Exit) agent.Limit {
	switch {
	case r.job.Attended:
		return agent.Limit{}
	case r.job.Interactive:
		return r.limitOnScreen()
	}
	return exit.Limit
}

// limitOnScreen returns the usage limit that the screen of the newest session shows now.
func (r *Runner) limitOnScreen() agent.Limit {
	return agent.LimitOnScreen(r.entry.AgentType, sessionRows(r.terminal), time.Now())
}
