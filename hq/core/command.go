package core

import (
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/machine"
)

// Mode says what a session is for. It is stored, and given to the session's server.
type Mode string

// The modes.
const (
	ModePlan    Mode = "plan"    // plans with the human; may write a spec or a task
	ModeSpec    Mode = "spec"    // writes a spec
	ModeTask    Mode = "task"    // writes a task
	ModeReview  Mode = "review"  // reviews a submission
	ModeConsult Mode = "consult" // answers a consultation
	ModeWork    Mode = "work"    // starts on a task
	ModeResume  Mode = "resume"  // continues a task that a former session worked on
	ModeFree    Mode = "free"    // the human's own, without a purpose of ferrus's
	ModePhase   Mode = "phase"   // carries out a phase of a workflow
)

// Actor identifies who gives a command. Callers in a session are identified by its
// nonce; a human and ferrus itself have no session.
type Actor struct {
	Role    machine.Role
	ID      string            // "person", "ferrus" or an agent id such as executor:codex:1
	Session string            // first 16 hex of SHA-256 of the nonce; empty for the human
	Mode    Mode              // of the session
	Managed bool              // its session is registered by a running conductor
	Process *process.Identity // of the agent (managed) or its serve (unmanaged)
}

// Command is one request to change the state, with all that deciding it takes. It has more
// than 12 fields because each kind of command has its own.
type Command struct {
	Kind   machine.Kind // one of the Kind constants
	By     Actor
	Text   string // task, notes, question, response, submission or hold reason
	Ticket uint64 // of the question, consultation or gate that is answered; 0: the open one
	// Seq is the seq of the state that the facts were gathered for. Decide refuses with
	// the guard facts-moved if the state has changed since and the facts matter. 0: now.
	Seq uint64
	// Epoch is the World's when the caller last claimed; a command of an older epoch is
	// STALE. 0: the caller does not know.
	Epoch   uint64
	Gate    *GateResult       // checked, check_cancelled
	Select  *Selection        // select, create_spec
	Process *process.Identity // release: whose claim, besides By.Session
	Used    *Amount           // hold, for a limit: what the task has used
	Because string            // hold: what brought it about, in words
	Changes bool              // create_task, in a worktree: what is not committed comes along
	Origin  *Origin           // create_task, for a workflow
	Landed  *Landed           // landed
	Texts   map[string]string // import: what was beside the STATE.json of before
	Facts   Facts
}

// GateResult is the verdict that the gate's runner reports.
type GateResult struct {
	Verdict checks.Verdict
	Tree    string // hash of the tree that the checks ran on; empty: it could not be read
	Log     string // path below the project directory
	Report  string // bounded, for the agent
	Why     string // one line: FAIL: go test ./...
	Lost    bool   // check_cancelled because its runner died for the third time
}

// Facts are what Decide cannot know by itself: the time, files and processes. Most take
// long to gather and are gathered without the lock; see Command.Seq. It has more than 12
// fields because each kind of command needs its own.
type Facts struct {
	Now         time.Time
	NextSeq     uint64        // the seq that this command would get; also the ticket of what it asks
	TaskID      string        // a new id, for create_task and import
	Base        Base          // create_task: what the task starts from; returned: what the work is based on now
	Definition  *Definition   // create_task, import: the commands as ferrus.toml has them
	Workspace   *Workspace    // create_task: nil is the project directory
	Tree        string        // hash of the present tree; empty: it was not or could not be read
	TreeWhy     string        // why Tree is empty, or which paths changed
	HolderAlive bool          // the process that holds the lease is running
	HolderGone  bool          // it is known not to run: same host and boot, and no process with its pid and start
	StillEnding bool          // create_task after a reset: a session of the old task still runs
	TTL         time.Duration // of the lease, when it is renewed; 0: defaultTTL
	Unattended  bool          // [hq] unattended: a supervisor may answer
	Alarms      []Alarm       // submit, approve: what the change does to its own checks
	AllowNone   bool          // [checks] allow_none: UNPROVEN for want of commands counts as passed
}

// Limits are the keys of [limits] in ferrus.toml that the loop needs.
type Limits struct {
	CheckRetries int // default 20: the 20th consecutive failure is Failed
	ReviewCycles int // default 3: the third rejection is Failed
}

// Decision is the answer to an accepted command.
type Decision struct {
	World World
	// Event is the name of the journal entry. Empty: no entry and no seq, because only
	// the lease is renewed, or, if World is unchanged, nothing at all.
	Event   machine.Kind
	Why     string            // one line for the journal
	Texts   map[string]string // by name; an empty text is removed
	Archive string            // id of the task whose texts are archived before the commit
	Result  Result
}

// Result is the answer to a caller. The JSON keys are those of the MCP tools. It has more
// than 12 fields because it is one flat object, of which each tool uses a part.
type Result struct {
	Status Status        `json:"status"`
	State  machine.State `json:"state"`
	Seq    uint64        `json:"seq"`
	Next   string        `json:"next,omitempty"` // what to do now, naming the tool; empty: package advice says it

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

// GateReport is the part of a Result about a gate.
type GateReport struct {
	Attempt   int            `json:"attempt,omitempty"`
	Retries   *Count         `json:"retries,omitempty"`
	Verdict   checks.Verdict `json:"verdict,omitempty"`
	Report    string         `json:"report,omitempty"`
	Log       string         `json:"log,omitempty"`
	Tests     string         `json:"tests,omitempty"` // how many tests the commands reported
	LastLines string         `json:"last_lines,omitempty"`
}

// Claimed is the part of a Result that gives work to an agent.
type Claimed struct {
	ClaimedBy  string     `json:"claimed_by,omitempty"`
	LeaseUntil *time.Time `json:"lease_until,omitempty"`
	Task       string     `json:"task,omitempty"`
	// absolute path of the task's own worktree; empty: the project directory
	Workspace  string     `json:"workspace,omitempty"`
	Submission string     `json:"submission,omitempty"`
	Review     string     `json:"review,omitempty"`
	Alarms     []Alarm    `json:"alarms,omitempty"` // of the submission
	Consults   []Exchange `json:"consults,omitempty"`
	Answers    []Exchange `json:"answers,omitempty"`
	Cycles     int        `json:"review_cycles_used"`
	Retries    int        `json:"check_retries_used"`
}

// Exchange is a question and its answer.
type Exchange struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Count says how much of a limit is used.
type Count struct {
	Used  int `json:"used"`
	Limit int `json:"limit"`
}
