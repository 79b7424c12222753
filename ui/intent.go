package ui

import "ferrus/ui/view"

// Intent is what a person wants done. Whoever runs the screen carries it out
// and answers with a [DoneMsg].
type Intent interface{ intent() }

// The intents, one for each thing a person can want.
type (
	// Task asks for a task: through a supervisor, or as written with Now.
	Task struct {
		Text        string
		Manual, Now bool
		Again       bool // from the selected milestone though it is done
		Changes     bool // what is not committed comes along into its work tree
	}
	// Milestones asks for the specifications as they are now, or for one: see
	// [SpecsMsg].
	Milestones struct{ Spec string }
	// SelectMilestone selects a milestone of a specification, or nothing. Draft begins its
	// task at once.
	SelectMilestone struct {
		Spec, Milestone string
		Draft           bool
	}
	// Session asks for a session: plan, spec, or free in a role.
	Session struct{ Mode, Role, Text string }
	// RunCheck asks for the gate. Force runs it without changing the state.
	RunCheck struct{ Force, Cancel bool }
	// Answer answers the question or consultation it carries, no other.
	Answer struct {
		Ask  view.Ask
		Text string
	}
	// Approve and Reject judge a submission.
	Approve struct{ Note string }
	Reject  struct{ Notes string }
	// Workflow shows the workflow, with nothing after it, or begins or answers one.
	Workflow struct{ Line string }
	// Land shows what would land, and asks; Sure lands it. An empty message is the
	// task's own.
	Land struct {
		Message       string
		Keep, Changes bool
		Sure          bool
	}
	// Retry goes on with a failed task.
	Retry struct{}
	// Reset puts the task away.
	Reset struct{}
	// Resume clears a hold, or starts the session of one slot again.
	Resume struct{ Slot string }
	// Review starts a reviewer now.
	Review struct{}
	// Trust lets the check commands run that were shown.
	Trust struct{}
	// Pair begins a run of two agents, or goes on with one. Empty fields are for
	// the configuration to fill in; Line is what was typed.
	Pair struct {
		Task, Primary, Secondary, Mode string
		Done                           string // the word that ends the work
		Limit                          int
		Again                          bool
		ID                             string // of the run to go on with; empty: the newest
		Accept                         bool
		Line                           string
	}
	// Tell leaves a message for the session of a slot, or for its next one.
	Tell struct{ Slot, Text string }
	// Stop ends every session and starts none.
	Stop struct{}
	// SetModel chooses what a role runs on; an empty model is the agent's own.
	SetModel struct{ Role, Model string }
	// Register sets the agents up, as the flags of ferrus register say.
	Register struct{ Flags string }
	// Input is typed into the session of a slot.
	Input struct {
		Slot string
		Data []byte
	}
	// Resize is the size that a slot's terminal has on the screen.
	Resize struct {
		Slot          string
		Columns, Rows int
	}
	// LoadEntry asks for all that belongs to an entry of the journal: a [PageMsg].
	LoadEntry struct{ Entry view.EntryID }
	// ReadSpec asks for a specification, the newest if none is named: a [PageMsg].
	ReadSpec struct{ Name string }
	// ReadTask asks for the texts of a task, by its id: a [PageMsg].
	ReadTask struct{ ID string }
	// ListRuns asks for the runs of pairs: a [RunsMsg].
	ListRuns struct{}
	// LoadCompletions asks for what commands can be completed with: a [FoundMsg].
	LoadCompletions struct{}
	// LoadDiff asks for what the task changed: a [DiffMsg].
	LoadDiff struct{}
	// Notify tells a person who is away, by the means of their terminal.
	Notify struct{ Text string }
	// OpenEditor opens a text in the person's editor: a [WrittenMsg].
	OpenEditor struct{ Text string }
	// Suspend gives the terminal back to the shell until the person returns.
	Suspend struct{}
	// SaveLayout keeps what the person did to the screen, for the next time.
	SaveLayout struct{ Kept view.SavedLayout }
	// Copy puts text on the clipboard of whoever sits at the terminal.
	Copy struct{ Text string }
	// SaveHistory keeps a line of the prompt's history.
	SaveHistory struct{ Line string }
	// Quit leaves HQ, as the person's own wish. Leave leaves its sessions running.
	Quit struct{ Leave bool }
)

// Intents that the screen carries out itself.
type (
	openHelp   struct{ command string }
	openStatus struct{}
	openModels struct{}
	openSpecs  struct{}
	openLog    struct{ at view.EntryID }
	openDiff   struct{}
	openSheet  struct{ name string }
	openInbox  struct{}
	answerNow  struct{}
	openAsk    struct{}
	askQuit    struct{}
	askReset   struct{}
	askCancel  struct{ line string }
	prefill    struct{ text string }
	focusPane  struct{ number int }
)

func (Task) intent()            {}
func (Milestones) intent()      {}
func (SelectMilestone) intent() {}
func (Session) intent()         {}
func (RunCheck) intent()        {}
func (Answer) intent()          {}
func (Approve) intent()         {}
func (Reject) intent()          {}
func (Workflow) intent()        {}
func (Land) intent()            {}
func (Retry) intent()           {}
func (Reset) intent()           {}
func (Resume) intent()          {}
func (Review) intent()          {}
func (Tell) intent()            {}
func (Pair) intent()            {}
func (Stop) intent()            {}
func (Trust) intent()           {}
func (SetModel) intent()        {}
func (Register) intent()        {}
func (Input) intent()           {}
func (Resize) intent()          {}
func (Copy) intent()            {}
func (SaveHistory) intent()     {}
func (SaveLayout) intent()      {}
func (Notify) intent()          {}
func (OpenEditor) intent()      {}
func (Suspend) intent()         {}
func (LoadEntry) intent()       {}
func (LoadDiff) intent()        {}
func (Quit) intent()            {}
func (openHelp) intent()        {}
func (openStatus) intent()      {}
func (openModels) intent()      {}
func (openSpecs) intent()       {}
func (openLog) intent()         {}
func (openDiff) intent()        {}
func (openSheet) intent()       {}
func (ReadSpec) intent()        {}
func (ReadTask) intent()        {}
func (ListRuns) intent()        {}
func (LoadCompletions) intent() {}
func (openInbox) intent()       {}
func (answerNow) intent()       {}
func (openAsk) intent()         {}
func (askQuit) intent()         {}
func (askCancel) intent()       {}
func (askReset) intent()        {}
func (prefill) intent()         {}
func (focusPane) intent()       {}

// The messages that a Model is sent.
type (
	// ViewMsg brings what is true now.
	ViewMsg struct{ View view.View }
	// PageMsg is all there is to tell of an entry, as Markdown; it is made
	// harmless when it is drawn.
	PageMsg struct{ Title, Text string }
	// DiffMsg brings what the task changed, or why that cannot be read.
	DiffMsg struct {
		Change view.Diff
		Error  string
	}
	// LandingMsg brings what would land, to be asked for.
	LandingMsg struct {
		Text string
		Land Land
	}
	// RunsMsg brings the runs of pairs, newest first.
	RunsMsg struct{ Runs []view.PairRun }
	// FoundMsg brings what was looked for to complete a command with.
	FoundMsg struct{ Found view.Completions }
	// SpecsMsg brings the specifications to choose from.
	SpecsMsg struct{ Specs []view.SpecFile }
	// WrittenMsg is what an editor left, or why there is none.
	WrittenMsg struct{ Text, Error string }
	// DoneMsg says how an intent went. Text is a sentence, or empty.
	DoneMsg struct {
		Text  string
		Error bool
		// Line is put back into an empty prompt, so that nothing typed is lost.
		Line string
	}
)
