package core

import (
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/machine"
)

// Mode is what a session is for.
type Mode string

// The modes. Free is a session without a purpose of ferrus's.
const (
	ModePlan    Mode = "plan"
	ModeSpec    Mode = "spec"
	ModeTask    Mode = "task"
	ModeReview  Mode = "review"
	ModeConsult Mode = "consult"
	ModeWork    Mode = "work"
	ModeResume  Mode = "resume"
	ModeFree    Mode = "free"
	ModePhase   Mode = "phase" // of a workflow
)

// Actor is who gives a command.
type Actor struct {
	Role    machine.Role
	ID      string // "person", "ferrus" or an agent id such as executor:codex:1
	Session string // first 16 hex of SHA-256 of the nonce; empty for a person
	Mode    Mode
	Managed bool              // its session is registered by a living conductor
	Process *process.Identity // of the agent (managed) or its serve (unmanaged)
}

// Command is one event somebody asks for. Kind is a tool or event name of
// the task's table: create_task, check, checked, check_cancelled, gate_lost, submit,
// consult, respond_consult, wait_for_consult, ask_human, answer, deliver, approve,
// reject, endorse, voided, retry, reset, claim, release, heartbeat, hold, resume, select,
// create_spec, import, prepared, landed, returned.
type Command struct {
	Kind   machine.Kind
	By     Actor
	Text   string // task, notes, question, response, submission, hold reason
	Ticket uint64 // of the question, consult or gate that is answered; 0 means the one that is open
	// Seq is what the facts were read at; Decide refuses with the guard
	// facts-moved when the state has moved on since and the facts matter. 0 means now.
	Seq uint64
	// Epoch is the World's when the caller last claimed or was told; a command of
	// an older epoch is STALE. 0 means that the caller does not know.
	Epoch   uint64
	Gate    *GateResult       // checked, check_cancelled
	Select  *Selection        // select, create_spec
	Process *process.Identity // release: whose claim, besides By.Session
	Used    *Amount           // hold, for a limit: what the task has used
	Because string            // hold: what brought it about, in words
	Changes bool              // create_task, in a work tree: what is not committed comes along
	Origin  *Origin           // create_task, for a workflow
	Landed  *Landed           // landed
	Texts   map[string]string // import: what was beside the STATE.json of before
	Facts   Facts
}

// GateResult is what the gate's runner found.
type GateResult struct {
	Verdict checks.Verdict
	Tree    string
	Log     string
	Report  string // bounded, for the agent
	Why     string // one line: FAIL: go test ./...
	Lost    bool   // check_cancelled because its runner died for the third time
}

// Facts are what Decide cannot know by itself. Each is gathered without the lock.
type Facts struct {
	Now         time.Time
	NextSeq     uint64      // the seq this command would get; also the ticket of what it asks
	TaskID      string      // a fresh one, for create_task and import
	Base        Base        // create_task; returned: what the work stands on now
	Definition  *Definition // create_task, import: the commands as ferrus.toml has them
	Workspace   *Workspace  // create_task: nil is the project directory
	Tree        string      // the present tree; empty when it was not or could not be read
	TreeWhy     string      // why Tree is empty, or which paths moved
	HolderAlive bool        // the process that holds the lease lives
	HolderGone  bool        // it is known not to live (same host and boot, pid and start gone)
	StillEnding bool        // a session of the old task lives (create_task after a reset)
	TTL         time.Duration
	Unattended  bool    // [hq] unattended: a supervisor may answer
	Alarms      []Alarm // submit, approve: what the change does to its own checks
	AllowNone   bool    // [checks] allow_none: UNPROVEN for want of commands counts as passed
}

// Limits are [limits] of ferrus.toml as far as the loop needs them.
type Limits struct {
	CheckRetries int // default 20: the 20th consecutive failure is Failed
	ReviewCycles int // default 3: the third rejection is Failed
}

// Decision is the answer to an accepted command.
type Decision struct {
	World World
	// Event is the journal's word; empty means no line and no seq (a renewal of
	// the lease, or nothing at all when World is as it was).
	Event   machine.Kind
	Why     string            // for the journal
	Texts   map[string]string // text name to content; an empty content removes it
	Archive string            // task whose texts are archived before this commits
	Result  Result
}

// Result is what a caller is told. The keys are those of the MCP tools.
type Result struct {
	Status Status        `json:"status"`
	State  machine.State `json:"state"`
	Seq    uint64        `json:"seq"`
	Next   string        `json:"next,omitempty"` // what to do now, in words that name the tool; empty: as hq/advice says

	TaskID string `json:"task_id,omitempty"`
	Ticket uint64 `json:"ticket,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	*GateReport
	*Claimed
	Cycles       *Count        `json:"cycles,omitempty"`
	Response     string        `json:"response,omitempty"`
	Answer       string        `json:"answer,omitempty"`
	ResumedState machine.State `json:"resumed_state,omitempty"`
	Path         string        `json:"path,omitempty"`
	Milestone    string        `json:"milestone,omitempty"`
	Message      string        `json:"message,omitempty"`
}

// GateReport is the part of a Result that speaks of a gate.
type GateReport struct {
	Attempt   int            `json:"attempt,omitempty"`
	Retries   *Count         `json:"retries,omitempty"`
	Verdict   checks.Verdict `json:"verdict,omitempty"`
	Report    string         `json:"report,omitempty"`
	Log       string         `json:"log,omitempty"`
	Tests     string         `json:"tests,omitempty"` // how many the commands said they ran
	LastLines string         `json:"last_lines,omitempty"`
}

// Claimed is the part of a Result that hands work to an agent.
type Claimed struct {
	ClaimedBy  string     `json:"claimed_by,omitempty"`
	LeaseUntil *time.Time `json:"lease_until,omitempty"`
	Task       string     `json:"task,omitempty"`
	Workspace  string     `json:"workspace,omitempty"` // absolute: a work tree of the task's own, where the work is done
	Submission string     `json:"submission,omitempty"`
	Review     string     `json:"review,omitempty"`
	Alarms     []Alarm    `json:"alarms,omitempty"` // of the submission
	Consults   []Exchange `json:"consults,omitempty"`
	Answers    []Exchange `json:"answers,omitempty"`
	Cycles     int        `json:"review_cycles_used"`
	Retries    int        `json:"check_retries_used"`
}

// Exchange is a question with its answer.
type Exchange struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Count is how much of a limit is used.
type Count struct {
	Used  int `json:"used"`
	Limit int `json:"limit"`
}
