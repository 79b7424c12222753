package core

import (
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/hq/comments"
	"ferrus/machine"
)

// Mode says what a session is for. It is stored, and given to the session's server. It
// bounds what a supervisor's session may do, see modeKinds, and which tools its server
// offers; an executor's modes differ only in the prompt.
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
// nonce; a human and ferrus itself have no session. An actor is what the caller's
// process can prove, never what it says: for a session that HQ started, serve
// reads Role, Mode and ID from the registry.
type Actor struct {
	Role    machine.Role
	ID      string // "person", user@host, "ferrus" or an agent id such as executor:codex:1
	Session string // first 16 hex of SHA-256 of the nonce; empty for the human
	Mode    Mode   // of the session
	Via     string // where a human gives it from, for the journal; empty: from the terminal of this process
	// Recorded with a claim; see Claim.Managed.
	Managed bool              // its session is registered by a running conductor
	Process *process.Identity // of the agent (managed) or its serve (unmanaged)
}

// HumanID is the id of the human in journals and files.
const HumanID = "person"

// IsHuman reports whether an id is of a human: you, or user@host on another machine. No agent's id has an @.
func IsHuman(id string) bool { return id == HumanID || strings.Contains(id, "@") }

// NameOf returns an actor's id as you read it: you are "you" there.
func NameOf(id string) string {
	if id == HumanID {
		return "you"
	}
	return id
}

// Command is one request to change the state, with everything needed to decide it. It has
// more than 12 fields because each kind of command has its own. A kind reads Kind, By,
// Seq, Epoch and the fields that name it; the rest may be anything. Of it all, only By
// and Facts, which ferrus fills in, are trusted.
type Command struct {
	Kind machine.Kind // one of the Kind constants
	By   Actor
	// Kept as it is, control characters too: what is shown of it is sanitized where it
	// is shown. Blank counts as missing. Of a human it must be UTF-8.
	Text string // task, notes, question, response, submission or hold reason
	// Ticket is of the question, consultation, request or gate that is answered, or of the
	// submission that is judged; 0: the open one.
	Ticket uint64
	// Seq is the seq of the state that the facts were gathered for. Decide refuses with
	// the guard facts-moved if the state has changed since and the facts matter. 0: now.
	Seq uint64
	// Epoch is the World's when the caller last claimed; a command of an older epoch is
	// STALE. 0: the caller does not know.
	Epoch   uint64
	Gate    *GateResult       // checked, check_cancelled
	Select  *Selection        // select, create_spec
	Pin     *PinChange        // pin
	Process *process.Identity // release: whose claim, besides By.Session
	// Kept as Task.Asked when the hold is set.
	Used *Amount // hold, for a limit: what the task has used
	// Becomes Hold.Cause: its first line, cut to becauseCells.
	Cause     string   // hold: what brought it about, in words
	Changes   bool     // create_task, in a worktree: what is not committed comes along
	Origin    *Origin  // create_task, for a workflow
	Item      int      // create_task, for the queue
	Adopted   *Adopted // create_task, for the queue: the work that it continues; nil: it begins
	Spec      string   // create_task, for the queue: the specification with its milestone; empty: none
	Milestone string
	Landed    *Landed           // landed
	Texts     map[string]string // import: what was beside the STATE.json of before
	Drafts    []comments.Draft  // comment, reject, returned: a round of comments of the human
	Answer    comments.Answer   // resolve_comment, without By and At
	Wanted    *Wanted           // ask_permission; Text is then the whole of what Wanted has only the ends of
	Facts     Facts
}

// GateResult is the verdict that the gate's runner reports. The runner is a process of
// ferrus's own. It reports for Command.Ticket, and what it reports of another ticket is
// refused as STALE.
type GateResult struct {
	Verdict checks.Verdict
	Tree    string // hash of the tree that the checks ran on; empty: it could not be read
	Log     string // path below the project directory
	Report  string // bounded, for the agent
	Why     string // one line: FAIL: go test ./...
	Lost    bool   // check_cancelled because its runner died for the third time
}

// Facts are what Decide cannot know by itself: the time, files and processes. Most take
// long to gather and are gathered without the lock; see Command.Seq. It has more than
// 12 fields because each kind of command needs its own. A fact that a kind does not
// name is not gathered for it and stays zero. What was gathered for an older state
// counts as unknown: the caller gathers again, at most three times.
type Facts struct {
	// Of this host. It only stamps and expires; nothing is ordered by it.
	Now time.Time
	// Seq of the state under the lock, plus one.
	NextSeq    uint64      // the seq that this command would get; also the ticket of what it asks
	TaskID     string      // a new id, for create_task and import
	Base       Base        // create_task: what the task starts from; returned: what the work is based on now
	Definition *Definition // create_task, import: the commands as ferrus.toml has them
	Pin        *Pin        // the agents for the roles of a task without a pin, from ferrus.toml
	Widening   []string    // for that task's definition
	Workspace  *Workspace  // create_task: nil is the project directory
	Tree       string      // hash of the present tree; empty: it was not or could not be read
	TreeWhy    string      // why Tree is empty, or which paths changed
	// Both this and HolderGone are false where it cannot be known: another host, or no
	// recorded process. They are never both true.
	HolderAlive bool // the process that holds the lease is running
	HolderGone  bool // it is known not to run: same host and boot, and no process with its pid and start
	// Its writes could still land in the new task's tree.
	StillEnding bool          // create_task after a reset: a session of the old task still runs
	TTL         time.Duration // of the lease, when it is renewed; 0: defaultTTL
	Unattended  bool          // [hq] unattended: a supervisor may answer
	Alarms      []Alarm       // submit, approve: what the change does to its own checks
	Comments    *comments.Set // the task's comments, for comment, resolve_comment and every event with Drafts
	Requests    WholeRequests // the task's comments, for ask_permission with a text
	AllowNone   bool          // [checks] allow_none: UNPROVEN for lack of commands counts as passed
}

// Limits are the keys of [limits] in ferrus.toml that the loop needs.
type Limits struct {
	CheckRetries int // default 20: the 20th consecutive failure is Failed
	ReviewCycles int // default 3: the third rejection is Failed
}

// Decision is the answer to an accepted command. The store commits all of it or
// nothing: texts and archive first, then the journal entry, then the state.
type Decision struct {
	// Shares nothing with the World that was decided on.
	World World
	// Event is the name of the journal entry. Empty: no entry and no seq, because only
	// the lease is renewed, or, if World is unchanged, nothing at all.
	Event machine.Kind
	Why   string            // one line for the journal
	Texts map[string]string // by name; an empty text is removed
	// Empty: nothing is archived.
	Archive string // id of the task whose texts are archived before the commit
	Result  Result
}

// Result is the answer to a caller. The JSON keys are those of the MCP tools. It has
// more than 12 fields because it is one flat object, and each tool uses a part of
// it. Keys are added, never renamed or removed: agents and scripts read them.
type Result struct {
	// What happened, in one word of a closed list.
	Status Status        `json:"status"`
	State  machine.State `json:"state"`
	// Of the state that the result describes: the new one, or the present one if there
	// was no event.
	Seq  uint64 `json:"seq"`
	Next string `json:"next,omitempty"` // what to do now, naming the tool; empty: package advice says it

	// create_task.
	TaskID string `json:"task_id,omitempty"`
	// Of the gate, the question or the consultation that the command is about.
	Ticket uint64 `json:"ticket,omitempty"`
	// Set by the server, for tools that wait. Opaque to callers.
	Cursor string `json:"cursor,omitempty"`
	*GateReport
	*Claimed
	// reject.
	Cycles *Count `json:"cycles,omitempty"`
	// wait_for_consult; the caller of Decide reads it from ConsultResponseText.
	Response string `json:"response,omitempty"`
	// wait_for_answer; read from AnswerText likewise.
	Answer string `json:"answer,omitempty"`
	// The state that the answer returned to.
	ResumedState machine.State `json:"resumed_state,omitempty"`
	// create_spec: the file, below the project directory.
	Path      string `json:"path,omitempty"`
	Milestone string `json:"milestone,omitempty"`
	// resolve_comment: how many comments are still open.
	OpenComments *int `json:"open_comments,omitempty"`
	// wait_for_task: the open comments; the caller of Decide reads them from CommentsText.
	Comments []comments.Comment `json:"comments,omitempty"`
	// What the human says beside the answer, or what could not be done in full.
	Message string `json:"message,omitempty"`
}

// GateReport is the part of a Result about a gate. All of it is about one ticket, the
// Result's.
type GateReport struct {
	Attempt int `json:"attempt,omitempty"`
	// As they are after the verdict.
	Retries *Count         `json:"retries,omitempty"`
	Verdict checks.Verdict `json:"verdict,omitempty"`
	// Bounded, and made for an agent; Log has everything.
	Report string `json:"report,omitempty"`
	Log    string `json:"log,omitempty"`
	Tests  string `json:"tests,omitempty"` // how many tests the commands reported
	// While it runs: the end of the output so far.
	LastLines string `json:"last_lines,omitempty"`
}

// Claimed is the part of a Result that gives work to an agent. Decide fills in lease
// and counters, the caller the texts, because only it has the store.
type Claimed struct {
	ClaimedBy  string     `json:"claimed_by,omitempty"`
	LeaseUntil *time.Time `json:"lease_until,omitempty"`
	// The whole text, not the title.
	Task string `json:"task,omitempty"`
	// absolute path of the task's own worktree; empty: the project directory
	Workspace  string `json:"workspace,omitempty"`
	Submission string `json:"submission,omitempty"`
	// The last review notes; empty before the first.
	Review   string     `json:"review,omitempty"`
	Alarms   []Alarm    `json:"alarms,omitempty"` // of the submission
	Consults []Exchange `json:"consults,omitempty"`
	Answers  []Exchange `json:"answers,omitempty"`
	// How often the holder should call heartbeat while it calls nothing else. The caller
	// fills it in, from ferrus.toml.
	Heartbeat int `json:"heartbeat_interval_secs,omitempty"`
	Cycles    int `json:"review_cycles_used"`
	Retries   int `json:"check_retries_used"`
}

// Exchange is a question and its answer. Both are whole texts; see [World.Exchanges]
// for how long they are kept.
type Exchange struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Count says how much of a limit is used.
type Count struct {
	Used  int `json:"used"`
	Limit int `json:"limit"`
}
