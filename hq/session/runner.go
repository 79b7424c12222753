// Package session runs the agent sessions of slots through the session machine.
//
// A [Runner] has one slot, and at most one process in it at a time. On every turn of its
// [Loop] (loop.go), tell it what the plan wants: [Runner.Want] a session for a [Job],
// [Runner.Retain] the one that runs, or [Runner.Release] it (want.go). It does the rest by
// itself: it builds the prompt and has its [Launcher] start a process (start.go), watches
// it for silence, a dead server, a trouble, a usage limit and its timeout (watch.go),
// classifies its exit (exit.go), waits after errors (wait.go), and starts the next. What
// happens comes back through [Callbacks].
//
// machine/session decides. The runner puts events to it and executes its effects
// (step.go); apart from the facts of the process it keeps no state of its own.
//
// After any kill, the [Runner.Record] that was saved last is enough to continue:
// [Runner.Adopt] takes over a process that is still running, [Runner.Restore] a slot
// whose process is gone (restore.go).
//
// Call a runner only on its loop's goroutine. Only [Runner.Input], [Runner.Resize] and
// [Runner.View] may be called from any goroutine.
//
// The package knows neither tasks nor their store, nor who watches a session, nor where a
// process runs: that is up to the launcher. [Local] starts processes on this machine, each
// in its own host process, which runs [Host] (local.go, hostdisk.go).
package session

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/human"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// Permissions say what sessions asked the human to permit. They are called on the loop; nil: no session asks.
type Permissions struct {
	Asks    func(session string) bool // it waits for the answer
	Refused func(name string) bool    // you refused what a session of that name asked for
}

// Options configure a slot for all its sessions. They do not change after [New], apart
// from the size.
type Options struct {
	Slot core.Slot
	// It is not the runner's to start or close.
	Loop *Loop // on which the runner is used; several runners may share one
	// Shared by the runners of a project.
	Launcher Launcher
	Callbacks
	Patience

	// Policy returns the limits and times of sessions that ferrus.toml sets now. It is
	// called on the loop, before every event. So an edited ferrus.toml counts from the
	// next event on, and may stop or spare a session that runs. It must not block.
	Policy func() config.Session
	// Presence returns what the server of a session last wrote about itself; the zero
	// value when there is nothing. nil: the agents have no server. It reads a file that
	// the server replaces as a whole; what it returns may be old, never half.
	Presence func(session string) project.Presence
	Permissions
	// Tree returns the hash of the tree that the slot works on; empty: it cannot be read. It is
	// called off the loop after a session has failed, and a tree that changed since the last
	// failure is progress. nil: the slot changes no files.
	Tree func() string

	// Columns, Rows and Scrollback are the size of the screen in cells, and its lines
	// above; [Runner.Resize] changes the first two. 0: 120, 40 and 10,000. They are the
	// size of sessions to come, and of what is shown where no process runs.
	Columns, Rows, Scrollback int
}

// Callbacks report to the owner of a runner. All but Changed are called on the loop. Only
// Reaped, Exited and Stalled may be nil.
type Callbacks struct {
	// Save writes what [Runner.Record] returns to disk. A process starts only after
	// Save has returned nil, so that its server finds itself recorded; an error counts
	// as an exit with an error. Save reports to the human itself what it cannot write.
	// It is called at every point after which a kill must find the new record.
	Save func() error
	// Reaped is called when the process is gone, before its exit is judged. If a call
	// of the session was accepted, call [Runner.Accept] before returning. Accepting
	// later than this has no effect on how the exit is judged.
	Reaped func(e project.SessionRecord, exit agent.Exit)
	// Exited is called after the exit was judged and the slot saved. It is called once
	// for each session, also for one that never had a process.
	Exited func(End)
	// Stalled is called with a sentence about a session that left its work undone and got
	// nowhere, with its last output. It comes before the exit is judged.
	Stalled func(text string)
	// Stuck is called when the slot does not continue until the human acts. Reason is
	// core.HoldSessionLimit when the slot stopped, core.HoldNoProgress when another
	// session would not get further; because is a sentence. The owner turns it into a
	// hold.
	Stuck func(reason, because string)
	// Notice is called with a sentence for the human. Each is about something that has
	// happened once.
	Notice func(text string)
	// Problem is called with a sentence that need not be repeated right after itself.
	// It comes from timers that look again and again, so it may come in rows.
	Problem func(text string)
	// Changed is called when there is something new to draw: at any rate, from any
	// goroutine. It must not wait for the loop.
	Changed func()
	// Printed is called like Changed, when a session has printed something; nil: Changed is.
	Printed func()
	// Stepped is called after each step of the machine, for a debug log; nil: there is none.
	Stepped func(event machine.Event, after Snap)
}

// End is how a session ended, and what follows. Its Job is what the session was started
// for; the plan may want another one by now.
type End struct {
	Job
	Session string // its id; empty: no process was started
	Exit    agent.Exit
	Summary string // the exit in words
	// Where it is false, messages that the prompt carried are delivered again.
	Succeeded bool // no error, interruption or limit: what its prompt carried counts as delivered
	// True after an interruption, a limit and a crash.
	WillRetry bool // another session follows for the same purpose
	// If it is set, the session counts neither as a success nor as an error.
	Limit string // the usage limit that it hit, in words; empty: none
}

// Snap is the state of a slot's session machine, with its data.
type Snap = session.Snap

// Runner runs the sessions of one slot. Make it with [New]. The loop owns everything
// below Options but the last five fields, which any goroutine may use. It has no lock
// of its own: a method that is called elsewhere than on the loop races, unless it says
// otherwise.
type Runner struct {
	Options
	slotState
	current

	typed    atomic.Int64            // when Input was last called, since origin
	live     atomic.Pointer[Process] // gets keys without a turn of the loop; nil: no process
	size     atomic.Pointer[size]    // wanted by the newest Resize
	view     atomic.Pointer[View]    // of the end of the last turn
	detached chan struct{}           // closed by Detach: the process is no longer watched
}

// slotState is what outlives the sessions of a slot. What of it must survive a kill is
// in Record.
type slotState struct {
	snap session.Snap
	// By the wall clock; restored slots start afresh.
	since time.Time    // when snap.At was entered
	event machine.Kind // that led to snap.At; empty: the slot was restored
	// Want sets it; Retain, Release and Stop clear it.
	wanted bool // the plan asks for a session; while false an exit leaves nothing undone
	// Set exactly while the machine waits for BackoffElapsed.
	wait *wait // what Backoff asked for; nil: nothing
	// It stays after the session, so that its last words can be read.
	terminal *vt.Locked // shared by the headless sessions of a slot; nil: no session yet
	// Kept over a restart, until the next session has ended.
	exit string // how the last session ended, in words
	// Not kept over a restart: a new conversation begins then.
	continues project.SessionRecord // whose conversation the next session continues; the zero value: none
	// Not kept over a restart: the next failure only sets it.
	failedTree string // the tree after the last session that failed; empty: none did
}

// current is the session that runs, or ran last. The next one replaces it as a whole.
// It is replaced when the next session is prepared, not when this one exits.
type current struct {
	job Job
	// Its PID is 0 as soon as the process is reaped.
	entry   project.SessionRecord // what Record returns, but for state and counters; no Session before the first
	process Process               // nil: none runs, and the last one is reaped
	began   time.Time             // when the process was started, as its timeouts count
	// The session's processes get it in their environment, and the session's public id
	// is a part of its hash.
	nonce  string // secret; never written to disk
	prompt string // what the process was, or is to be, started with
	// Written by the goroutine that reads the terminal, read on the loop.
	output *activity // when it wrote last
	// Set by Release, and stopped by Want and Retain.
	dismissal *time.Timer // dismisses the session after its grace; nil: it may stay
	// Set while no timer has its server checked.
	serverWait context.CancelFunc // ends the wait for the end of its server; nil: it is not awaited
}

// size is a screen size in cells.
type size struct{ columns, rows int }

// New returns the runner of a slot that had no session. It starts nothing. Adopt or
// Restore may follow, before the loop starts; otherwise the first Want begins with
// session 1.
func New(o Options) *Runner {
	o.Patience = o.Patience.filled()
	if o.Columns == 0 || o.Rows == 0 {
		o.Columns, o.Rows = 120, 40
	}
	o.Scrollback = cmp.Or(o.Scrollback, 10_000)
	if o.Printed == nil {
		o.Printed = o.Changed
	}
	r := &Runner{
		Options: o, slotState: slotState{snap: session.New(1, 0), since: time.Now()}, detached: make(chan struct{}),
	}
	r.size.Store(&size{o.Columns, o.Rows})
	r.publish()
	return r
}

// Lives reports whether the slot has a process that is not reaped, even if it is
// stopping. The slot takes no other session while it does.
func (r *Runner) Lives() bool { return r.process != nil }

// Snap returns the state of the session machine.
func (r *Runner) Snap() Snap { return r.snap }

// Job returns the job of the session that runs, or ran last. The zero Job before the
// first.
func (r *Runner) Job() Job { return r.job }

// Record returns what the next owner of the slot must know: the newest session, the
// machine's state and counters, and the wait. Its Session is empty before the first. It
// is a copy. The owner writes it to agents.json when Save is called, and gives it to
// Adopt or Restore after a restart.
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

// Input sends bytes to the agent as if they were typed there. Without a process they
// are dropped. It may be called from any goroutine; calls reach the agent in their
// order. An error says that the agent reads nothing, and that these bytes are lost.
func (r *Runner) Input(data []byte) error {
	process := r.live.Load()
	if process == nil {
		return nil
	}
	r.typed.Store(int64(time.Since(origin)))
	return (*process).Input(data)
}

// Resize gives the screen a new size, also before the first session and after the loop
// was closed. It may be called from any goroutine and does not wait; the newest size
// wins. Sizes that come between two turns of the loop are skipped.
func (r *Runner) Resize(columns, rows int) {
	r.size.Store(&size{columns, rows})
	if !r.post(r.resize) {
		if t := r.View().Terminal; t != nil {
			t.Resize(columns, rows) // what the last session left is still shown
		}
	}
}

// resize applies the newest size: to the process, which resizes the screen once its
// terminal has the size, or to the screen that the last process left.
func (r *Runner) resize() {
	to := *r.size.Load()
	if r.Columns == to.columns && r.Rows == to.rows {
		return
	}
	switch {
	case r.process != nil:
		if r.process.Resize(to.columns, to.rows) != nil { // its host is busy, or about to end
			r.after(resizeAgain, r.resize)
			return
		}
	case r.terminal != nil:
		r.terminal.Resize(to.columns, to.rows)
	}
	r.Columns, r.Rows = to.columns, to.rows
}

// resizeAgain is when a size that a host did not take is sent again.
const resizeAgain = 500 * time.Millisecond

// post runs f on the loop and publishes a view after it; false when the loop is closed.
// Everything that comes from outside a turn goes through it: timers, exits and
// sizes.
func (r *Runner) post(f func()) bool {
	return r.Loop.Post(func() { f(); r.publish() })
}

// after runs f on the loop once d has passed, and publishes a view.
func (r *Runner) after(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { r.post(f) })
}

// Processes returns the running process of the slot and the host that owns its terminal.
func (r *Runner) Processes() (all []human.Session) {
	if r.process == nil {
		return nil
	}
	if r.entry.Process != nil {
		all = append(all, human.Session{Name: r.entry.Name, Process: *r.entry.Process})
	}
	if hosted, ok := r.process.(interface{ Record() host.Record }); ok && hosted.Record().Host != nil {
		all = append(all, human.Session{Name: r.entry.Name, Process: *hosted.Record().Host})
	}
	return all
}
