package workflow

import (
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// Command is a request for one event. Kind is a tool or the name of an
// event: set, enter, approve, revise, unblock, replan, select_track, plan_tasks,
// record_review, request_synthesize, finalize_oneshot, escalate, cancel, cleanup;
// and ferrus's own: assigned, settled, disbanded, validated, published,
// publish_failed, cancelling, compensated. It has more than 12 fields because each kind
// takes other arguments, which its caller writes in one literal.
type Command struct {
	Kind   machine.Kind
	By     core.Actor
	Text   string // notes, reason, findings
	Ticket uint64 // of what the human is asked; 0: whatever is open

	To        machine.State // enter
	Updates   *Updates      // set
	Track     flow.Track
	Tasks     []Task
	Dimension string
	Verdict   string
	Task      *Task       // assigned, settled
	Gate      *Validation // validated
	Synthesis *Synthesis  // published, publish_failed
	Steps     []Step      // cancelling: the plan; compensated: the compensation that was carried out

	Observed Observed
	Now      time.Time
	Seq      uint64 // that the event would get
}

// Updates are what workflow_set records. A member that is nil is left as it is.
type Updates struct {
	Artifacts      *ArtifactSet    `json:"artifacts,omitempty" jsonschema:"a path in the project, or the text"`
	Triage         *Triage         `json:"triage,omitempty" jsonschema:"what is wrong"`
	Investigation  *Investigation  `json:"investigation,omitempty" jsonschema:"why it is wrong"`
	Explore        *Explore        `json:"explore,omitempty" jsonschema:"how large the refactoring is"`
	Implementation *ImplementedSet `json:"implementation,omitempty" jsonschema:"your edits are done, to be checked"`
	Validation     *ValidationSet  `json:"validation,omitempty" jsonschema:"that the documentation is up to date"`
	Oneshot        *OneshotSet     `json:"oneshot,omitempty" jsonschema:"what is planned, in a line"`
}

// ArtifactSet are documents.
type ArtifactSet struct {
	Design    string `json:"design,omitempty"`
	Plan      string `json:"plan,omitempty"`
	RCA       string `json:"rca,omitempty"`
	FixDesign string `json:"fixDesign,omitempty"`
	Brief     string `json:"brief,omitempty"`
}

// ImplementedSet, ValidationSet and OneshotSet are what a session may say of these.
type (
	ImplementedSet struct {
		Complete bool `json:"complete"`
	}
	ValidationSet struct {
		DocsUpdated bool `json:"docsUpdated"`
	}
	OneshotSet struct {
		PlanSummary string `json:"planSummary"`
	}
)

// The kinds of the commands that are no single event of the workflow's machine. All
// others have the kind of their event; see package flow.
const (
	KindSet        machine.Kind = "set"
	KindEnter      machine.Kind = "enter"
	KindFinalize   machine.Kind = "finalize_oneshot"
	KindAssigned   machine.Kind = "assigned"
	KindTaskEnded  machine.Kind = "settled"
	KindDisbanded  machine.Kind = "disbanded"
	KindCancelling machine.Kind = "cancelling"
)
