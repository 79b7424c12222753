package view

import (
	"strings"

	"ferrus/ui/style"
)

// AskKind is what sort of answer an agent waits for.
type AskKind uint8

// The kinds.
const (
	Question     AskKind = iota
	Consultation         // a consultant answers it, too
)

// Ask is what an agent wants to know.
type Ask struct {
	Kind   AskKind
	Ticket uint64
	Who    string // executor
	Text   string // may have several lines
}

// String returns the question, preceded by who asks it.
func (a *Ask) String() string {
	if a == nil {
		return "nothing is asked any more"
	}
	verb := " asks: "
	if a.Kind == Consultation {
		verb = " consults: "
	}
	return a.Who + verb + strings.TrimSpace(a.Text)
}

// KindTrust is the kind of an item that no session starts before: what would run is not
// trusted on this machine.
const KindTrust = "trust"

// KindCommand is the kind of a command in another terminal that waits for the human to confirm it.
const KindCommand = "command"

// KindTask is the kind of an item that is about another task than the selected one.
const KindTask = "task"

// KindPlan is the kind of the item for the tasks that a supervisor proposed.
const KindPlan = "plan"

// ItemOf follows the [TaskRow.ID] of a task in the ID of an item that is only in the inbox while the task is selected.
const ItemOf = "/"

// InboxItem is one thing that waits for the human.
type InboxItem struct {
	ID        string // the same for as long as it is the same thing
	Kind      string // question, hold, failure
	Text      string // empty where it is View.Ask
	Hint      string // what to do
	Tone      style.Tone
	Ask       bool   // it is View.Ask
	Delegated bool   // an agent does it if the human does not: it is not counted
	Task      string // the [TaskRow.ID] of the task that it is about; empty: the selected one
	Pane      int    // the number of the pane it is about; 0: none
	Type      string // the command to put at the prompt for it
	Read      string // the command that shows all of it; empty: Text is all
}

// Notice is a sentence for the human. A higher Number is a newer one.
type Notice struct {
	Number int64
	Text   string
	Error  bool
	By     string // the terminal on which it is not shown, because what it tells was done there; empty: none
}
