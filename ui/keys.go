package ui

import (
	"slices"
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
	Reading
	InDialog
)

var placeNames = [...]string{"at the prompt", "in a pane", "after the leader", "while a pane is read", "in a dialog"}

// String is the place in words.
func (p Place) String() string { return placeNames[p] }

// Key is one action of the screen and the keys that do it. The table of them is
// the key line, the help and the page in the README.
type Key struct {
	Name   string   // in the table [keys] of the configuration; the same name twice is one action
	Fixed  bool     // it has its keys for good
	Place  Place    // where it counts
	Strike []string // as the terminal names them
	Label  string   // as people do, where Strike does not say it
	Words  string
	Line   string // its words on the key line; empty: not there
	press  func(*Model) tea.Cmd
}

// Keys is the one table of keys, the most useful first.
var Keys []Key

func init() { // Keys holds functions that look at Keys.
	Keys = []Key{
		{Name: "complete", Strike: []string{"tab"}, Line: "complete", Words: "complete a command or its arguments", press: (*Model).tab},
		{Name: "leader", Strike: []string{"ctrl+o"}, Line: "leader", Words: "the next key focuses, zooms or goes on", press: (*Model).lead},
		{Name: "zoom", Strike: []string{"f2"}, Line: "zoom", Words: "the chosen pane takes the whole screen, or gives it back", press: (*Model).zoomPane},
		{Name: "log", Strike: []string{"f3"}, Line: "log", Words: "the journal on the whole screen", press: open(openLog{})},
		{Name: "diff", Strike: []string{"f4"}, Line: "diff", Words: "what the task changed, file by file", press: open(openDiff{})},
		{Name: "help", Strike: []string{"f1"}, Line: "help", Words: "this page", press: open(openHelp{})},
		{Name: "back", Strike: []string{"shift+tab"}, Words: "the completion before", press: (*Model).backTab},
		{Name: "page-up", Strike: []string{"pgup"}, Words: "scroll the chosen pane back", press: scroll(+1)},
		{Name: "page-down", Strike: []string{"pgdown"}, Words: "scroll it forward", press: scroll(-1)},
		{Name: "send", Strike: []string{"enter"}, Words: "send: a command, or the answer to what is asked", press: (*Model).enter},
		{Name: "newline", Strike: []string{"shift+enter", "alt+enter", "ctrl+j"}, Words: "a new line in the prompt", press: (*Model).newline},
		{Name: "history", Fixed: true, Label: "Up, Down", Words: "lines typed before"},
		{Name: "search", Strike: []string{"ctrl+r"}, Words: "search the lines typed before; again for an older one", press: (*Model).searchHistory},
		{Name: "redraw", Strike: []string{"ctrl+l"}, Words: "draw the screen again", press: func(*Model) tea.Cmd { return tea.ClearScreen }},
		{Name: "suspend", Strike: []string{"ctrl+z"}, Words: "back to the shell until you say fg; sessions that run go on", press: open(Suspend{})},
		{Name: "quit", Strike: []string{"ctrl+c"}, Words: "twice: leave ferrus", press: (*Model).interrupt},
		{Name: "focus", Fixed: true, Strike: alts(), Label: "Alt+1..9, click", Words: "focus a pane, as after the leader"},
		{Name: "focus", Fixed: true, Place: AfterLeader, Strike: digits(), Label: "1..9", Line: "focus", Words: "focus a pane; 5 is the activity, 6 the check"},
		{Name: "leader-zoom", Place: AfterLeader, Strike: []string{"z"}, Line: "zoom", Words: "the chosen pane takes the whole screen, or gives it back", press: (*Model).zoomPane},
		{Name: "next", Place: AfterLeader, Strike: []string{"n"}, Line: "next that needs you", Words: "the next thing that needs you", press: (*Model).nextNeed},
		{Name: "read", Place: AfterLeader, Strike: []string{"["}, Line: "read", Words: "read the chosen pane with the keys: move, select, copy; the mouse selects at any time: drag, double click a word, triple click a line", press: (*Model).read},
		{Name: "find", Place: AfterLeader, Strike: []string{"/"}, Line: "find", Words: "search the chosen pane with all that scrolled out of it", press: (*Model).findInPane},
		{Name: "take", Place: AfterLeader, Strike: []string{"y"}, Words: "take the text that an agent offered for the clipboard", press: (*Model).takeOffer},
		{Name: "editor", Place: AfterLeader, Strike: []string{"e"}, Line: "editor", Words: "what is typed in $VISUAL or $EDITOR", press: (*Model).write},
		{Name: "narrower", Place: AfterLeader, Strike: []string{"<"}, Line: "left", Words: "the border between the panes to the left; again without the leader", press: resizeBy(-stepColumns, 0)},
		{Name: "wider", Place: AfterLeader, Strike: []string{">"}, Line: "right", Words: "the border between the panes to the right", press: resizeBy(+stepColumns, 0)},
		{Name: "higher", Place: AfterLeader, Strike: []string{"+"}, Line: "up", Words: "more rows for activity and check", press: resizeBy(0, +stepRows)},
		{Name: "lower", Place: AfterLeader, Strike: []string{"-"}, Line: "down", Words: "fewer rows for them", press: resizeBy(0, -stepRows)},
		{Name: "usual", Place: AfterLeader, Strike: []string{"="}, Line: "as at first", Words: "the borders where they were at first", press: (*Model).usualSplit},
		{Name: "leave", Place: InPane, Strike: []string{"ctrl+]", "f12"}, Line: "back to the prompt", Words: "leave the pane; every other key is the agent's", press: (*Model).leave},
		{Name: "move", Fixed: true, Place: Reading, Label: "Arrows, PgUp, PgDn, Home, End, G", Words: "move the cursor; h j k l 0 $ g do, too"},
		{Name: "find-text", Place: Reading, Strike: []string{"/"}, Line: "find", Words: "search from the cursor upwards; small letters also find capitals", press: (*Model).seekAgain},
		{Name: "older", Place: Reading, Strike: []string{"n"}, Line: "older", Words: "the next place upwards", press: (*Model).older},
		{Name: "newer", Place: Reading, Strike: []string{"shift+n"}, Line: "newer", Words: "the next place downwards", press: (*Model).newer},
		{Name: "prompt-above", Place: Reading, Strike: []string{"["}, Words: "the shell's prompt above, where the shell tells its prompts", press: toPrompt(-1)},
		{Name: "prompt-below", Place: Reading, Strike: []string{"]"}, Words: "the one below", press: toPrompt(+1)},
		{Name: "mark", Place: Reading, Strike: []string{"space", "v"}, Line: "select", Words: "begin to select", press: markBy(byCell)},
		{Name: "mark-lines", Place: Reading, Strike: []string{"shift+v"}, Words: "begin to select whole lines", press: markBy(byLine)},
		{Name: "copy", Place: Reading, Strike: []string{"enter", "y"}, Line: "copy", Words: "copy what is selected, to the clipboard and for Ctrl+Y at the prompt", press: (*Model).copyMark},
		{Name: "unread", Place: Reading, Strike: []string{"esc", "q"}, Line: "back", Words: "undo the selection, the search, and then stop reading", press: (*Model).escape},
		{Name: "close", Fixed: true, Place: InDialog, Label: "Esc", Line: "close", Words: "close what lies over the panes"},
		{Name: "copy-page", Fixed: true, Place: InDialog, Label: "y", Words: "copy a page as it was written; the mouse selects a part of it: drag, double click a word, triple click a row"},
		{Name: "scroll", Fixed: true, Place: InDialog, Label: "Up, Down, PgUp, PgDn, Home, End", Words: "scroll, or choose"},
	}
	for i := range Keys {
		if Keys[i].Label == "" {
			Keys[i].Label = label(Keys[i].Strike)
		}
	}
}

// Bind is the table with other keys for some actions: each of those leaves the
// keys it has here. What the table does not have, or may not change, stays as it
// is; the configuration has refused it by then.
func Bind(asked map[string][]string) []Key {
	table := slices.Clone(Keys)
	for i, k := range table {
		if strikes := asked[k.Name]; len(strikes) > 0 && !k.Fixed {
			table[i].Strike, table[i].Label = strikes, label(strikes)
		}
	}
	return table
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
func (m *Model) struck(place Place, name string) (Key, bool) {
	for _, k := range m.keys {
		if k.Place == place && slices.Contains(k.Strike, name) {
			return k, true
		}
	}
	return Key{}, false
}

// key is the action of a name as it is bound now.
func (m *Model) key(name string) Key {
	i := slices.IndexFunc(m.keys, func(k Key) bool { return k.Name == name })
	return m.keys[i] // TestTheTablesHold asks for every name
}

// does reports whether a key has one of these actions, wherever it counts.
func (m *Model) does(strike string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(m.key(n).Strike, strike) })
}

// first is the label of the first key of an action, for a hint.
func (m *Model) first(name string) string { return label(m.key(name).Strike[:1]) }

// placeWords is a place as the keys are now.
func (m *Model) placeWords(p Place) string {
	if p == AfterLeader {
		return "after " + m.first("leader")
	}
	return p.String()
}
