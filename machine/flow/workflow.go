// Package flow has the machines of workflows, work that is larger than a task: a
// feature, a bug, a refactoring, or a oneshot change.
//
// [Of] returns the [Flow] of a type. A flow is a table like any other, with its
// phases as states. It adds what a table cannot say: which phases form a compound,
// who works on a phase, what evidence can be recorded in it, and what is discarded on
// entry. So evidence of an earlier visit to a phase proves nothing about this one.
//
// A snapshot has the phase and counters; it holds no evidence. Recorded evidence
// reaches the guards as [Facts] of the event. [Flow.Ways] lists the phases that a
// workflow can enter next, and what is missing for each.
package flow

import (
	"strings"

	"ferrus/machine"
)

// Type is the type of a workflow, as users type it. It is stored in the workflow's
// file, and the name of its table.
type Type string

// The types.
const (
	Feature  Type = "feature"
	Debug    Type = "debug"
	Refactor Type = "refactor"
	Oneshot  Type = "oneshot"
)

// Types lists them, in the order in which they are shown.
var Types = []Type{Feature, Debug, Refactor, Oneshot}

// TypeNames returns the names of all types, for a message.
func TypeNames() string {
	var names []string
	for _, t := range Types {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// The phases that several types have.
const (
	Plan machine.State = "plan"
	// Publishes the work: a pull request, a branch, or what the configuration says.
	Synthesize machine.State = "synthesize"
	Blocked    machine.State = "blocked" // the human decides
	Completed  machine.State = "completed"
	Cancelled  machine.State = "cancelled"
)

// Run says who works on a phase, and how.
type Run string

// The runs.
const (
	RunAgent   Run = "agent"   // a session of the supervisor
	RunEdit    Run = "edit"    // a session of the supervisor that may edit
	RunHuman   Run = "person"  // the human decides
	RunTasks   Run = "tasks"   // tasks, one after the other, through the task loop
	RunGate    Run = "gate"    // ferrus runs the check commands
	RunReview  Run = "review"  // a session of the supervisor, with a verdict for each dimension
	RunPublish Run = "publish" // ferrus runs the configured command
)

// Evidence names something that is recorded during a workflow: its dotted path in the
// workflow's file. It is also what workflow_set and refusals call it.
type Evidence string

// The evidence.
const (
	Design     Evidence = "artifacts.design"
	PlanText   Evidence = "artifacts.plan"
	RCA        Evidence = "artifacts.rca"
	FixDesign  Evidence = "artifacts.fixDesign"
	Triage     Evidence = "triage"
	Cause      Evidence = "investigation"
	Scope      Evidence = "explore.scopeAssessment"
	Brief      Evidence = "artifacts.brief"
	Docs       Evidence = "validation.docsUpdated"
	Summary    Evidence = "oneshot.planSummary"
	Finished   Evidence = "implementation.complete"
	PlanReview Evidence = "planReview"
	TrackSet   Evidence = "track"
	Reviews    Evidence = "reviews"
	Tests      Evidence = "validation.testsPass"
	Synthesis  Evidence = "synthesis"
)

// Phase is what the table does not say about a state.
type Phase struct {
	ID  machine.State
	In  machine.State // its compound; empty: none
	Run Run           // empty in a final phase
	// Anything else is refused there, so evidence cannot be recorded ahead of its
	// phase.
	Takes []Evidence // what can be recorded in it
	// A cleared document is kept beside it, for the session that writes it anew.
	Clears []Evidence // what is discarded when it is entered
}

// Compound is a phase of phases: a track, or a loop with a limit. It is no state of the
// table: only its phases are.
type Compound struct {
	ID      machine.State
	Initial machine.State
	Cycles  int // fix cycles from one entry to the next, at most; 0: none are counted
}

// Flow is the machine of one type of workflow.
type Flow struct {
	Type      Type
	Phases    []Phase // in the order in which they are shown; the first is the initial one
	Compounds []Compound
	Table     *machine.Table[Data]
}

// Track is the branch that a workflow takes where its table forks.
type Track string

// Excludes reports whether a phase belongs to another track than the chosen one.
func (t Track) Excludes(ph Phase) bool {
	return t != "" && strings.HasSuffix(string(ph.In), "-track") && string(ph.In) != string(t)+"-track"
}

// The tracks.
const (
	Hotfix   Track = "hotfix"
	Thorough Track = "thorough"
	Polish   Track = "polish"
	Overhaul Track = "overhaul"
)

// Policy says whether a workflow without a review publishes its work.
type Policy string

// The policies. Any other value counts as OnRequest.
const (
	Always    Policy = "always"
	Never     Policy = "never"
	OnRequest Policy = "on-request"
)

// The limits of every type. A compound has its own for fix cycles; see [Compound].
const (
	RevisionLimit = 3 // revisions of a plan, since the last approved one
	PublishLimit  = 3 // failed publications in a row
	ProofLimit    = 3 // failed gates in a row on a session's own work
)

// Data is what a workflow counts. It is part of the workflow's file.
type Data struct {
	// At the compound's limit the next failed review leads to Blocked.
	Cycles    int `json:"fixCycles,omitempty"` // since the compound was entered
	Revisions int `json:"revisions,omitempty"` // of the plan, since it was approved
	Publishes int `json:"publishes,omitempty"` // that failed, since synthesize was entered
	Proofs    int `json:"proofs,omitempty"`    // failed gates in a row on a session's own work
	// It decides where an unblocked workflow continues.
	From   machine.State `json:"blockedFrom,omitempty"` // while blocked: the phase that was left
	Ticket uint64        `json:"ticket,omitempty"`      // of what the human is asked; 0: nothing
}

// Snap is one snapshot of a workflow.
type Snap = machine.Snap[Data]

// Outcome is the gate's verdict in a phase.
type Outcome string

// The verdicts; empty: no gate has run in the phase.
const (
	Green Outcome = "passed"
	Red   Outcome = "failed"
)

// Facts are what was recorded about a workflow and what is observed of its work, as far
// as guards read it. A string says why a condition does not hold yet, for the refusal;
// empty: it holds. They are gathered anew for each event and never stored.
type Facts struct {
	Recorded
	Decided
	Observed
}

// Recorded says what evidence a workflow's file holds.
type Recorded struct{ Design, Plan, RCA, FixDesign, Triage, Scope, Docs, Finished bool }

// Decided says what the human and the supervisor have decided.
type Decided struct {
	Approved  bool // the human approved the plan
	Gaps      bool // the human sent the plan back
	Track     Track
	Policy    Policy
	Requested bool // publication was requested at least once
}

// Observed says how tasks, reviews, the gate and the publication stand.
type Observed struct {
	Tasks   string // the tasks that are not complete, or why there are none
	Failed  string // the task that the loop gave up; empty: none
	Living  string // the executor of this phase that still runs
	Missing string // required review dimensions without a verdict, joined by ", "
	Failing string // dimensions with the verdict fail
	Stuck   string // dimensions with the verdict blocked
	// Of the gate that ferrus ran, never a session's word.
	Tests     Outcome // the gate's verdict in this phase
	Published bool    // git or the forge has what was published
	Merged    bool    // git or the forge has the work in its base
	Undone    string  // the steps of a cancellation that are not compensated
}

// The events of a workflow. Ticket is the new number under which the human is asked, or
// the number that is answered; 0 answers whatever is open.
type (
	// Enter moves to a phase.
	Enter struct {
		Facts
		To     machine.State
		Ticket uint64
	}
	// Record records evidence, from a session or the human.
	Record struct {
		Evidence Evidence
	}
	// Approve, Revise, Unblock and Replan are decisions of the human.
	Approve struct{ Ticket uint64 }
	Revise  struct {
		Ticket uint64
		Text   bool // there are notes
	}
	Unblock struct{ Ticket uint64 }
	Replan  struct{ Ticket uint64 }
	// SelectTrack chooses a track, or switches to the larger one.
	SelectTrack struct{ Track Track }
	// PlanTasks replaces the tasks of a phase.
	PlanTasks struct{ Fault string } // what is wrong with them
	// TaskMoved reports that a task of the plan has started or ended.
	TaskMoved struct{}
	// RecordReview records the verdict on a dimension.
	RecordReview struct{ Fault string }
	// RequestSynthesis requests publication, where the policy is OnRequest.
	RequestSynthesis struct{}
	// Validated reports the verdict of the gate.
	Validated struct{ Tests Outcome }
	// Publish reports the end of a publication.
	Publish struct {
		OK     bool
		Ticket uint64
	}
	// Escalate leaves the decision to the human.
	Escalate struct {
		Text   bool
		Ticket uint64
	}
	// Compensated reports a step of a cancellation.
	Compensated struct{}
	// Cancel ends the workflow, after its compensation.
	Cancel struct{ Facts }
	// Cleanup ends the workflow, because its work is merged.
	Cleanup struct{ Facts }
)

// The kinds of the events that are not spelled with what they enter or record; see
// [enterKind] and [recordKind].
const (
	KindApprove          machine.Kind = "approve"
	KindRevise           machine.Kind = "revise"
	KindUnblock          machine.Kind = "unblock"
	KindReplan           machine.Kind = "replan"
	KindSelectTrack      machine.Kind = "select_track"
	KindPlanTasks        machine.Kind = "plan_tasks"
	KindTaskMoved        machine.Kind = "task_moved"
	KindRecordReview     machine.Kind = "record_review"
	KindRequestSynthesis machine.Kind = "request_synthesize"
	KindValidated        machine.Kind = "validated"
	KindEscalate         machine.Kind = "escalate"
	KindCompensated      machine.Kind = "compensated"
	KindCancel           machine.Kind = "cancel"
	KindCleanup          machine.Kind = "cleanup"
	KindPublished        machine.Kind = "published"
	KindPublishFailed    machine.Kind = "publish_failed"
)

// enterKind returns the kind of the event that enters a phase.
func enterKind(to machine.State) machine.Kind { return machine.Kind("enter " + to) }

// recordKind returns the kind of the event that records evidence.
func recordKind(e Evidence) machine.Kind { return machine.Kind("set " + e) }

func (e Enter) Kind() machine.Kind          { return enterKind(e.To) }
func (e Record) Kind() machine.Kind         { return recordKind(e.Evidence) }
func (Approve) Kind() machine.Kind          { return KindApprove }
func (Revise) Kind() machine.Kind           { return KindRevise }
func (Unblock) Kind() machine.Kind          { return KindUnblock }
func (Replan) Kind() machine.Kind           { return KindReplan }
func (SelectTrack) Kind() machine.Kind      { return KindSelectTrack }
func (PlanTasks) Kind() machine.Kind        { return KindPlanTasks }
func (TaskMoved) Kind() machine.Kind        { return KindTaskMoved }
func (RecordReview) Kind() machine.Kind     { return KindRecordReview }
func (RequestSynthesis) Kind() machine.Kind { return KindRequestSynthesis }
func (Validated) Kind() machine.Kind        { return KindValidated }
func (e Publish) Kind() machine.Kind {
	if e.OK {
		return KindPublished
	}
	return KindPublishFailed
}
func (Escalate) Kind() machine.Kind    { return KindEscalate }
func (Compensated) Kind() machine.Kind { return KindCompensated }
func (Cancel) Kind() machine.Kind      { return KindCancel }
func (Cleanup) Kind() machine.Kind     { return KindCleanup }

func (f Facts) facts() Facts       { return f }
func (e Approve) answers() uint64  { return e.Ticket }
func (e Revise) answers() uint64   { return e.Ticket }
func (e Unblock) answers() uint64  { return e.Ticket }
func (e Replan) answers() uint64   { return e.Ticket }
func (e Enter) ticket() uint64     { return e.Ticket }
func (e Publish) ticket() uint64   { return e.Ticket }
func (e Escalate) ticket() uint64  { return e.Ticket }
func (e Validated) ticket() uint64 { return 0 }
