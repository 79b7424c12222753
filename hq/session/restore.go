package session

import (
	"fmt"
	"time"

	"ferrus/hq/project"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// Found is a session that ran on without an owner, with the screen that its output goes
// to. [Local.Find] returns it. Pass it to [Runner.Adopt] or detach it. It holds a
// connection, so each is adopted or detached, and no other copy used after that.
type Found struct {
	process       Process
	screen        *screen
	columns, rows int
}

// Detach lets the session run on; see [Process.Detach].
func (f Found) Detach() { f.process.Detach() }

// Adopt continues a session that ran on without an owner, in the state that was
// recorded. Its accepted calls come from the journal, with [Runner.Accept]; its
// timeouts count from its start. Call it before the loop starts. Its screen is as the
// host kept it. The prompt and the secret are not restored: only the process needs
// them.
func (r *Runner) Adopt(e project.SessionRecord, job Job, f Found) {
	defer r.publish()
	e.Accepted = false
	r.snap = session.Restore(e.State, uint32(e.SessionSeq), counters(e), false)
	r.since = e.StartedAt
	r.current = current{job: job, entry: e, output: f.screen.output}
	r.terminal, r.Columns, r.Rows = f.screen.Locked, f.columns, f.rows
	r.trackProcess(r.snap.Data.Session, f.process, max(time.Since(e.StartedAt), 0))
}

// Restore continues a slot whose recorded process is gone, with its error counters and
// with its wait if that is not over. The runner has no process then. Call it before the
// loop starts. Its numbers continue from the recorded one, so no log is written twice.
func (r *Runner) Restore(e project.SessionRecord, job Job) {
	defer r.publish()
	at := e.State
	if e.Wait == nil || e.Wait.Left(project.ReadClock()) <= 0 {
		at = session.Initializing
	}
	count := counters(e)
	if e.State == session.Stopped { // it starts again only once you have resumed it: in a new machine
		count = session.Counters{Total: count.Total}
	}
	r.snap = session.Restore(at, uint32(e.SessionSeq), count, e.Wait != nil && e.Wait.Why != "")
	r.since = time.Now()
	r.current = current{entry: e}
	r.exit = e.Exit
	if e.Session != "" && e.Log != "" {
		r.terminal = vt.NewLocked(r.Columns, r.Rows, r.Scrollback) // where a countdown is shown, too
		const past = "\x1b[2m── session %d: %s, ferrus logs %s shows it ──\x1b[0m\r\n"
		fmt.Fprintf(r.terminal, past, e.SessionSeq, e.Exit, r.Slot)
	}
	if !session.Waiting(r.snap) {
		return
	}
	r.job, r.since = job, e.Wait.Until.Add(-e.Wait.Length)
	r.startWait(r.snap.Data.Session, *e.Wait)
}

// counters converts the recorded counters of a slot; nil has none.
func counters(e project.SessionRecord) session.Counters {
	n := e.Counters
	if n == nil {
		return session.Counters{}
	}
	return session.Counters{
		Consecutive: uint32(n.Consecutive), Total: uint32(n.Total), Fruitless: uint32(n.Idle),
		Restarts: uint32(n.Restarts), Troubles: uint32(n.Troubles), Limits: uint32(n.Limits),
	}
}
