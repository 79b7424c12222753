package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Place is where a key means something.
type Place uint8

// The places. At the prompt every other key edits the text; in a pane every
// other key goes to the agent.
const (
	AtPrompt Place = iota
	InPane
	AfterLeader
	InDialog
)

var placeNames = [...]string{"at the prompt", "in a pane", "after Ctrl+O", "in a dialog"}

// String is the place in words.
func (p Place) String() string { return placeNames[p] }

// Key is one key that is ours. The table of them is the key line, the help and
// the page in the README.
type Key struct {
	Name   string   // in the table [keys] of the configuration
	Place  Place    // where it counts
	Strike []string // as the terminal names them
	Label  string   // as people do
	Words  string
	Line   string // its words on the key line; empty: not there
	press  func(*Model) tea.Cmd
}

// Keys is the one table of keys, the most useful first.
var Keys []Key

func init() { // Keys holds functions that look at Keys.
	Keys = []Key{
		{Name: "complete", Strike: []string{"tab"}, Label: "Tab", Line: "complete", Words: "complete a command or its arguments", press: (*Model).tab},
		{Name: "leader", Strike: []string{"ctrl+o"}, Label: "Ctrl+O", Line: "leader", Words: "the next key focuses, zooms or goes on", press: (*Model).lead},
		{Name: "zoom", Strike: []string{"f2"}, Label: "F2", Line: "zoom", Words: "the chosen pane takes the whole screen, or gives it back", press: (*Model).zoomPane},
		{Name: "log", Strike: []string{"f3"}, Label: "F3", Line: "log", Words: "the journal on the whole screen", press: open(openLog{})},
		{Name: "help", Strike: []string{"f1"}, Label: "F1", Line: "help", Words: "this page", press: open(openHelp{})},
		{Name: "back", Strike: []string{"shift+tab"}, Label: "Shift+Tab", Words: "the completion before", press: (*Model).backTab},
		{Name: "page-up", Strike: []string{"pgup"}, Label: "PgUp", Words: "scroll the chosen pane back", press: scroll(+1)},
		{Name: "page-down", Strike: []string{"pgdown"}, Label: "PgDn", Words: "scroll it forward", press: scroll(-1)},
		{Name: "send", Strike: []string{"enter"}, Label: "Enter", Words: "send: a command, or the answer to what is asked", press: (*Model).enter},
		{Name: "newline", Strike: nil, Label: "Shift+Enter, Alt+Enter, Ctrl+J", Words: "a new line in the prompt"},
		{Name: "history", Strike: nil, Label: "Up, Down", Words: "lines typed before"},
		{Name: "redraw", Strike: []string{"ctrl+l"}, Label: "Ctrl+L", Words: "draw the screen again", press: func(*Model) tea.Cmd { return tea.ClearScreen }},
		{Name: "quit", Strike: []string{"ctrl+c"}, Label: "Ctrl+C twice", Words: "leave ferrus", press: (*Model).interrupt},
		{Name: "focus", Strike: alts(), Label: "Alt+1..9, click", Words: "focus a pane, as after the leader"},
		{Name: "focus", Place: AfterLeader, Strike: digits(), Label: "1..9", Line: "focus", Words: "focus a pane; 5 is the activity, 6 the check"},
		{Name: "zoom", Place: AfterLeader, Strike: []string{"z"}, Label: "z", Line: "zoom", Words: "as F2", press: (*Model).zoomPane},
		{Name: "next", Place: AfterLeader, Strike: []string{"n"}, Label: "n", Line: "next that needs you", Words: "the next thing that needs you", press: (*Model).nextNeed},
		{Name: "leave", Place: InPane, Strike: []string{"ctrl+]", "f12"}, Label: "Ctrl+] or F12", Line: "back to the prompt", Words: "leave the pane; every other key is the agent's", press: (*Model).leave},
		{Name: "close", Place: InDialog, Label: "Esc", Line: "close", Words: "close what lies over the panes"},
		{Name: "scroll", Place: InDialog, Label: "Up, Down, PgUp, PgDn, Home, End", Words: "scroll, or choose"},
	}
}

func open(i Intent) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.carry(i) }
}

func digits() []string { return strings.Split("123456789", "") }

func alts() []string {
	names := digits()
	for i, d := range names {
		names[i] = "alt+" + d
	}
	return names
}

// struck finds what a key means in a place.
func struck(place Place, name string) (Key, bool) {
	for _, k := range Keys {
		if k.Place != place {
			continue
		}
		for _, s := range k.Strike {
			if s == name {
				return k, true
			}
		}
	}
	return Key{}, false
}
