package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// KeyContext is where a key means something.
type KeyContext uint8

// The places. At the prompt every other key edits the text; in a pane every
// other key goes to the agent.
const (
	AtPrompt KeyContext = iota
	InPane
	AfterLeader
	InCopyMode
	InDialog
)

var placeNames = [...]string{"at the prompt", "in a pane", "after the leader", "while a pane is read", "in a dialog"}

// String is the place in words.
func (p KeyContext) String() string { return placeNames[p] }

// Key is one action of the screen and the keys that do it. The table of them is
// the key line, the help and the page in the README.
type Key struct {
	Name     string     // in the table [keys] of the configuration; the same name twice is one action
	Fixed    bool       // it has its keys for good
	Place    KeyContext // where it counts
	Bindings []string   // as the terminal names them
	Label    string     // as people do, where Strike does not say it
	Help     string
	Hint     string // its words on the key line; empty: not there
	press    func(*Model) tea.Cmd
}

// Keys is the one table of keys, the most useful first.
var Keys []Key

func init() { // Keys holds functions that look at Keys.
	Keys = []Key{
		{Name: "complete", Bindings: []string{"tab"}, Hint: "complete", Help: "complete a command or its arguments", press: (*Model).tab},
		{Name: "leader", Bindings: []string{"ctrl+o"}, Hint: "leader", Help: "the next key focuses, zooms or goes on", press: (*Model).lead},
		{Name: "zoom", Bindings: []string{"f2"}, Hint: "zoom", Help: "the chosen pane takes the whole screen, or gives it back", press: (*Model).zoomPane},
		{Name: "log", Bindings: []string{"f3"}, Hint: "log", Help: "the journal on the whole screen", press: open(openLog{})},
		{Name: "diff", Bindings: []string{"f4"}, Hint: "diff", Help: "what the task changed, file by file", press: open(openDiff{})},
		{Name: "help", Bindings: []string{"f1"}, Hint: "help", Help: "this page", press: open(openHelp{})},
		{Name: "back", Bindings: []string{"shift+tab"}, Help: "the completion before", press: (*Model).backTab},
		{Name: "page-up", Bindings: []string{"pgup"}, Help: "scroll the chosen pane back", press: scroll(+1)},
		{Name: "page-down", Bindings: []string{"pgdown"}, Help: "scroll it forward", press: scroll(-1)},
		{Name: "send", Bindings: []string{"enter"}, Help: "send: a command, or the answer to what is asked", press: (*Model).enter},
		{Name: "newline", Bindings: []string{"shift+enter", "alt+enter", "ctrl+j"}, Help: "a new line in the prompt", press: (*Model).newline},
		{Name: "history", Fixed: true, Label: "Up, Down", Help: "lines typed before"},
		{Name: "search", Bindings: []string{"ctrl+r"}, Help: "search the lines typed before; again for an older one", press: (*Model).searchHistory},
		{Name: "redraw", Bindings: []string{"ctrl+l"}, Help: "draw the screen again", press: func(*Model) tea.Cmd { return tea.ClearScreen }},
		{Name: "suspend", Bindings: []string{"ctrl+z"}, Help: "back to the shell until you say fg; sessions that run go on", press: open(Suspend{})},
		{Name: "quit", Bindings: []string{"ctrl+c"}, Help: "twice: leave ferrus", press: (*Model).interrupt},
		{Name: "focus", Fixed: true, Bindings: alts(), Label: "Alt+1..9, click", Help: "focus a pane, as after the leader"},
		{Name: "focus", Fixed: true, Place: AfterLeader, Bindings: digits(), Label: "1..9", Hint: "focus", Help: "focus a pane; 5 is the activity, 6 the check"},
		{Name: "leader-zoom", Place: AfterLeader, Bindings: []string{"z"}, Hint: "zoom", Help: "the chosen pane takes the whole screen, or gives it back", press: (*Model).zoomPane},
		{Name: "next", Place: AfterLeader, Bindings: []string{"n"}, Hint: "next that needs you", Help: "the next thing that needs you", press: (*Model).nextNeed},
		{Name: "read", Place: AfterLeader, Bindings: []string{"["}, Hint: "read", Help: "read the chosen pane with the keys: move, select, copy; the mouse selects at any time: drag, double click a word, triple click a line", press: (*Model).read},
		{Name: "find", Place: AfterLeader, Bindings: []string{"/"}, Hint: "find", Help: "search the chosen pane with all that scrolled out of it", press: (*Model).findInPane},
		{Name: "take", Place: AfterLeader, Bindings: []string{"y"}, Help: "take the text that an agent offered for the clipboard", press: (*Model).takeOffer},
		{Name: "editor", Place: AfterLeader, Bindings: []string{"e"}, Hint: "editor", Help: "what is typed in $VISUAL or $EDITOR", press: (*Model).write},
		{Name: "narrower", Place: AfterLeader, Bindings: []string{"<"}, Hint: "left", Help: "the border between the panes to the left; again without the leader", press: resizeBy(-stepColumns, 0)},
		{Name: "wider", Place: AfterLeader, Bindings: []string{">"}, Hint: "right", Help: "the border between the panes to the right", press: resizeBy(+stepColumns, 0)},
		{Name: "higher", Place: AfterLeader, Bindings: []string{"+"}, Hint: "up", Help: "more rows for activity and check", press: resizeBy(0, +stepRows)},
		{Name: "lower", Place: AfterLeader, Bindings: []string{"-"}, Hint: "down", Help: "fewer rows for them", press: resizeBy(0, -stepRows)},
		{Name: "usual", Place: AfterLeader, Bindings: []string{"="}, Hint: "as at first", Help: "the borders where they were at first", press: (*Model).usualSplit},
		{Name: "leave", Place: InPane, Bindings: []string{"ctrl+]", "f12"}, Hint: "back to the prompt", Help: "leave the pane; every other key is the agent's", press: (*Model).leave},
		{Name: "move", Fixed: true, Place: InCopyMode, Label: "Arrows, PgUp, PgDn, Home, End, G", Help: "move the cursor; h j k l 0 $ g do, too"},
		{Name: "find-text", Place: InCopyMode, Bindings: []string{"/"}, Hint: "find", Help: "search from the cursor upwards; small letters also find capitals", press: (*Model).seekAgain},
		{Name: "older", Place: InCopyMode, Bindings: []string{"n"}, Hint: "older", Help: "the next place upwards", press: (*Model).older},
		{Name: "newer", Place: InCopyMode, Bindings: []string{"shift+n"}, Hint: "newer", Help: "the next place downwards", press: (*Model).newer},
		{Name: "prompt-above", Place: InCopyMode, Bindings: []string{"["}, Help: "the shell's prompt above, where the shell tells its prompts", press: toPrompt(-1)},
		{Name: "prompt-below", Place: InCopyMode, Bindings: []string{"]"}, Help: "the one below", press: toPrompt(+1)},
		{Name: "mark", Place: InCopyMode, Bindings: []string{"space", "v"}, Hint: "select", Help: "begin to select", press: markBy(byCell)},
		{Name: "mark-lines", Place: InCopyMode, Bindings: []string{"shift+v"}, Help: "begin to select whole lines", press: markBy(byLine)},
		{Name: "copy", Place: InCopyMode, Bindings: []string{"enter", "y"}, Hint: "copy", Help: "copy what is selected, to the clipboard and for Ctrl+Y at the prompt", press: (*Model).copyMark},
		{Name: "unread", Place: InCopyMode, Bindings: []string{"esc", "q"}, Hint: "back", Help: "undo the selection, the search, and then stop reading", press: (*Model).escape},
		{Name: "close", Fixed: true, Place: InDialog, Label: "Esc", Hint: "close", Help: "close what lies over the panes"},
		{Name: "copy-page", Fixed: true, Place: InDialog, Label: "y", Help: "copy a page as it was written; the mouse selects a part of it: drag, double click a word, triple click a row"},
		{Name: "scroll", Fixed: true, Place: InDialog, Label: "Up, Down, PgUp, PgDn, Home, End", Help: "scroll, or choose"},
	}
	for i := range Keys {
		if Keys[i].Label == "" {
			Keys[i].Label = label(Keys[i].Bindings)
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
			table[i].Bindings, table[i].Label = strikes, label(strikes)
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
func (m *Model) struck(place KeyContext, name string) (Key, bool) {
	for _, k := range m.keys {
		if k.Place == place && slices.Contains(k.Bindings, name) {
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
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(m.key(n).Bindings, strike) })
}

// first is the label of the first key of an action, for a hint.
func (m *Model) first(name string) string { return label(m.key(name).Bindings[:1]) }

// placeWords is a place as the keys are now.
func (m *Model) placeWords(p KeyContext) string {
	if p == AfterLeader {
		return "after " + m.first("leader")
	}
	return p.String()
}
