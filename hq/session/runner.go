// Package session runs the agent sessions of slots through the session machine.
//
// A [Runner] has one slot, and at most one process in it at a time. Tell it on every
// turn of its [Loop] what the plan wants: [Runner.Want] a session for a [Job],
// [Runner.Retain] one that lives, or [Runner.Release] it. It does the rest by itself:
// it builds the prompt, has its [Launcher] start a process, watches that for
// silence, a dead server, a trouble, a usage limit and the end of its time, ends it,
// waits after errors, and starts the next. What happens comes back through
// [Callbacks]. A crash loses nothing that [Runner.Record] did not have:
// [Runner.Adopt] takes a process over that lived on, [Runner.Restore] a slot whose
// process did not.
//
// machine/session decides. The runner carries its effects out and knows facts; it
// keeps no state of its own about where a session is.
//
// Runners of one loop are for its goroutine. Only [Runner.Input], [Runner.Resize] and
// [Runner.View] may be called from anywhere.
//
// The package knows neither tasks nor their store, nor who looks at a session. It
// does not know where a process runs: that is the launcher's. [Local] starts
// processes on this machine, each in a host of its own, which [Host] is.
package session

import (
	"sync/atomic"
	"time"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// Options are what a slot has for all its sessions.
type Options struct {
	Slot     core.Slot
	Loop     *Loop
	Launcher Launcher
	Callbacks
	Patience

	// Policy returns the limits and times of sessions as they are now.
	Policy func() config.Session
	// Presence returns what the server of a session says of itself; the zero value
	// when it says nothing. nil: the agents have no server.
	Presence func(session string) project.Presence

	Columns, Rows, Scrollback int // of the screen until [Runner.Resize]; 0: 120, 40 and 10,000
}

// Callbacks are how a runner tells its owner what happens. All but Changed are called
// on the loop. Only Reaped, Exited and Stalled may be nil.
type Callbacks struct {
	// Save writes down what [Runner.Record] returns. A process is started only when it
	// returned nil, so that its server finds itself recorded; its error is how the
	// session ended then. Save tells the human itself what it cannot write.
	Save func() error
	// Reaped says that the process is gone, before it is judged. Whether a call of it
	// was accepted must be known to the runner when it returns: see [Runner.Accept].
	Reaped func(e project.SessionRecord, exit agent.Exit)
	// Exited says how the end was judged. The slot has been saved.
	Exited func(End)
	// Stalled says how a session ended that left its work undone and got nowhere, with
	// what it wrote last. It comes before the end is judged.
	Stalled func(words string)
	// Stuck says that the slot does not go on before the human has acted. Reason is
	// session-limit when the slot stopped, no-progress when it would lead nowhere.
	Stuck func(reason, because string)
	// Notice is a sentence for the human.
	Notice func(text string)
	// Problem is a Notice that says nothing new right after the same one.
	Problem func(text string)
	// Changed says that there is something new to draw. It may come at any rate and
	// from any goroutine, and must not wait for the loop.
	Changed func()
}

// End is how a session ended, and what that means.
type End struct {
	Job
	Session   string // its id
	Exit      agent.Exit
	Summary   string // the exit, for people
	Succeeded bool   // no error, interruption or limit: it took to heart what it was told
	WillRetry bool   // another one follows for the same purpose
	Limit     string // the usage limit that it met, in words; empty: none
}

// Snap is where the session machine of a slot is.
type Snap = session.Snap

// Runner runs the sessions of one slot. Make it with [New].
type Runner struct {
	Options
	snap     session.Snap
	since    time.Time    // of snap.At
	event    machine.Kind // that led to snap.At; empty: it was restored
	wanted   bool         // the plan asks for a session
	wait     *wait        // what Backoff asked for; nil: nothing
	terminal *vt.Locked   // nil: no session yet
	exit     string       // how the last session ended, in words
	current

	live     atomic.Pointer[Process] // where keys go without a turn of the loop; nil: nothing lives
	size     atomic.Pointer[size]    // that the screen is to have
	view     atomic.Pointer[View]
	detached chan struct{} // closed when the session is left to run on
}

// current is the session that lives, or lived last.
type current struct {
	job       Job
	entry     project.SessionRecord // as it is written down; Session is empty before the first
	process   Process               // nil: none lives
	nonce     string
	prompt    string
	output    *activity
	dismissal *time.Timer // dismisses it at the end of its grace; nil: it may stay
}

type size struct{ columns, rows int }

// New returns the runner of a slot that had no session.
func New(o Options) *Runner {
	o.Patience = o.Patience.filled()
	if o.Columns == 0 || o.Rows == 0 {
		o.Columns, o.Rows = 120, 40
	}
	if o.Scrollback == 0 {
		o.Scrollback = 10_000
	}
	r := &Runner{Options: o, snap: session.New(1, 0), since: time.Now(), detached: make(chan struct{})}
	r.size.Store(&size{o.Columns, o.Rows})
	r.publish()
	return r
}

// Lives reports whether a process of the slot is not reaped.
func (r *Runner) Lives() bool { return r.process != nil }

// Snap returns where the session machine is.
func (r *Runner) Snap() Snap { return r.snap }

// Job returns what the session is for that lives, or lived last.
func (r *Runner) Job() Job { return r.job }

// Record returns the newest session as the next owner of the slot must know it; its
// Session is empty before the first.
func (r *Runner) Record() project.SessionRecord {
	e, d := r.entry, r.snap.Data
	e.State = r.snap.At
	e.Counters = &project.Counters{
		Consecutive: int(d.Consecutive), Total: int(d.Total), Idle: int(d.Fruitless), Ending: d.Ending,
		Restarts: int(d.Restarts), Troubles: int(d.Troubles), Limits: int(d.Limits),
	}
	e.Wait = nil
	if r.wait != nil {
		e.Wait = &r.wait.record
	}
	return e
}

// Input sends bytes to the agent as if they were typed there. Without a session that
// lives they are lost. It may be called from anywhere.
func (r *Runner) Input(data []byte) error {
	process := r.live.Load()
	if process == nil {
		return nil
	}
	return (*process).Input(data)
}

// Resize gives the screen a new size, also before the first session. It may be called
// from anywhere and does not wait.
func (r *Runner) Resize(columns, rows int) {
	r.size.Store(&size{columns, rows})
	if !r.post(r.resize) {
		if t := r.View().Terminal; t != nil {
			t.Resize(columns, rows) // what the last session left is still shown
		}
	}
}

// resize gives the newest size to whoever draws: the process, which tells the screen
// when its terminal has it, or the screen that the last one left.
func (r *Runner) resize() {
	to := *r.size.Load()
	if r.Columns == to.columns && r.Rows == to.rows {
		return
	}
	r.Columns, r.Rows = to.columns, to.rows
	switch {
	case r.process != nil:
		if err := r.process.Resize(to.columns, to.rows); err != nil {
			r.Problem(err.Error())
		}
	case r.terminal != nil:
		r.terminal.Resize(to.columns, to.rows)
	}
}

// post runs f in the loop; false when the loop is closed.
func (r *Runner) post(f func()) bool {
	return r.Loop.Post(func() { f(); r.publish() })
}

// after runs f in the loop when d has passed.
func (r *Runner) after(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { r.post(f) })
}
