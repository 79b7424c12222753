package wire

import (
	"encoding/json"
	"time"

	"ferrus/agent"
	"ferrus/hq/core"
)

// Beat is how often home asks a worker how it is. After HomePatience without an answer home
// closes the link and opens another; a worker that hears nothing for the patience that home
// gave it, which is much longer, ends its sessions and keeps their work.
const (
	Beat         = 5 * time.Second
	HomePatience = 20 * time.Second
)

// Method names what is asked of a worker.
type Method string

// The calls. Each says what its question and its answer are.
const (
	// MethodHello is the first call of every link: Hello, Welcome. A worker that was not
	// greeted, or speaks another version, answers nothing else.
	MethodHello Method = "hello"
	// MethodStatus asks how the worker is: nothing, Status. Home asks every Beat, and both
	// ends measure the silence between.
	MethodStatus Method = "status"
	// MethodHave asks which commits the worker has already: Have, Have.
	MethodHave Method = "have"
	// MethodPlace makes the workspace of a task, or brings it to another tree: Place,
	// Workspace. What it needs was sent with MethodPack.
	MethodPlace Method = "place"
	// MethodStart starts a session: Start, nothing. It is idempotent by the session's id.
	MethodStart Method = "start"
	// MethodEnd ends a session with all that it started: End, agent.Exit as Ending. It waits
	// for the end, and for one that has ended it is the same as asking how.
	MethodEnd Method = "end"
	// MethodTree records the tree of a workspace as it is: Task, Workspace.
	MethodTree Method = "tree"
	// MethodForget removes what the worker keeps of a task, or only the record of a session
	// that has ended: Forget, nothing.
	MethodForget Method = "forget"
)

// The streams. Each says what its request is, and what its messages are.
const (
	// MethodPack sends a git pack: Pack; the messages of home are the pack, and the worker
	// answers with one empty message once all of it is stored.
	MethodPack Method = "pack"
	// MethodFetch fetches a git pack: Fetch; the worker's messages are the pack, and the end
	// of the stream is the pack's end.
	MethodFetch Method = "fetch"
	// MethodUserFile sends a long text or file from you for the sessions of a task: UserFile; the messages of home are
	// the file, then an empty one, and the worker answers with the path of the file that it stored.
	MethodUserFile Method = "userfile"
	// MethodPane shows a session and types into it: Pane. A message is one of the kinds
	// below and a body. It begins with a snapshot. Where the stream cannot keep up with
	// the output, the worker drops what waits and sends a new snapshot instead.
	MethodPane Method = "pane"
	// MethodSetup prepares the workspace of a task: Setup; the worker's messages are what the
	// commands print, and the end of the stream is their end. If the same commands have already
	// prepared the workspace, it ends at once.
	MethodSetup Method = "setup"
	// MethodGate runs the check commands on a commit that was sent with MethodPack: Gate. The
	// messages of the worker are of the kinds below, and after their end home closes the stream. The
	// gate continues without the stream where the link is lost; closing it before ends the gate.
	MethodGate Method = "gate"
	// MethodTools connects the tool servers of a session: Tools. Its messages are those of
	// a [Channel], which continues on the stream of the next link.
	MethodTools Method = "tools"
)

// The kinds of messages of MethodPane: the first byte.
const (
	PaneSnapshot = 'P' // from the worker: the beginning of what redraws an empty screen
	PaneMore     = 'p' // from the worker: the next part of it
	PaneOutput   = 'O' // from the worker: what was written to the screen
	PaneSize     = 'Z' // from the worker: PaneSizes; the snapshot or output that follows has it
	PaneEnded    = 'X' // from the worker: Ending
	PaneInput    = 'I' // from home: what was typed
	PaneResize   = 'R' // from home: PaneSizes
)

// The kinds of messages of MethodGate, all of the worker: the first byte. The steps and hosts are all sent
// from the first on, also on another link; of lines only the newest is.
const (
	GateSetup  = 'S' // GateProgress of a setup command
	GateStep   = 'P' // GateProgress of a check command
	GateLog    = 'L' // the next part of the log, once the gate has ended
	GateRecord = 'R' // the next part of a gate.Record as JSON, after the log
	GateHost   = 'H' // a host that its commands wanted to reach and that no rule names; they were refused
)

// The kinds of messages of the channel of MethodTools: the first byte. After it is the number of
// a connection in four bytes, big endian, which the worker gives out upwards.
const (
	ToolsOpen  = 'O' // from the worker: a process of the session connects to a server; bytes: its client asks there
	ToolsData  = 'D' // in both directions: bytes of the connection
	ToolsClose = 'Z' // in both directions: the connection has ended
	ToolsTree  = 'T' // from the worker: a Workspace, whose tree home has before the data that follows
	ToolsHost  = 'H' // from the worker: a host that the session wanted to reach and that no rule names; it was refused
	ToolsReach = 'A' // from home: Reach, what you answered about a host
	// From the worker, of a session on its program's own screen: its turn has ended; one byte more: the next one runs.
	ToolsTurn = 'E'
)

// Hello is how home introduces itself.
type Hello struct {
	Build
	Home     string `json:"home"`     // identifies the project of a user on a machine
	Project  string `json:"project"`  // its name, for the worker's own log
	Patience int    `json:"patience"` // seconds of silence after which the worker ends its sessions
}

// Build identifies a program. Two that have the same system must have the same hash; others
// must have the same version.
type Build struct {
	Protocol int    `json:"protocol"`
	Hash     string `json:"hash"` // of the program, SHA-256
	Version  string `json:"version"`
	System   string `json:"system"` // linux/amd64
}

// Same reports whether two programs understand each other.
func (b Build) Same(other Build) bool {
	same := b.Protocol == other.Protocol && b.Version == other.Version
	return same && (b.System != other.System || b.Hash == other.Hash)
}

// Welcome is how a worker answers.
type Welcome struct {
	Build
	Worker string `json:"worker"` // the name of its host
	Boot   string `json:"boot"`   // identifies this run of the worker: another run has none of the sessions
	Status
}

// Status is how a worker is.
type Status struct {
	Agents   []Agent   `json:"agents"`
	Labels   []string  `json:"labels,omitempty"`
	Slots    int       `json:"slots,omitempty"` // 0: home says how many
	Load     float64   `json:"load"`            // of the last minute
	Cores    int       `json:"cores"`
	MemoryMB int       `json:"memory_mb"` // free
	DiskMB   int       `json:"disk_mb"`   // free, where the workspaces are
	Walls    string    `json:"walls"`     // of the sandbox that sessions have there
	Sessions []Session `json:"sessions"`
	Gates    []string  `json:"gates,omitempty"` // names of gates that run, or whose result home does not have
	Tasks    []string  `json:"tasks,omitempty"` // that have a workspace there
}

// Agent is an agent that a worker has, or has not.
type Agent struct {
	Name    string `json:"name"`
	Missing string `json:"missing,omitempty"` // why it cannot be started; empty: it can
}

// Session is a session that a worker knows.
type Session struct {
	ID string `json:"id"`
	Task
	Slot   string  `json:"slot"`
	Ending *Ending `json:"ending,omitempty"` // nil: it is running
}

// Task names the attempt of a task that something belongs to. A worker refuses what names
// another attempt than its newest, and home does the same.
type Task struct {
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
}

// Have are commits and trees, by their hashes.
type Have struct {
	Hashes []string `json:"hashes"`
}

// Pack says what a pack that is sent is for.
type Pack struct {
	Tips []string `json:"tips"` // commits that the worker keeps from then on
}

// Place says what a workspace has to be.
type Place struct {
	Task
	Commit string `json:"commit"` // that is checked out
	Tree   string `json:"tree"`   // of the files; empty: the commit's
	Below  string `json:"below"`  // the directory of the project below the top; empty: the top
}

// Workspace is a workspace as the worker has it.
type Workspace struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
	Dir    string `json:"dir,omitempty"` // where it is on the worker; only in the answer to MethodPlace
}

// Setup says which commands prepare a workspace.
type Setup struct {
	Task
	Definition core.Definition `json:"definition"`
}

// UserFile names a file for the sessions of a task.
type UserFile struct {
	Task
	Name string `json:"name"`
}

// Gate says what a gate runs, and on what. The worker decides nothing by what it finds.
type Gate struct {
	Name       string          `json:"name"`   // identifies the gate; the same one is not run twice at the same time
	Commit     string          `json:"commit"` // whose tree is checked
	Base       core.Base       `json:"base"`   // that this work started from
	Definition core.Definition `json:"definition"`
	Task       *core.Task      `json:"task,omitempty"` // whose work all that the gate finds is compared for; nil: nothing is
}

// MaxGateHosts is how many hosts are reported of one gate, and MaxSessionHosts of one session. More are refused all the
// same.
const (
	MaxGateHosts    = 32
	MaxSessionHosts = 32
)

// Reach says whether the sessions of a task may reach a host.
type Reach struct {
	Host    string `json:"host"`
	Allowed bool   `json:"allowed"`
}

// GateProgress is how far a gate is.
type GateProgress struct {
	Index   int             `json:"index"`
	Command string          `json:"command"`
	Line    string          `json:"line,omitempty"` // of output
	Done    json.RawMessage `json:"done,omitempty"` // how the command ended, a checks.Result; empty: it runs
}

// Start is a session to start. The worker has its own agents, logins and caches; nothing of
// yours is in it but the text of the prompt. It has more than 12 fields because it is one flat
// message of a protocol.
type Start struct {
	Task
	Session     string       `json:"session"` // its id
	Number      int          `json:"number"`  // in its slot
	Slot        string       `json:"slot"`
	Mode        string       `json:"mode"`
	Agent       string       `json:"agent"`
	Model       string       `json:"model,omitempty"`
	Permissions string       `json:"permissions,omitempty"`
	Custom      *Custom      `json:"custom,omitempty"` // nil: the agent is a built-in one
	Prompt      string       `json:"prompt"`
	Interactive bool         `json:"interactive,omitempty"`
	CanEdit     bool         `json:"can_edit,omitempty"`
	OnlyFerrus  bool         `json:"only_ferrus,omitempty"` // the agent gets no other MCP server
	WaitSecs    int          `json:"wait_secs,omitempty"`
	Columns     int          `json:"columns"`
	Rows        int          `json:"rows"`
	Scrollback  int          `json:"scrollback"`
	Sandbox     core.Sandbox `json:"sandbox"`
}

// Custom is an agent that your configuration defines.
type Custom = agent.Custom

// End says how a session is to end.
type End struct {
	Task
	Session string `json:"session"`
	GraceMS int64  `json:"grace_ms"`
	Wait    bool   `json:"wait,omitempty"` // it may continue; only its end is waited for
}

// Ending is how a session ended.
type Ending struct {
	Code   int         `json:"code"`
	Signal int         `json:"signal,omitempty"`
	Error  string      `json:"error,omitempty"`
	Usage  agent.Usage `json:"usage,omitzero"`
	Limit  agent.Limit `json:"limit,omitzero"`
	Final  *string     `json:"final,omitempty"` // see [agent.Exit]
	Why    string      `json:"why,omitempty"`   // why the worker ended it; empty: it did not
}

// Forget says what is not needed any more.
type Forget struct {
	Task
	Session string `json:"session,omitempty"` // empty: all of the task
}

// Fetch says what a pack is to have.
type Fetch struct {
	Task
	Want string   `json:"want"` // a commit that a Workspace named
	Have []string `json:"have"` // commits that home has
}

// Pane says which session is shown, and the size that home wants.
type Pane struct {
	Task
	Session string `json:"session"`
	PaneSizes
}

// PaneSizes is the size of a session's terminal.
type PaneSizes struct {
	Columns int `json:"columns"`
	Rows    int `json:"rows"`
}

// Tools says which session's servers are connected, and where the channel continues.
type Tools struct {
	Task
	Session  string `json:"session"`
	Received uint64 `json:"received"` // the number of the newest message that home has
}
