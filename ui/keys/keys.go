// Package keys describes the screen's key bindings as data.
//
// Each component declares a [Map] of its actions, with their default keys and their
// help. The screen joins the maps into one table, applies the keys of the
// configuration ([Map.Bind]), and passes the table back; a component asks
// [Map.Action] which action a key is bound to. The key line, the footers of dialogs,
// F1 and the generated tables are made from the same bindings.
//
// Keys have Bubble Tea's names: ctrl+o, shift+tab, f2, ].
package keys

import (
	"slices"
)

// Context is where a key counts, or a set of such places.
type Context uint32

// The places.
const (
	AtPrompt     Context = 1 << iota // every other key edits the text
	InPane                           // every other key goes to the agent
	AfterLeader                      // the next key only
	MovingBorder                     // after a key that moved a border: the next may do so without the leader
	InView                           // a pane that only shows
	InCopyMode
	OnPage
	InLog
	InDiff
	InLanding // the preview of a landing, which also asks
	InList
	InInbox
	InQuestion // a dialog that asks before something is lost
	InSearch   // what is searched for is being typed
	InPalette  // what is looked for is being typed
	InMatches  // a page on which something was found
	InComment  // a comment on the diff is being typed

	// Pages are what is read, scrolled and searched.
	Pages = OnPage | InLog | InDiff | InLanding
	// Everywhere is where no key is text, so that the screen's own keys count.
	Everywhere = AtPrompt | InView | InCopyMode
	// Dialogs are everything that is drawn over the panes.
	Dialogs = Pages | InList | InInbox | InQuestion | InPalette
)

// Groups are the headings that F1 and the generated tables put bindings under, each
// with all places that belong to it.
var Groups = []Context{AtPrompt, AfterLeader, InPane, InCopyMode, InView, Dialogs | InSearch | InMatches | InComment}

var groupNames = []string{
	"at the prompt", "after the leader", "in a pane", "in copy mode", "in a read-only pane", "in a dialog",
}

// String returns the heading for a place, which is its first group's.
func (c Context) String() string {
	for i, g := range Groups {
		if c&g != 0 {
			return groupNames[i]
		}
	}
	return "nowhere"
}

// Action names what a key does. It is the name in the table [keys] of the
// configuration.
type Action string

// Binding is one action with the keys that do it.
type Binding struct {
	Action Action
	In     Context
	Keys   []string
	Label  string // the keys as humans name them; made from Keys where it is empty
	Help   string // for F1 and the generated tables
	Hint   string // for the key line and footers; empty: it is not shown there
	Fixed  bool   // the configuration cannot give it other keys
}

// Map is a table of bindings. An action may have several: one for each set of places
// where it has other keys by itself.
type Map []Binding

// Labeled returns the map with a label on every binding.
func (m Map) Labeled() Map {
	m = slices.Clone(m)
	for i := range m {
		if m[i].Label == "" {
			m[i].Label = Label(m[i].Keys...)
		}
	}
	return m
}

// Bind returns the map with other keys for some actions, which give up those they
// have here. What the map does not have or may not change stays as it is: the
// configuration has refused it by then.
func (m Map) Bind(asked map[string][]string) Map {
	m = slices.Clone(m)
	for i, b := range m {
		if keys := asked[string(b.Action)]; len(keys) > 0 && !b.Fixed {
			m[i].Keys, m[i].Label = keys, Label(keys...)
		}
	}
	return m
}

// Find returns the binding of a key in a place.
func (m Map) Find(in Context, key string) (Binding, bool) {
	for _, b := range m {
		if b.In&in != 0 && slices.Contains(b.Keys, key) {
			return b, true
		}
	}
	return Binding{}, false
}

// Action returns what a key does in a place; empty: nothing.
func (m Map) Action(in Context, key string) Action {
	b, _ := m.Find(in, key)
	return b.Action
}

// Of returns the first binding of an action, wherever it counts.
func (m Map) Of(a Action) Binding {
	i := slices.IndexFunc(m, func(b Binding) bool { return b.Action == a })
	if i < 0 {
		return Binding{}
	}
	return m[i]
}

// First returns the label of an action's first key, for a sentence.
func (m Map) First(a Action) string {
	b := m.Of(a)
	if len(b.Keys) == 0 {
		return b.Label
	}
	return Label(b.Keys[0])
}

// In returns the bindings that count in a place, in their order.
func (m Map) In(in Context) (some Map) {
	for _, b := range m {
		if b.In&in != 0 {
			some = append(some, b)
		}
	}
	return some
}
