// Package flow is the machines of work that is larger than a task: a feature,
// a bug, a refactoring, and a change that is too small for ceremony.
//
// [Flows] has one [Flow] for each type. A flow is a table like every other, with
// its phases as states, and says beside it what the table cannot: which phases lie
// in a compound, who carries a phase out, what evidence a phase takes, and what it
// forgets when it is entered, so that what proved an earlier visit proves nothing
// about this one.
//
// A snapshot knows the phase and counts; it holds no evidence. What was recorded
// reaches the guards as [Facts] of the event. [Flow.Ways] says where a workflow can
// go from here, and what is missing for each.
package flow

import "ferrus/machine"

// Type is the kind of a workflow.
type Type string

// The types.
const (
	Feature  Type = "feature"
	Debug    Type = "debug"
	Refactor Type = "refactor"
	Oneshot  Type = "oneshot"
)

// Types are all of them.
var Types = []Type{Feature, Debug, Refactor, Oneshot}

// The phases that several types have.
const (
	Plan       machine.State = "plan"
	Synthesize machine.State = "synthesize"
	Blocked    machine.State = "blocked" // the person decides
	Completed  machine.State = "completed"
	Cancelled  machine.State = "cancelled"
)

// Run says who carries out a phase.
type Run string

// The ways a phase is carried out.
const (
	RunAgent   Run = "agent"   // a session of the supervisor
	RunEdit    Run = "edit"    // a session of the supervisor that may edit
	RunHuman   Run = "person"  // the person decides
	RunTasks   Run = "tasks"   // tasks, one after the other, through the task loop
	RunGate    Run = "gate"    // ferrus runs the check commands
	RunReview  Run = "review"  // a session of the supervisor, with a verdict for each dimension
	RunPublish Run = "publish" // ferrus runs the configured command
)

// Evidence names something that is recorded in the course of a workflow, as its
// file spells it.
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

// Phase is what a table does not say of a state.
type Phase struct {
	ID     machine.State
	In     machine.State // the compound it lies in, if any
	Run    Run           // empty where the work is over
	Takes  []Evidence    // what may be recorded in it
	Clears []Evidence    // what is forgotten when it is entered
}

// Compound is a phase of phases: a track, or a loop with a limit.
type Compound struct {
	ID      machine.State
	Initial machine.State
	Cycles  int // fix cycles of one entry; 0: none are counted
}

// Flow is a type of workflow.
type Flow struct {
	Type      Type
	Phases    []Phase // in the order in which they are shown; the first is the initial one
	Compounds []Compound
	Table     *machine.Table[Data]
}

// Track is the way that a workflow takes after its fork.
type Track string

// The tracks.
const (
	Hotfix   Track = "hotfix"
	Thorough Track = "thorough"
	Polish   Track = "polish"
	Overhaul Track = "overhaul"
)

// Policy says whether work that needs no review is published.
type Policy string

// The policies. Whatever is none of them counts as OnRequest.
const (
	Always    Policy = "always"
	Never     Policy = "never"
	OnRequest Policy = "on-request"
)

// The limits of every type. Fix cycles have theirs in [Compound].
const (
	RevisionLimit = 3 // plans that the person sends back
	PublishLimit  = 3 // publications that fail in a row
	ProofLimit    = 3 // gates in a row that find a session's own work red
)

// Data is what a workflow counts.
type Data struct {
	Cycles    int           `json:"fixCycles,omitempty"` // since the compound was entered
	Revisions int           `json:"revisions,omitempty"` // of the plan, since it was approved
	Publishes int           `json:"publishes,omitempty"` // that failed, since synthesize was entered
	Proofs    int           `json:"proofs,omitempty"`    // red gates on a session's own work
	From      machine.State `json:"blockedFrom,omitempty"`
	Ticket    uint64        `json:"ticket,omitempty"` // of what the person is asked
}

// Snap is where a workflow is.
type Snap = machine.Snap[Data]

// Outcome is what the gate said in a phase.
type Outcome string

// The verdicts. The empty one says that no gate ran.
const (
	Green Outcome = "passed"
	Red   Outcome = "failed"
)

// Facts are what was recorded, as far as guards look at it. Strings name what is
// amiss, and are empty when nothing is.
type Facts struct {
	Design, Plan, RCA, FixDesign, Triage, Scope, Docs, Finished bool // are recorded

	Approved bool // the person approved the plan
	Gaps     bool // the person sent it back

	Track     Track
	Policy    Policy
	Requested bool // a synthesis, at least once

	Tasks     string  // those not complete, or why there are none
	Failed    string  // the task that the loop gave up
	Living    string  // the executor of this phase that still lives
	Missing   string  // required review dimensions without a verdict
	Failing   string  // those that failed
	Stuck     string  // those a reviewer could not judge
	Tests     Outcome // of the gate, in this phase
	Published bool    // git or the forge has what synthesis made
	Merged    bool    // git or the forge has it in the base
	Undone    string  // what a cancellation has still to compensate
}

// What can happen to a workflow beside the entering of a phase. Ticket is the
// new number for what the person is asked next, or the number that is answered; 0
// answers whatever is open.
type (
	// Enter moves to a phase.
	Enter struct {
		Facts
		To     machine.State
		Ticket uint64
	}
	// Record is evidence that a session or the person gives.
	Record struct {
		Evidence Evidence
	}
	// Approve and the three after it are the person's.
	Approve struct{ Ticket uint64 }
	Revise  struct {
		Ticket uint64
		Text   bool // there are notes
	}
	Unblock struct{ Ticket uint64 }
	Replan  struct{ Ticket uint64 }
	// SelectTrack chooses a track, or switches to the larger one.
	SelectTrack struct{ Track Track }
	// PlanTasks gives the tasks of a phase.
	PlanTasks struct{ Fault string } // what is wrong with them
	// TaskMoved says that a task of the plan was begun or settled.
	TaskMoved struct{}
	// RecordReview is a verdict for a dimension.
	RecordReview struct{ Fault string }
	// RequestSynthesis asks for publication where the policy leaves it open.
	RequestSynthesis struct{}
	// Validated is the verdict of the gate.
	Validated struct{ Tests Outcome }
	// Publish is the end of a publication.
	Publish struct {
		OK     bool
		Ticket uint64
	}
	// Escalate hands the decision to the person.
	Escalate struct {
		Text   bool
		Ticket uint64
	}
	// Compensated is a step of a cancellation.
	Compensated struct{}
	// Cancel ends it after its compensation.
	Cancel struct{ Facts }
	// Cleanup ends it because its work is merged.
	Cleanup struct{ Facts }
)

// The kinds of the events that are not spelled with what they enter or record; see
// [EnterKind] and [RecordKind].
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

// EnterKind is the name of the event that enters a phase.
func EnterKind(to machine.State) machine.Kind { return machine.Kind("enter " + to) }

// RecordKind is the name of the event that records evidence.
func RecordKind(e Evidence) machine.Kind { return machine.Kind("set " + e) }

func (e Enter) Kind() machine.Kind          { return EnterKind(e.To) }
func (e Record) Kind() machine.Kind         { return RecordKind(e.Evidence) }
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
