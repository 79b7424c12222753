// Package workflow keeps and changes the workflows of a project: work that is
// larger than a task.
//
// In a hurry: [Start] a workflow, [Find] the one that is open, change it with
// [Store.Do], and ask [PlanNext] what should happen next. What may happen is decided
// by machine/flow alone; [Decide] gathers its facts from the [Document].
//
// A workflow is the directory .ferrus/workflows/<id> with state.json and
// journal.jsonl, under the commit rules of package store: an event is durable
// before it is acknowledged, and the journal folds to the state. One workflow is
// open at a time, because the project has one task loop. workflows/active.json
// only tells who watches that something moved; nothing is decided by it.
//
// Who did what is in the journal, and an approval names its actor. What proves
// that something was published or merged is asked of git or the forge by
// [Forge], never of an agent. A cancellation is carried out by [Store.Cancel].
package workflow

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// Dir holds the workflows, and active.json, below .ferrus.
const Dir = "workflows"

// ActiveFile changes with every event of a workflow.
const ActiveFile = Dir + "/active.json"

// LandedFile says in a workflow's directory that its result has landed; it is a core.Landed.
const LandedFile = "landed.json"

// Document is state.json. Its members have the names that guards use. It has more than
// 12 fields because it is the file, whose members keep their order.
type Document struct {
	ID        string    `json:"id"` // w-20261120-101500-4f2a
	Type      flow.Type `json:"workflowType"`
	Title     string    `json:"title"`
	Request   string    `json:"request"`
	CreatedAt time.Time `json:"createdAt"`
	Base      Base      `json:"base"`

	Phase    machine.State `json:"phase"`
	Since    time.Time     `json:"since"` // when the phase was entered
	Visit    uint64        `json:"visit"` // seq of the entry: evidence of another visit does not count
	Counters flow.Data     `json:"counters"`

	Definition *core.Definition `json:"definition,omitempty"` // what the gate runs, pinned at the start
	Required   []string         `json:"requiredReviews"`      // frozen at the start
	Recorded
	Work
	End
}

// Base is the commit that the work started from.
type Base struct {
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	Dir    string `json:"dir,omitempty"` // of the work, below .ferrus; empty: the project directory
}

// Recorded is the evidence that sessions and the human have recorded.
type Recorded struct {
	// design, plan, rca, fixDesign, brief, pr: a path or the text
	Artifacts map[string]string `json:"artifacts,omitempty"`
	// what entering a phase discarded, for the session that works on it next
	Previous       map[string]string `json:"previous,omitempty"`
	Triage         *Triage           `json:"triage,omitempty"`
	Investigation  *Investigation    `json:"investigation,omitempty"`
	Explore        *Explore          `json:"explore,omitempty"`
	Implementation *Implementation   `json:"implementation,omitempty"`
	Validation     *Validation       `json:"validation,omitempty"`
	PlanReview     *PlanReview       `json:"planReview,omitempty"`
	Track          flow.Track        `json:"track,omitempty"`
	Reviews        map[string]Review `json:"reviews,omitempty"` // by dimension
	Oneshot        *Oneshot          `json:"oneshot,omitempty"`
}

// Triage describes the bug.
type Triage struct {
	Failure      string `json:"symptom"`
	Reproduction string `json:"reproduction,omitempty"`
	Urgency      string `json:"urgency,omitempty"`
	AffectedArea string `json:"affectedArea,omitempty"`
}

// Investigation has the cause of the bug.
type Investigation struct {
	RootCause string `json:"rootCause"`
}

// Explore has the size of a refactoring.
type Explore struct {
	ScopeAssessment string `json:"scopeAssessment"`
}

// Implementation is the claim of a session that edits files itself that it is done;
// the gate checks it.
type Implementation struct {
	Complete bool   `json:"complete"`
	By       string `json:"by"`
}

// Validation is the result of the gate in a phase.
type Validation struct {
	TestsPass   *bool  `json:"testsPass,omitempty"`
	Tree        string `json:"tree,omitempty"`
	Log         string `json:"log,omitempty"`
	Report      string `json:"report,omitempty"`
	DocsUpdated bool   `json:"docsUpdated,omitempty"`
}

// PlanReview is the human's decision about the plan.
type PlanReview struct {
	Approved  bool   `json:"approved,omitempty"`
	GapsFound bool   `json:"gapsFound,omitempty"`
	By        string `json:"by"`
	Notes     string `json:"notes,omitempty"`
}

// The results of one dimension of a review.
const (
	ReviewPass    = "pass"
	ReviewFail    = "fail"
	ReviewBlocked = "blocked" // the reviewer could not judge it
)

// Review is the result of one dimension of a review.
type Review struct {
	Status   string `json:"status"` // ReviewPass, ReviewFail or ReviewBlocked
	Findings string `json:"findings,omitempty"`
	By       string `json:"by"`
	Round    int    `json:"round,omitempty"` // of the work that it judges
}

// Oneshot says whether work without a review is published. The policy is frozen by
// workflow.started; Requests counts the events synthesize.requested.
type Oneshot struct {
	SynthesisPolicy flow.Policy `json:"synthesisPolicy"`
	PlanSummary     string      `json:"planSummary,omitempty"`
	Requests        int         `json:"requests,omitempty"`
}

// Work is the part of a workflow that goes through the task loop.
type Work struct {
	Tasks   []Task `json:"tasks,omitempty"`
	Current string `json:"current,omitempty"` // id of the task in the loop
	Round   int    `json:"round,omitempty"`   // of rework; each needs tasks of its own
	Team    *Team  `json:"team,omitempty"`
	Notes   string `json:"notes,omitempty"` // the human's, or the report, for the next round
}

// The statuses of a task.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Done       = "complete"
	Failed     = "failed"
)

// Task is a task of the plan.
type Task struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Text   string   `json:"text"`
	After  []string `json:"after,omitempty"` // ids that come first
	Status string   `json:"status"`
	Round  int      `json:"round,omitempty"`
	Loop   string   `json:"loop,omitempty"` // its id in the task loop
	Why    string   `json:"why,omitempty"`  // it failed
	By     string   `json:"by"`             // the agent that planned it
}

// Team records whether executors may be working for the phase.
type Team struct {
	Spawned   bool `json:"spawned"`
	Disbanded bool `json:"disbanded,omitempty"`
}

// End is about the end of a workflow: its publication, its merge or its cancellation.
type End struct {
	Synthesis    *Synthesis `json:"synthesis,omitempty"`
	Blocked      *Reason    `json:"blocked,omitempty"`
	Compensation []Step     `json:"compensation,omitempty"`
	Cancelling   *Reason    `json:"cancelling,omitempty"` // why the human cancels; set until everything is undone
	Cleanup      *Cleanup   `json:"_cleanup,omitempty"`
}

// Step is one step of a compensation.
type Step struct {
	ID      string `json:"id"`
	What    string `json:"what"`
	Status  string `json:"status,omitempty"` // empty: not tried
	Message string `json:"message,omitempty"`
}

// The statuses of a step. A failed one is retried.
const (
	StepExecuted = "executed"
	StepSkipped  = "skipped"
	StepFailed   = "failed"
)

// Synthesis is what was published.
type Synthesis struct {
	PRURL     string `json:"prUrl,omitempty"`
	Branch    string `json:"branch,omitempty"`
	Commit    string `json:"commit,omitempty"`
	LastError string `json:"lastError,omitempty"`
}

// Reason says why something was done, and by whom.
type Reason struct {
	Text string        `json:"text"`
	By   string        `json:"by"`
	From machine.State `json:"from,omitempty"`
}

// Cleanup is the proof of a merge.
type Cleanup struct {
	MergeVerified bool   `json:"mergeVerified"`
	Why           string `json:"why"`
}

// Dimensions are the reviews that a workflow needs.
var Dimensions = []string{"spec-review", "quality-review"}

// Validate returns an error for a document that no event can lead to.
func (d *Document) Validate() error {
	f := flow.Of(d.Type)
	if f == nil {
		return fmt.Errorf("there is no workflow type %.40q", d.Type)
	}
	if f.Phase(d.Phase).ID == "" {
		return fmt.Errorf("a %s has no phase %.40q", d.Type, d.Phase)
	}
	if d.ID == "" {
		return errors.New("the workflow has no id")
	}
	return nil
}

// Flow returns the type's tables.
func (d *Document) Flow() *flow.Flow { return flow.Of(d.Type) }

// CanEdit reports whether the session of the phase may change files, although it is a
// supervisor's.
func (d *Document) CanEdit() bool { return d.Flow().Phase(d.Phase).Run == flow.RunEdit }

// Snap returns the machine's snapshot.
func (d *Document) Snap() flow.Snap { return flow.Snap{At: d.Phase, Data: d.Counters} }

// IsFinal reports whether the workflow has ended.
func (d *Document) IsFinal() bool { return flow.Over(d.Phase) }

// task returns a task of the plan; nil if there is none.
func (d *Document) task(id string) *Task {
	i := slices.IndexFunc(d.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Tasks[i]
}

// clone returns a deep copy.
func (d *Document) clone() Document {
	n := *d
	n.Artifacts, n.Previous, n.Reviews = copied(d.Artifacts), copied(d.Previous), copied(d.Reviews)
	n.Tasks, n.Compensation = slices.Clone(d.Tasks), slices.Clone(d.Compensation)
	n.Validation, n.Oneshot, n.Team, n.Synthesis = shallow(d.Validation), shallow(d.Oneshot), shallow(d.Team),
		shallow(d.Synthesis)
	n.PlanReview = shallow(d.PlanReview)
	return n
}

func copied[V any](m map[string]V) map[string]V {
	n := map[string]V{}
	for k, v := range m {
		n[k] = v
	}
	return n
}

func shallow[V any](p *V) *V {
	if p == nil {
		return nil
	}
	n := *p
	return &n
}
