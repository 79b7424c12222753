// Package view describes what the screen shows, as data.
//
// A [View] is a snapshot in the terms of the screen: the caller makes one from the real state, and
// nothing here changes it. Text from an agent must be sanitized first, except for documents and
// patches, which are sanitized when they are drawn, and panes, which are drawn from their
// emulator.
package view

import (
	"fmt"

	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// View is what is true at one moment. It has more than 12 fields because it is all that the screen
// shows.
type View struct {
	Status     Status
	Panes      []Pane  // only panes that had a session, by number
	Activity   []Entry // the journal without what is only in the log, oldest first
	Check      Check
	Ask        *Ask        // the question or consultation that waits for an answer
	Inbox      []InboxItem // what needs the human, most urgent first; Ask is among it
	Hint       string      // what can be done when nothing needs the human
	Notices    []Notice    // the newest sentences for the human, oldest first
	Tasks      Tasks
	Merges     []Merge // none: nothing is merged
	StopOnExit bool    // sessions end with HQ: they cannot be left running
	Preferences
	Texts
	Commands
}

// Side is what is worth reading beside a pane: the task, or what it changed.
type Side struct {
	Diff    bool   // rather what it changed
	Version uint64 // another one when the diff may be another
}

// Preferences are what the human configured of the screen. They are replaced, never
// changed.
type Preferences struct {
	Keys  map[string][]string // other keys for actions, by name
	Theme style.Choice
	Talk  bool // plain text goes to an agent with the first Enter
	Vi    bool // the prompt has the modes of vi
}

// Texts are what pages show.
type Texts struct {
	Summary     string     // for /status
	Explanation string     // the long answer, for /status --all
	Timeline    []Entry    // the whole journal, for /log; nil: it is Activity
	Documents   []Document // the texts of the task, in the order they came
	Side        Side       // what stands beside the only pane, where there is room
}

// Commands is what commands need: whether they are available, and their arguments.
type Commands struct {
	// Disabled says why commands are not available, by their names; also by a name
	// with an option, such as "check --cancel".
	Disabled map[string]string
	Models   []RoleModel
	Spec     Spec
	Agents   []string // the names that /register takes
	// Resumable reports that /resume continues what /stop ends: a task, a workflow or a pair.
	Resumable bool
	// What sending comments on the diff does, with the comments as its subject: reject the
	// submission. Disabled has "comments" where they cannot be sent.
	SendComments string
	Submission   uint64      // the ticket of the one under review; 0: there is none
	Asking       int         // the number of the command in another terminal that waits longest; 0: none does
	LooksOn      bool        // another HQ carries out what the human wants, and this one ends alone
	Found        Completions // kept from one View to the next
	Files        *Files      // the same; nil: they were not asked for
}

// State is one of the task's states, with the tone it has everywhere.
type State struct {
	Text string
	Tone style.Tone
}

// Status is the bar at the top, and the right end of the key line. It has more than 12 fields because that is what
// the two rows say.
type Status struct {
	Project, Branch string
	State           State
	Title           string // of the task
	Tasks           string // how many there are of several: 3 running  2 queued  1 needs you
	Checks, Reviews string // 2/20
	Rounds          string // of a pair: iteration 2/20; of a workflow, beside its task: feature: delegate
	Counter         string // the most important one, if there is no room for all: checks 2/20
	Elapsed         string // since the task was created
	Used            string // by the task's sessions: 12.3k tok $0.42; empty: it is not known
	Alert           State  // a hold or a problem, in two words
	Sandbox         State  // the weakest walls in force, in a few words; without any, it is to be seen
}

// Pane is one slot's newest session.
type Pane struct {
	Slot        string
	Title       Title
	Left        bool       // shown on the supervisor's side
	Living      bool       // its process exists
	Interactive bool       // it can be typed into
	Session     int        // which of the slot's sessions
	Born        int64      // orders sessions: the newest is shown
	Footer      string     // how the last session ended, where the title does not say it
	Message     string     // what the human wrote to it, until it has acted on that
	Terminal    *vt.Locked // nil before the first byte
}

// SessionID identifies the session among all of its slot.
func (p *Pane) SessionID() string { return fmt.Sprint(p.Slot, " ", p.Session) }

// Title is the upper border of a pane.
type Title struct {
	Number int    // what it is focused by after the leader
	Name   string // supervisor
	Short  string // super, where there is little room
	Agent  string // claude-code opus
	Bypass bool   // the agent's permission checks are off: shown in red
	Status string // running 03:12
	Tone   style.Tone
}

// Journal returns every entry, oldest first.
func (v *View) Journal() []Entry {
	if v.Timeline == nil {
		return v.Activity
	}
	return v.Timeline
}

// Living returns how many sessions would end with HQ.
func (v *View) Living() (n int) {
	for _, p := range v.Panes {
		if p.Living {
			n++
		}
	}
	return n
}
