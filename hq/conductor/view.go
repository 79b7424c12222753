package conductor

import (
	"slices"

	"ferrus/hq/advice"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/notice"
	"ferrus/hq/core"
	"ferrus/hq/human"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/store"
)

// View is what can be seen of a conductor at one moment. It is a copy and may be kept, and
// the one projection of a conductor that readers get. It has more than 12 fields because it
// is all that HQ, ferrus run and the tests of both show.
type View struct {
	Project    string // absolute directory
	State      store.State[core.World]
	Texts      Texts
	Options    []machine.Option // the allowed transitions, and to which roles
	Limits     core.Limits
	Panes      []PaneView      // in the order of core.Slots; only slots that had a session
	Gate       gateview.View   // the newest gate
	Journal    []store.Entry   // the last lines, oldest first
	Notices    []notice.Notice // for the human, oldest first
	StateError string          // a sentence: why STATE.json cannot be read, or nothing written; empty: all is well
	Branch     string          // of the project's repository, with the short commit
	Spec       string          // the newest specification, below the project; empty: there is none

	Workflow        *workflow.Workflow // the open one, or the last that was open since the start; nil: none
	Next            workflow.Next      // what should happen next in it
	WorkflowJournal []store.Entry      // its journal, oldest first
	Result          bool               // of the newest workflow, which has ended, can land

	Moved       string // how the project came here: it waits for your trust; empty: it is where ferrus left it
	ConfigError string // what is wrong with ferrus.toml; the last valid version stays in effect
	StopOnExit  bool   // sessions end with the conductor, however it ends

	Silent *advice.SilentHolder // a holder of the lease that is alive and does nothing; nil: there is none

	Walls string             // that checks run in, as a record says it, or "required: " and why none; empty: unknown
	Hosts []advice.AskedHost // that programs inside the sandbox asked for, with what you answered

	Daemons []string  // processes that vendors' programs keep for all sessions, in words
	Pair    *PairView // the newest run of two agents, while the task has not moved on; nil: none

	Asking []human.Pending // commands in other terminals that wait for the human

	Accounts []queue.Account // that have reached their usage limit
	Over     string          // that the budget of the queue is used up, in words; empty: it is not

	Tasks         []queue.Row      // of the queue, in its order; none where nothing was queued, or for one of them
	Merges        []queue.MergeRow // what is merged into which branch
	Proving       gateview.View    // the gate of the candidate that runs, or ran last
	OtherSessions int              // sessions that run for tasks that are not selected
	Checkout      string           // what happens in your checkout for a task that is not in Tasks; empty: nothing
	// What the sessions there need, and a pair, where the view is of another task.
	CheckoutNeeds []advice.InboxItem
	Selected      string // the directory of the task that the view is of, as [Selection] has it

	Refused  []RefusedCall     // calls that changed nothing, oldest first
	Messages []project.Message // of the human to slots, that no session has acted on, oldest first

	Sessions []project.Ended // the task's ended sessions, oldest first
	Used     core.TaskUsage  // what they used
	Disk     int64           // bytes of their private homes and caches
}

// Texts are the texts of the task that the screen shows.
type Texts struct{ Task, Question, Consult, Review, Submission string }

// PaneView is one agent's session as the screen names it.
type PaneView = session.View

// Resumable reports whether /resume continues what /stop ends: the open task, the workflow or
// the pair.
func (v View) Resumable() bool {
	return v.State.World.IsOpen() || v.Workflow != nil && !v.Workflow.IsFinal() || v.Pair != nil && v.Pair.Running
}

// PairView is a run of two agents as the screen names it.
type PairView = pair.View

// Works reports whether a session runs.
func (v View) Works() bool {
	return slices.ContainsFunc(v.Panes, func(p PaneView) bool { return p.PID != 0 })
}
