// Package intent represents what the human wants as data.
//
// Components answer a key or the mouse with an [Intent] and do nothing themselves. The
// screen handles intents about itself and passes the rest on; typed commands are their
// own intents, which only their table knows.
package intent

import "ferrus/ui/view"

// Intent is something that the human wants done.
type Intent interface{ Intent() }

// Intents about the screen.
type (
	// Say shows a sentence until the next key.
	Say struct {
		Text  string
		Error bool
	}
	// Prefill puts text at the prompt, and gives the keys to it.
	Prefill struct{ Text string }
	// FocusPane gives the keys to a pane.
	FocusPane struct{ Number int }
	// Attend does what an item of the inbox waits for, in its pane or at the prompt.
	Attend struct {
		ID     string
		InPane bool
	}
	// Snooze puts an item of the inbox off until HQ restarts, or takes it back.
	Snooze struct{ ID string }
	// ToggleViewed marks a patch as viewed, by [view.FilePatch.Mark], or takes the mark away.
	ToggleViewed struct{ Mark string }
)

// Intents about panes and the terminal.
type (
	// Input is typed into the session of a slot.
	Input struct {
		Task string // the [view.TaskRow.ID] of the task whose session it is; empty: there is only one
		Slot string
		Data []byte
	}
	// SwitchScreen continues the session of a slot on its program's own screen, or back.
	SwitchScreen struct{ Slot string }
	// Resize is the size that a slot's terminal has on the screen.
	Resize struct {
		Slot          string
		Columns, Rows int
	}
	// Copy puts text on the clipboard of the terminal.
	Copy struct{ Text string }
	// Notify alerts a human who looks elsewhere, through their terminal.
	Notify struct{ Text string }
	// Edit opens a text in the human's editor.
	Edit struct{ Text string }
	// Suspend gives the terminal back to the shell until that continues HQ.
	Suspend struct{}
	// SelectTask selects the task that the panes are of, by [view.TaskRow.ID].
	SelectTask struct{ ID string }
	// InTask selects a task by [view.TaskRow.ID], and does a command line once the screen shows that task.
	InTask struct{ ID, Number, Line string }
	// Command does a command line, as if it were typed.
	Command struct{ Line string }
	// Shell opens a shell where the selected task is worked on, or runs a command line there.
	Shell struct{ Command string }
	// OpenProject opens the HQ of another project in the terminal, until that ends.
	OpenProject struct{ Dir string }
	// Quit ends HQ. Leave leaves its sessions running.
	Quit struct{ Leave bool }
)

// Intents about what is kept and read.
type (
	// SaveHistory keeps a line of the prompt's history.
	SaveHistory struct{ Line string }
	// SaveLayout keeps what the human did to the screen for the next time.
	SaveLayout struct{ Layout view.SavedLayout }
	// LoadEntry asks for all that belongs to an entry of the journal.
	LoadEntry struct{ Entry view.EntryID }
	// LoadDiff asks for what the task changed: since it began, or since a round of comments.
	LoadDiff struct{ Round int }
	// KeepComments keeps the comments that were not sent.
	KeepComments struct{ Drafts []view.Comment }
	// SendComments sends them as one round.
	SendComments struct{ Drafts []view.Comment }
	// LoadCompletions asks for what commands are completed with.
	LoadCompletions struct{}
	// LoadFiles asks for the files that a text can name.
	LoadFiles struct{}
	// AttachFile asks what is at a path that was pasted, to attach it.
	AttachFile struct{ Pasted, Path string }
	// Answer answers the question or consultation that it carries, and no other.
	Answer struct {
		Ask  view.Ask
		Text string
	}
)

// Intent marks them.

func (Say) Intent()             {}
func (Prefill) Intent()         {}
func (FocusPane) Intent()       {}
func (Attend) Intent()          {}
func (Snooze) Intent()          {}
func (ToggleViewed) Intent()    {}
func (Input) Intent()           {}
func (SwitchScreen) Intent()    {}
func (Resize) Intent()          {}
func (Copy) Intent()            {}
func (Notify) Intent()          {}
func (Edit) Intent()            {}
func (Suspend) Intent()         {}
func (SelectTask) Intent()      {}
func (InTask) Intent()          {}
func (Command) Intent()         {}
func (Shell) Intent()           {}
func (OpenProject) Intent()     {}
func (Quit) Intent()            {}
func (SaveHistory) Intent()     {}
func (SaveLayout) Intent()      {}
func (LoadEntry) Intent()       {}
func (LoadDiff) Intent()        {}
func (KeepComments) Intent()    {}
func (SendComments) Intent()    {}
func (LoadCompletions) Intent() {}
func (LoadFiles) Intent()       {}
func (AttachFile) Intent()      {}
func (Answer) Intent()          {}
