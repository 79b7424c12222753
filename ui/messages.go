package ui

import (
	"ferrus/ui/dialog"
	"ferrus/ui/view"
)

// The messages that a Model is sent.
type (
	// ViewMsg brings what is true now.
	ViewMsg struct{ View view.View }
	// DoneMsg reports the result of an intent. Text is a sentence, or empty.
	DoneMsg struct {
		Text  string
		Error bool
		// Line is put back into an empty prompt, so that nothing typed is lost.
		Line string
		// Slot is whose session was asked for; empty: none was. Its pane gets the keys once
		// it takes them.
		Slot string
	}
	// OpenMsg opens a dialog.
	OpenMsg struct {
		Dialog dialog.Dialog
		// Later is what is said instead while the human does something else: a letter
		// of what they type must not answer the dialog. Empty: it opens all the same.
		Later string
	}
	// PageMsg brings Markdown to read, such as all that belongs to an entry.
	PageMsg struct{ Title, Text string }
	// DiffMsg brings what the task changed, or says why that cannot be read.
	DiffMsg struct {
		Diff  view.Diff
		Done  DoneMsg // what was done before it was read; zero: nothing
		Error string
	}
	// FilesMsg brings the files that a text can name.
	FilesMsg struct{ Files *view.Files }
	// AttachedMsg has the text that replaces a pasted path.
	AttachedMsg struct {
		Pasted string
		view.File
	}
	// FoundMsg brings what commands are completed with.
	FoundMsg struct{ Found view.Completions }
	// EditedMsg brings what an editor left, or says why there is nothing.
	EditedMsg struct{ Text, Error string }
)
