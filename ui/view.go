// Package ui draws HQ and turns keys into intents.
//
// A frame is drawn from two things: a [View], which somebody else projects from
// what is true, and a [Model], which holds only what a person did to the screen:
// what has the keys, what is typed, what is scrolled, zoomed or asked. Hand a
// View in as a [ViewMsg]; what the person wants comes out as an [Intent] through
// the function given to [New], and how it went comes back as a [DoneMsg].
//
// Nothing here does I/O, reads a clock or knows what a task is. Every frame is
// exactly as wide and as high as the terminal. Text that came from an agent has
// to pass [Sanitize] before it is put into a View; panes are drawn from their
// emulator only.
package ui

import (
	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// View is what is true at one moment, in the words of the screen.
type View struct {
	Status   Status
	Panes    []Pane // only those that had a session, by number
	Activity []Entry
	Check    Check
	Ask      *Ask        // the question or consultation that waits for an answer
	Needs    []InboxItem // what needs the person, most urgent first; Ask is among them
	Advice   string      // what may be done when nothing needs the person
	Notice   *Notice     // the newest sentence for the person
	Allowed  DisabledReasons
	Explain  string // the long answer to "what is going on", for /status
	Models   []RoleModel
	Spec     Spec
	Sheets   []Document          // the texts of the task, in the order they came
	Agents   []string            // the names that /register takes
	Keys     map[string][]string // other keys for actions, as [Bind] takes them; replaced, never changed
	Found    Completions         // kept from one View to the next
	Tethered bool                // sessions end with HQ: they cannot be left running
}

// Completions is what commands are completed with that is looked for only when one is
// typed.
type Completions struct {
	Specs  []SpecFile
	Runs   []PairRun
	Tasks  []Suggestion        // that were put away, by id
	Agents []string            // all that can play
	Models map[string][]string // what each of them ran on before
}

// Spec is what a task may come from.
type Spec struct {
	Last                string // the specification written last; empty: none is offered
	Selected, Milestone string // the selected milestone, and what it is of
}

// SpecFile is one specification to choose from.
type SpecFile struct {
	Path, Name string
	Progress   string // 2/5
	Problem    string // why it cannot be used; empty: it can
	Milestones []Milestone
}

// Milestone is one stage of a specification.
type Milestone struct {
	ID     string // empty: it cannot be selected
	Title  string // #1.0 Read the files
	On     string // what it depends on: m1.0, m1.1; empty: nothing
	Waits  string // those of them that are not done
	Done   bool
	Chosen bool
}

// Status is the bar at the top, and the right end of the key line.
type Status struct {
	Project, Branch string
	State           string
	Tone            style.Tone
	Title           string
	Checks, Reviews string // 2/20
	Rounds          string // of a pair: iteration 2/20
	Counter         string // the one that moves now, for where there is no room for all: checks 2/20
	Elapsed         string // of the task
	Used            string // by the task's sessions: 12.3k tok $0.42; empty: nobody knows
	Lease           string // executor:codex:1 78s
	Alert           string // hold or problem, in two words
}

// Pane is one slot's newest session.
type Pane struct {
	Slot        string
	Title       Title
	Left        bool // shown on the supervisor's side
	Living      bool
	Interactive bool       // may be typed into
	Session     int        // which of the slot's sessions
	Born        int64      // orders sessions: the newest is shown
	Footer      string     // how the last session ended, where the title does not say it
	Terminal    *vt.Locked // nil before the first byte
}

// Title is the upper border of a pane.
type Title struct {
	Number int    // what it is focused by after the leader
	Name   string // supervisor
	Short  string // super, where there is little room
	Agent  string // claude-code opus
	Bypass bool   // the agent asks nobody: shown in red
	Status string // running 03:12
	Tone   style.Tone
}

// EntryID says which entry it is. Zero is none.
type EntryID struct {
	Seq     uint64 // of the journal; of a refusal, that of the line before it
	Refused uint64 // 0: it is in the journal
}

// Entry is one line of the journal, or a call that was refused, which is in none.
type Entry struct {
	EntryID
	At    string // 14:02
	Clock string // 14:02:11
	After string // the time since the entry before: +32s
	Day   string // Friday, 20 November
	Event string // create_task
	From  State  // what the task was; empty: it stayed what it is
	To    State
	By    string // person
	Why   string
	Tone  style.Tone
}

// State is one of the task's states, with the tone it has everywhere.
type State struct {
	Text string
	Tone style.Tone
}

// Check is the newest check gate.
type Check struct {
	Title string // check 3
	State string // FAIL 2/3
	Tone  style.Tone
	Took  string
	Why   string
	Rows  []CheckRow
	Lines []string // the newest output
	Log   string
}

// CheckRow is one command of the gate.
type CheckRow struct {
	Mark    string // ok, FAIL, run, TIME
	Tone    style.Tone
	Command string
	Detail  string
	Took    string
	Share   int // of the time it took the last time, in percent; 0: nobody knows
}

// AskKind is what sort of answer is waited for.
type AskKind uint8

// The kinds.
const (
	Question AskKind = iota
	Consultation
)

// Ask is what an agent wants to know.
type Ask struct {
	Kind   AskKind
	Ticket uint64
	Who    string // executor
	Text   string // may have several lines
}

// InboxItem is one thing that waits for the person.
type InboxItem struct {
	ID        string // the same for as long as it is the same thing
	Kind      string // question, hold, failure
	Text      string
	Hint      string // what to do
	Tone      style.Tone
	Ask       bool   // it is View.Ask
	Delegated bool   // somebody else does it, if the person does not: it is not counted
	Pane      int    // the number of the pane it is about; 0: none
	Type      string // what to put at the prompt for it
}

// Notice is a sentence for the person. A higher Number is a newer one.
type Notice struct {
	Number int64
	Text   string
	Error  bool
}

// RoleModel is what a role runs on, for /model.
type RoleModel struct {
	Role, Agent, Model string
	Known              []string // models to choose from
}

// DisabledReasons says why a command may not be given now; an empty reason allows it.
type DisabledReasons struct {
	Task, Check, Cancel, Approve, Reject string
	Retry, Reset, Review, Resume, Stop   string
	Pair, Diff, Land                     string
}
