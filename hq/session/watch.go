package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/project"
	"ferrus/machine/session"
)

// Patience bounds how long a session may seem dead before the runner reports it. What
// happens then is decided by the machine. Tests shorten it.
type Patience struct {
	// Silence is the time after which a headless session that neither writes nor calls a
	// tool is reported to the human; 0: 30 s. A model seldom takes longer to answer.
	Silence time.Duration
	// Server is the shortest time between two checks of a session's server, where
	// grace_secs is shorter; 0: 5 s. A loaded machine takes seconds to start another.
	Server time.Duration
}

func (p Patience) filled() Patience {
	return Patience{Silence: cmp.Or(p.Silence, 30*time.Second), Server: cmp.Or(p.Server, 5*time.Second)}
}

// watch starts everything that checks on a process while it runs. Age is how long it
// has run already. Each check is a timer on the loop that sets the next one, so they
// end with the process or the loop. An attended session has a human who sees troubles
// and silence, so only its time and its server are watched.
func (r *Runner) watch(p Process, age time.Duration) {
	if d := r.Policy().Timeout(); d > 0 {
		r.watchTime(p, d-age)
	}
	r.watchServer(p, false)
	if !r.job.Attended {
		r.watchTrouble(p, time.Time{})
	}
	switch idle := r.Policy().Idle(); {
	case !r.job.Interactive:
		r.watchSilence(p, time.Time{})
	case !r.job.Attended:
		r.watchTurn(p, time.Time{})
		if idle > 0 {
			r.watchIdle(p, idle)
		}
	}
}

// turnEnds is how often an interactive session is checked for the end of its turn, and turnSettles how long after
// its newest output: its record may be written after what is drawn.
const (
	turnEnds    = time.Second
	turnSettles = 10 * time.Second
)

// watchTurn stops an interactive session whose program reports the end of its turn, where a headless one
// would end. You have grace_secs to type the next prompt, counted from your newest key. Seen is the time
// of the newest output that has been checked.
func (r *Runner) watchTurn(p Process, seen time.Time) {
	turns, ok := r.Launcher.(interface {
		TurnEnded(e project.SessionRecord, workspace string) time.Time
	})
	if !ok {
		return
	}
	r.afterOutput(p, seen, turnEnds, func() {
		if last := r.output.last(); !last.Equal(seen) {
			r.correctStart()
			ended := turns.TurnEnded(r.entry, r.job.Workspace)
			over := !ended.IsZero() && ended.After(r.lastTyped())
			switch {
			case over && time.Since(ended) >= r.Policy().Grace() && r.presence().Tool == "" && !r.asks():
				r.endIdle()
				return
			case !over && time.Since(last) > turnSettles:
				seen = last
			}
		}
		r.watchTurn(p, seen)
	})
}

// lastTyped returns when something was last typed into the session; zero: nothing was.
func (r *Runner) lastTyped() time.Time {
	if at := r.typed.Load(); at != 0 {
		return earliest(origin.Add(time.Duration(at)))
	}
	return time.Time{}
}

// watchTime stops a session that has taken longer than it may, unless it waits for the human.
func (r *Runner) watchTime(p Process, left time.Duration) {
	r.whileAlive(p, left, func() {
		if r.asks() {
			r.watchTime(p, r.Silence)
			return
		}
		r.step(session.TimedOut{Session: r.snap.Data.Session})
	})
}

// asks reports whether the session waits for the human's permission.
func (r *Runner) asks() bool { return r.Asks != nil && r.Asks(r.entry.Session) }

// whileAlive runs f on the loop after d, unless the process is reaped by then. It
// compares processes, so a timer of the previous session does nothing.
func (r *Runner) whileAlive(p Process, d time.Duration, f func()) *time.Timer {
	return r.after(d, func() {
		if r.process == p {
			f()
		}
	})
}

// afterOutput is [Runner.whileAlive], but d begins only once the process has written something newer than seen: a
// quiet session costs nothing.
func (r *Runner) afterOutput(p Process, seen time.Time, d time.Duration, f func()) {
	r.output.await(seen, func() { r.whileAlive(p, d, f) })
}

// watchServer restarts a session whose server died: its agent can call nothing any more,
// and not every agent gives up by itself. Once says that the server was dead at the last
// check; an agent that restarts its server has until the next one.
func (r *Runner) watchServer(p Process, once bool) {
	r.whileAlive(p, max(r.Policy().Grace(), r.Patience.Server), func() {
		if r.snap.Data.Cause != "" || !session.Undone(r.snap) {
			return
		}
		switch server := r.presence(); {
		case !serverDied(server):
			r.awaitServer(p, server)
		case !once:
			r.watchServer(p, true)
		default:
			r.Notice(fmt.Sprintf("the %s lost its ferrus server: restarting its session", r.Slot.Pane()))
			r.step(session.ServerLost{Session: r.snap.Data.Session})
		}
	})
}

// awaitServer has the server checked when it ends, or when another one comes, see
// [Runner.ServerChanged]. Where the end of a process cannot be awaited, it is checked again and again.
func (r *Runner) awaitServer(p Process, server project.Presence) {
	r.endServerWait()
	ctx, stop := context.WithCancel(r.Loop.Context)
	r.serverWait = stop
	if server.PID == 0 {
		return // there is none yet
	}
	id := process.Identity{Host: server.Host, Boot: server.Boot, PID: server.PID, Start: server.Start}
	r.Loop.Go(func() {
		err := process.AwaitEnd(ctx, id)
		r.post(func() {
			if ctx.Err() == nil {
				r.endServerWait()
				r.watchServer(p, err == nil)
			}
		})
	})
}

// ServerChanged has the server of a session checked that has another one now, or its first.
func (r *Runner) ServerChanged(session string) {
	if r.process != nil && r.serverWait != nil && r.entry.Session == session {
		r.endServerWait()
		r.watchServer(r.process, false)
	}
}

// endServerWait ends the wait for the end of the server, if there is one.
func (r *Runner) endServerWait() {
	if r.serverWait != nil {
		r.serverWait()
		r.serverWait = nil
	}
}

// serverDied reports a server that was killed. One that exits removes its presence, and
// one of another machine is not known to be dead. Without a presence there is no server
// to have died.
func serverDied(p project.Presence) bool {
	if p.PID == 0 {
		return false
	}
	alive, known := process.Alive(&process.Identity{Host: p.Host, Boot: p.Boot, PID: p.PID, Start: p.Start})
	return known && !alive
}

// presence returns what the session's server last wrote about itself.
func (r *Runner) presence() project.Presence {
	if r.Presence == nil {
		return project.Presence{}
	}
	return r.Presence(r.entry.Session)
}

// watchSilence reports a headless session that should be working and prints nothing: an
// agent may wait for a model that does not answer, or retry without a word. Notified is
// the sign of life after which the silence was last reported: each silence is reported
// once, and none after a trouble that says more. It only tells the human: nothing is stopped
// for being silent. It is checked again when it can have been silent for long enough.
func (r *Runner) watchSilence(p Process, notified time.Time) {
	last, working := r.lastSign()
	if left := r.Silence - time.Since(last); left > 0 && working {
		r.whileAlive(p, left, func() { r.watchSilence(p, notified) })
		return
	}
	if working && !r.snap.Data.Reported && !last.Equal(notified) {
		notified = last
		r.Notice(fmt.Sprintf("no output from the %s (%s) for %.0f s: check its pane",
			r.Slot.Pane(), r.entry.AgentType, r.Silence.Seconds()))
	}
	r.whileAlive(p, r.Silence, func() { r.watchSilence(p, notified) })
}

// lastSign returns when the session last wrote or called something, and whether it
// should be working: one that waits in a call, or is stopping, should not. Calls count,
// because a model may work for minutes on files without a word.
func (r *Runner) lastSign() (last time.Time, working bool) {
	p := r.presence()
	r.correctStart()
	last = r.entry.StartedAt
	if out := r.output.last(); out.After(last) {
		last = out
	}
	if p.Since != nil && p.Since.After(last) {
		last = *p.Since
	}
	return last, p.Tool == "" && !r.asks() && r.wanted && r.dismissal == nil && r.snap.Data.Cause == ""
}

// watchTrouble checks whether the program prints what keeps it from working, while it
// retries, or asks on its own screen before its first call. Seen is the time of the
// newest output that was checked. Output that was checked once is not checked again, since
// reading a screen costs more than a clock. It ends with the first report, or, where no try
// can succeed, with the session once the program still tries at the next look.
func (r *Runner) watchTrouble(p Process, seen time.Time) {
	stuck := false
	var look func()
	look = func() {
		if r.snap.Data.Reported && !stuck {
			return
		}
		if last := r.output.last(); last.After(seen) {
			seen = last
			r.report(r.diagnose(r.job.Interactive && r.presence().FirstCall == nil))
		}
		before := stuck
		if stuck = r.snap.Data.Reported && r.isStuck(); stuck && before {
			r.end(r.Policy().Grace())
			return
		}
		if stuck {
			r.whileAlive(p, r.Silence/6, look)
			return
		}
		r.afterOutput(p, seen, r.Silence/6, look)
	}
	r.afterOutput(p, seen, r.Silence/6, look)
}

// stuckRows is how many of the newest rows of a screen say what a program does now.
const stuckRows = 4

// isStuck reports whether a headless program tries again, as the newest rows say, what no try
// can fix.
func (r *Runner) isStuck() bool {
	if r.job.Interactive || r.job.Attended || r.terminal == nil {
		return false
	}
	rows := slices.DeleteFunc(sessionRows(r.terminal), func(row string) bool { return strings.TrimSpace(row) == "" })
	t, found := agent.Diagnose(r.entry.AgentType, rows[max(len(rows)-stuckRows, 0):], false)
	return found && t.Final
}

// watchIdle stops an interactive session that has been silent at its prompt for
// idle_secs, and parks the slot if its screen shows a usage limit. A program that waits
// in a tool call is not at its prompt, however long that takes.
func (r *Runner) watchIdle(p Process, idle time.Duration) {
	r.whileAlive(p, idle, func() {
		if time.Since(r.output.last()) < idle || r.presence().Tool != "" || r.asks() {
			r.watchIdle(p, idle)
			return
		}
		r.endIdle()
	})
}

// endIdle stops a session at its prompt, or parks its slot if its screen shows a usage limit.
func (r *Runner) endIdle() {
	if limit := r.limitOnScreen(); limit.Reached() {
		r.park(limit)
		return
	}
	r.report(r.diagnose(true))
	r.step(session.WentIdle{Session: r.snap.Data.Session})
}

// diagnose finds a trouble on the session's screen that only the human can fix. Over
// says that the program no longer retries. In an attended session the human sees it
// anyway. What the screen says is the program's word, and therefore only shown; it
// moves nothing but the slot.
func (r *Runner) diagnose(over bool) (agent.Trouble, bool) {
	if r.job.Attended || r.terminal == nil {
		return agent.Trouble{}, false
	}
	t, found := agent.Diagnose(r.entry.AgentType, sessionRows(r.terminal), over)
	if found && t.IsPermission() && r.Refused != nil && r.Refused(r.entry.Name) {
		return agent.Trouble{}, false // it was you, and not its own checks
	}
	return t, found
}

// report reports a trouble to the human, once a session. The machine drops a second
// report of the same session. The record keeps it until a call of the session is accepted.
func (r *Runner) report(t agent.Trouble, found bool) {
	if !found {
		return
	}
	if words := t.What + ": " + t.Fix; r.entry.Trouble != words {
		r.entry.Trouble = words
		defer r.publish()
		_ = r.Save() // the owner reports the error and retries
	}
	r.step(session.Trouble{
		Session: r.snap.Data.Session,
		Message: fmt.Sprintf(
			"the %s (%s) %s: %s. It says: %s", r.Slot.Pane(), r.entry.AgentType, t.What, t.Fix, t.Message,
		),
	})
}

// explainEnd reports why a session left its work undone: its trouble, or else its exit and
// last output, which without a screen are seen nowhere else. It returns a trouble that the
// next session would end in too; empty: none.
func (r *Runner) explainEnd(end session.SessionExited) string {
	t, found := r.diagnose(true)
	r.report(t, found)
	timedOut := r.snap.Data.Cause == session.TimedOut{}.Kind()
	quiet := end.Outcome == session.Success && end.Progress || timedOut
	switch {
	case found && t.Lasting:
		return "its program " + t.What + ": " + t.Fix
	case !found && !r.job.Interactive && !quiet && r.Stalled != nil:
		text := fmt.Sprintf("the %s (%s) ended without progress (%s)", r.Slot.Pane(), r.entry.AgentType, r.exit)
		if last := r.LastOutput(); last != "" {
			text += "; its last output: " + last
		}
		if IsInside(r.entry.Sandbox) && end.Outcome == session.Error && !end.Progress {
			text += "; it ran in the sandbox: if a file or host was missing, list it in [sandbox] read or hosts"
		}
		r.Stalled(text)
	}
	return ""
}
