package conductor

import (
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/store"
	"ferrus/ui/vt"
)

// View is what can be seen of a conductor at one moment: a copy, safe to keep.
type View struct {
	Project    string // absolute directory
	State      store.State[core.World]
	Texts      Texts
	Options    []machine.Option // the moves that are open, and to whom
	Limits     core.Limits
	Panes      []PaneView    // in the order of hq.Slots; only slots that had a session
	Gate       GateView      // the newest gate
	Journal    []store.Entry // the last lines, oldest first
	Notices    []Notice      // for the human, oldest first
	StateError string        // STATE.json cannot be read, or nothing written: the sentence to show
	Branch     string        // of the project's repository, with the short commit
	Spec       string        // the newest specification, below the project; empty: there is none

	Workflow        *workflow.Workflow // that is open, or was since the start; nil: none
	Next            workflow.Next      // what should be going on in it
	WorkflowJournal []store.Entry      // its journal, oldest first

	ConfigError string // what is wrong with ferrus.toml; the last good one counts
	StopOnExit  bool   // sessions end with the conductor, however that ends

	Daemons []string  // that vendors' programs keep for all sessions, in words
	Pair    *PairView // the newest run of two agents, while the task has not moved on; nil: none

	Refused []RefusedCall // calls that changed nothing, oldest first

	Sessions []project.Ended // of the task, that have ended, oldest first
	Used     core.TaskUsage  // what those used
}

// Texts are those the screen shows.
type Texts struct{ Task, Question, Consult, Review, Submission string }

// PaneView is one agent's session as the screen names it.
type PaneView = session.View

// PairView is a run of two agents as the screen names it.
type PairView = pair.View

// GateView is the check gate as it runs, or as it ended.
type GateView struct {
	Ticket  uint64
	Attempt int
	Running bool
	Verdict checks.Verdict
	Why     string
	Started time.Time
	Took    time.Duration
	Rows    []GateRow
	Lines   []string // the newest output, without escape sequences
	Log     string
	// Untrusted are check commands that are not trusted on this machine.
	Untrusted []string
}

// GateRow is one check command.
type GateRow struct {
	Command string
	Status  RowStatus
	Detail  string // the line that says most
	Took    time.Duration
	Started time.Time     // while it runs
	Last    time.Duration // that it took in the gate before; 0: it was not in that
	Tail    []string      // the end of its output, once it has ended
}

// Notice is a sentence for the human.
type Notice struct {
	At    time.Time
	Text  string
	Error bool
}

// Terminal is a pane's emulator with its lock; see [vt.Terminal].
type Terminal = vt.Locked
