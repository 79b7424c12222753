package session

import (
	"cmp"
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/project"
	"ferrus/machine/session"
)

// Patience is how long a session may look dead before something is done about it.
type Patience struct {
	// Silence is how long a headless session may neither write nor call a tool before
	// the human is told; 0: 30 s. A model's answer seldom takes longer.
	Silence time.Duration
	// Server is the least time between two looks at the server of a session, where
	// grace_secs is shorter; 0: 5 s. A loaded machine takes seconds to start another.
	Server time.Duration
}

func (p Patience) filled() Patience {
	return Patience{Silence: cmp.Or(p.Silence, 30*time.Second), Server: cmp.Or(p.Server, 5*time.Second)}
}

// watch begins everything that looks at a process while it lives.
func (r *Runner) watch(p Process, age time.Duration) {
	if d := r.Policy().Timeout(); d > 0 {
		r.whileAlive(p, d-age, func() { r.step(session.TimedOut{Session: r.snap.Data.Session}) })
	}
	r.watchServer(p, false)
	if !r.job.Attended {
		r.watchTrouble(p, time.Time{})
	}
	switch idle := r.Policy().Idle(); {
	case !r.job.Interactive:
		r.watchSilence(p, time.Time{})
	case idle > 0 && !r.job.Attended:
		r.watchIdle(p, idle)
	}
}

// whileAlive runs f after d if the process is not reaped then.
func (r *Runner) whileAlive(p Process, d time.Duration, f func()) *time.Timer {
	return r.after(d, func() {
		if r.process == p {
			f()
		}
	})
}

// watchServer ends a session whose server died: its client can call nothing any more,
// and not every client gives up by itself. Once says that it was dead at the last
// look; a client that starts another server has until the next.
func (r *Runner) watchServer(p Process, once bool) {
	r.whileAlive(p, max(r.Policy().Grace(), r.Patience.Server), func() {
		if r.snap.Data.Cause != "" || !session.Undone(r.snap) {
			return
		}
		dead := r.serverDied()
		if !dead || !once {
			r.watchServer(p, dead)
			return
		}
		r.Notice(fmt.Sprintf("the %s lost its ferrus server: restarting its session", r.Slot))
		r.step(session.ServerLost{Session: r.snap.Data.Session})
	})
}

// serverDied reports a server that was killed: one that ends removes its presence.
func (r *Runner) serverDied() bool {
	p := r.presence()
	if p.PID == 0 {
		return false
	}
	alive, known := process.Alive(&process.Identity{Host: p.Host, Boot: p.Boot, PID: p.PID, Start: p.Start})
	return known && !alive
}

// presence is what the session's server says of itself.
func (r *Runner) presence() project.Presence {
	if r.Presence == nil {
		return project.Presence{}
	}
	return r.Presence(r.entry.Session)
}

// watchSilence tells the human of a headless session that is to work and says nothing:
// a client that waits for a server that does not answer, or that tries again without
// a word, would keep them waiting for nothing. Told is the last sign of life that was
// given notice of.
func (r *Runner) watchSilence(p Process, notified time.Time) {
	r.whileAlive(p, r.Silence/6, func() {
		if last, working := r.lastSign(); working && time.Since(last) >= r.Silence && !last.Equal(notified) {
			notified = last
			r.Notice(fmt.Sprintf("no output from the %s (%s) for %.0f s: check its pane",
				r.Slot, r.entry.AgentType, r.Silence.Seconds()))
		}
		r.watchSilence(p, notified)
	})
}

// lastSign returns when the session last wrote or called something, and whether it is
// to be at work: one that waits in a call, or may end, is not.
func (r *Runner) lastSign() (last time.Time, working bool) {
	p := r.presence()
	last = r.entry.StartedAt
	if out := r.output.last(); out.After(last) {
		last = out
	}
	if p.Since != nil && p.Since.After(last) {
		last = *p.Since
	}
	return last, p.Tool == "" && r.wanted && r.dismissal == nil && r.snap.Data.Cause == ""
}

// watchTrouble looks whether the program says what keeps it from working: while it
// tries again and again, or asks on a screen of its own before it has called anything.
func (r *Runner) watchTrouble(p Process, seen time.Time) {
	r.whileAlive(p, r.Silence/6, func() {
		if r.snap.Data.Reported {
			return
		}
		if last := r.output.last(); last.After(seen) {
			seen = last
			r.report(r.diagnose(r.job.Interactive && r.presence().FirstCall == nil))
		}
		r.watchTrouble(p, seen)
	})
}

// watchIdle ends an interactive session that has gone silent at its prompt.
func (r *Runner) watchIdle(p Process, idle time.Duration) {
	r.whileAlive(p, idle, func() {
		if time.Since(r.output.last()) < idle || r.presence().Tool != "" {
			r.watchIdle(p, idle)
			return
		}
		if limit := r.limitOnScreen(); limit.Reached() {
			r.park(limit)
			return
		}
		r.report(r.diagnose(true))
		r.step(session.WentIdle{Session: r.snap.Data.Session})
	})
}

// diagnose finds a trouble of the session that the human can mend, if there is one.
// Over says that the program has stopped trying. A human who sits before the program
// reads it there.
func (r *Runner) diagnose(over bool) (agent.Trouble, bool) {
	if r.job.Attended || r.terminal == nil {
		return agent.Trouble{}, false
	}
	return agent.Diagnose(r.entry.AgentType, r.rows(), over)
}

// report tells the human of a trouble, once a session.
func (r *Runner) report(t agent.Trouble, found bool) {
	if found {
		r.step(session.Trouble{
			Session: r.snap.Data.Session,
			Message: fmt.Sprintf("the %s (%s) %s: %s. It says: %s", r.Slot, r.entry.AgentType, t.What, t.Fix, t.Message),
		})
	}
}

// explainEnd says how a session ended that left its work undone, and what it wrote last:
// without a screen nobody reads its pane. It returns a trouble that the next session
// would end in too.
func (r *Runner) explainEnd(end session.SessionExited) string {
	t, found := r.diagnose(true)
	r.report(t, found)
	timedOut := r.snap.Data.Cause == session.TimedOut{}.Kind()
	quiet := end.Outcome == session.Success && end.Progress || timedOut
	switch {
	case found && t.Lasting:
		return "its program " + t.What + ": " + t.Fix
	case !found && !r.job.Interactive && !quiet && r.Stalled != nil:
		const got = "the %s (%s) made no progress, %s: %s"
		r.Stalled(fmt.Sprintf(got, r.Slot, r.entry.AgentType, r.exit, r.LastOutput()))
	}
	return ""
}
