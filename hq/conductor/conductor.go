// Package conductor runs the sessions and checks that the state of one task calls for.
//
// [Start] a conductor, read its [View] after each signal of Updates, and
// end it with [Conductor.Close] or [Conductor.Detach]. A conductor holds the conductor lock
// of its task, so there is only one at a time, in HQ or in `ferrus run`. The tasks in the queue of a project
// have conductors of their own ([Conductor.StartTask]). Which of them run is decided above, by package scheduler, and
// reaches a conductor through [Queue], [Shared] and [Placement] (queue.go, queueturn.go).
//
// It reconciles (reconcile.go). When the store reports a change it loads the state
// (observed.go), asks [core.Plan] which sessions should run, and starts or stops the
// difference: agent sessions through their runners (package session; slots.go, jobs.go and
// sessions.go connect them), the check gate (gaterun.go), the setup of a worktree
// (setup.go), the steps of an open workflow (workflow.go), and the renewal of the lease for
// a holder that it knows to be alive (lease.go). It never decides about a task. Like any
// other caller it changes state only through [project.Task.Do].
//
// The human's commands are methods of the parts that carry them out: commands.go,
// sessioncommands.go, roles.go, human.go, checkout.go, and workflowmoves.go; view.go has what
// readers see.
//
// One goroutine, the loop, owns the mutable state, part by part (start.go connects the
// parts); everything else hands it work. After each turn it publishes a view that may be
// read at any time.
//
// Each session runs in its own host process, see package host. Close stops the sessions.
// Detach and a crash leave them running, unless [Options.StopOnExit] is set, and the next
// Start takes them over (recover.go). What it needs for that is in agents.json
// (registry.go), which is written before a session starts.
//
// What knows no other part is in packages below: notice, turn, accounts, gateview, usage, journal, messages, needs,
// pairs and handover.
package conductor

import (
	"slices"
	"sync/atomic"

	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/conductor/needs"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/conductor/pairs"
	"ferrus/hq/conductor/usage"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
)

// Conductor is a running conductor. Its exported methods may be called from any goroutine. It has
// more than 12 fields because each is a part with a type of its own.
type Conductor struct {
	*signals
	Project *project.Task // the task
	Shared  *Shared       // with the conductors of the project's other tasks
	Loop    *session.Loop // owns what is not safe for any goroutine
	options Options
	local   *session.Local
	queue   Queue // of the project's other tasks
	slots   slots
	gate    gateview.Watch
	quiet   chan struct{} // closed when a conductor that closes has nothing left
	view    atomic.Pointer[View]
	loopState
}

// loopState is what the loop owns: the parts of a conductor, each connected to the parts
// that it needs, and what belongs to none of them.
type loopState struct {
	parts
	failures failureStreak     // of the gate
	messages []project.Message // of the human, that no session has acted on
	walls    string            // of checks, as the probe found them; empty: it has not ended
	phase    phase
}

// phase says whether a conductor runs, or how far it has closed.
type phase int

const (
	conducting phase = iota
	stopping         // it starts nothing, and waits for what runs
	detaching        // it has left the sessions to their hosts, and waits for its gate
	closed           // nothing is left to wait for
)

// parts do the work of a conductor, one job each. Those with commands of the human are embedded.
// It has more than 12 fields because a conductor has more than 12 jobs.
type parts struct {
	notices  notice.List
	observed observed
	settings settings
	registry registry
	jobs     jobs
	setup    workspaceSetup
	gateRun  gateRunner
	baseRun  baseRunner
	usage    usage.Ledger
	disk     usage.Disk
	lease    leaseRenewal
	silence  silenceWatch
	asking   permissions
	needs    *needs.Watch
	pairs    *pairs.Pairs
	queueTurn
	roles
	commands
	sessionCommands
	sessions
	desk
	checkout
	openWorkflow
}

// View returns what can be seen now: the view of the last turn, with the newest gate and pair.
func (c *Conductor) View() View {
	v := *c.view.Load()
	feedback := v.Gate.FeedbackLines
	v.Gate = c.gate.View()
	v.Gate.FeedbackLines = feedback
	newest := c.pairs.Newest(v.State.World.Since)
	v.Pair, v.StopOnExit = newest.Pair, v.StopOnExit || newest.Running
	v.Panes = append(slices.Clip(v.Panes), newest.Panes...)
	v.Journal = append(slices.Clip(v.Journal), newest.Lines...)
	v.Asking = c.server.Pending()
	return v
}

// ReadEntry reads what belongs to the journal's line with a seq, or returns [journal.ErrNone].
func (c *Conductor) ReadEntry(seq uint64) (journal.Detail, error) {
	return journal.Reader{Project: c.Project, Cache: &c.observed.cache, Recent: c.View().Journal}.Read(seq)
}

// publish stores the view of this turn and signals it.
func (c *Conductor) publish() {
	o := &c.observed
	c.usage.Count(o.world().Task)
	c.disk.Update(o.world().Task, len(c.usage.Ended))
	limits := c.settings.config.Limits
	v := View{
		Project: c.Project.Dir, State: o.state, Texts: o.texts, Options: core.OpenTransitions(*o.world()),
		Limits:  core.Limits{CheckRetries: limits.MaxCheckRetries, ReviewCycles: limits.MaxReviewCycles},
		Journal: slices.Clip(o.journal.Lines), Notices: slices.Clip(c.notices.All),
		Refused:    slices.Clip(c.commands.refused.all),
		StateError: o.fault(), Moved: o.moved(), ConfigError: c.settings.broken, Branch: c.branch, Spec: o.spec,
		Workflow: c.openWorkflow.current, Next: c.openWorkflow.next, WorkflowJournal: slices.Clip(c.openWorkflow.lines),
		Result:     c.openWorkflow.result != "",
		StopOnExit: c.options.StopOnExit, Daemons: c.daemons, Walls: c.walls,
		Sessions: slices.Clip(c.usage.Ended), Used: c.usage.Used, Disk: c.disk.Bytes,
		Silent: c.silence.holder, Hosts: c.Project.AskedHosts(*o.world()),
		Messages: c.messages, Gate: gateview.View{FeedbackLines: limits.MaxFeedbackLines},
	}
	for _, name := range core.Slots {
		if pane := c.slots[name].View(); pane.Terminal != nil {
			v.Panes = append(v.Panes, pane)
		}
	}
	c.queue.Show(&v)
	c.view.Store(&v)
	c.NotifyChanged()
}
