package conductor

import (
	"ferrus/hq/conductor/accounts"
	"ferrus/hq/conductor/turn"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// Queue runs the other tasks of a project: package scheduler has it. The loop of the project's conductor calls its
// methods, unless they say otherwise.
type Queue interface {
	// Reconcile compares what is queued with what runs, in each turn, and starts or stops the difference.
	Reconcile()
	// Show adds what is visible of the queue to the view of a turn.
	Show(v *View)
	// Rows returns the newest rows of the queue.
	Rows() []queue.Row
	// IsOpen reports whether there is a queue.
	IsOpen() bool
	// Sessions returns the processes of the sessions of other tasks. It waits for their loops, so no loop calls it.
	Sessions() []human.Session
	// End ends the conductors of other tasks, each by how, and starts none any more. No loop calls it.
	End(how func(*Conductor) error) error
	// Started returns the tasks with a directory of their own that have started and not ended, once the loop has ended.
	Started() ([]*project.Task, error)
	// Close releases what the queue holds, once the loop has ended.
	Close() error
}

// alone is the queue of a conductor that runs its own task only.
type alone struct{}

func (alone) Reconcile()                        {}
func (alone) Show(*View)                        {}
func (alone) Rows() []queue.Row                 { return nil }
func (alone) IsOpen() bool                      { return false }
func (alone) Sessions() []human.Session         { return nil }
func (alone) End(func(*Conductor) error) error  { return nil }
func (alone) Started() ([]*project.Task, error) { return nil, nil }
func (alone) Close() error                      { return nil }

// Shared is what the conductors of a project's tasks share.
type Shared struct {
	Gates    turn.Gates
	Bases    turn.Bases
	Accounts accounts.Limits
	// OthersRun reports whether a session runs for a task of another conductor; nil: there is no other. It is set
	// before a conductor starts, and called from any goroutine.
	OthersRun func(c *Conductor) bool
	signals   *signals
}

func (s *Shared) othersRun(c *Conductor) bool { return s.OthersRun != nil && s.OthersRun(c) }

// Facts are what the queue has to know of the project's own task, and of your checkout.
type Facts struct {
	Seq    uint64 // of the state of the task
	Lives  bool   // a session of the loop or a gate runs
	Busy   string // why no task may start in your checkout; empty: nothing is in the way
	Config string // the hash of ferrus.toml
}

// Facts returns the facts of this turn. The loop calls it.
func (c *Conductor) Facts() Facts {
	return Facts{Seq: c.observed.state.Seq, Lives: c.hasWork(), Busy: c.busy(), Config: c.settings.config.Hash}
}

// hasWork reports whether a session or gate of the task is still running.
func (c *Conductor) hasWork() bool {
	for name, r := range c.slots {
		if name != core.SlotPlanner && r.Lives() {
			return true
		}
	}
	return c.observed.world().GateRunning()
}

// busy returns why no task may start in your checkout now; empty: nothing is in the
// way.
func (c *Conductor) busy() string {
	if w := c.openWorkflow.current; w != nil && w.Busy() != "" {
		return w.Busy()
	}
	if c.registry.wants.has(core.SlotPlanner) || c.slots[core.SlotPlanner].Lives() {
		return "a supervisor is planning with you"
	}
	if err := c.Project.CheckNoPair(); err != nil {
		return "a pair of agents works in your checkout"
	}
	return ""
}

// Config returns the last valid ferrus.toml. The loop calls it.
func (c *Conductor) Config() config.Config { return c.settings.config }

// ShowError adds an error to the notices, unless it is nil or the newest notice already. The loop calls it.
func (c *Conductor) ShowError(err error) { c.notices.AddErrorOnce(err) }

// Reload reads what is on disk now. The loop calls it.
func (c *Conductor) Reload() { c.observed.reload() }

// ReadCheckout reads what a landing of any task changed in your checkout. It waits for the loop.
func (c *Conductor) ReadCheckout() { c.Loop.Ask(c.landed) }

// ReadTrust reads ferrus.toml, and what of it you trust now, after you trusted commands for another task. With resume
// it starts what waited for that. It waits for the loop.
func (c *Conductor) ReadTrust(resume bool) {
	c.Loop.Ask(func() {
		if c.configure(); resume {
			c.slots.resume()
		}
	})
}

// SessionsRunning returns how many sessions ran at the end of the last turn, without a pair's. It may be called from
// any goroutine, at any time.
func (c *Conductor) SessionsRunning() (n int) {
	if v := c.view.Load(); v != nil {
		for _, p := range v.Panes {
			if p.PID != 0 {
				n++
			}
		}
	}
	return n
}

// GatesAhead returns how many gates of other tasks have to end before the gate of this task starts. It may be called
// from any goroutine.
func (c *Conductor) GatesAhead() int { return c.gate.View().Ahead }

// Processes returns the processes of this conductor's sessions, and of agents that use its servers from outside. It
// waits for the loop.
func (c *Conductor) Processes() []human.Session { return c.knownSessions() }
