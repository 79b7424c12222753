// Package dialog has what is drawn over the panes: pages to read, lists to choose
// from, and questions.
//
// A [Dialog] draws itself from a [Context], which it cannot change, and answers a key
// with itself, another dialog or none, and with what the human wants. [Keys] says what
// keys do; footers are written from it. [Kind] names every dialog, so that tests can
// ask for frames of each.
package dialog

import (
	"time"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/prompt"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// Context is what a dialog may look at.
type Context struct {
	View     *view.View
	Theme    *style.Theme
	Now      time.Time
	Keys     keys.Map        // as they are bound now
	Commands prompt.Table    // for the help
	Topics   func() []Topic  // for the help; nil: there are none
	Viewed   map[string]bool // patches, by [view.FilePatch.Mark]
	Snoozed  map[string]bool // items of the inbox, by ID
	Typing   bool            // there is text at the prompt
}

// topics returns the pages of the guide.
func (c Context) topics() []Topic {
	if c.Topics == nil {
		return nil
	}
	return c.Topics()
}

// Topic is a page of the guide, which /help <name> shows.
type Topic struct{ Name, Summary string }

// Dialog lies over the panes and has the keys.
type Dialog interface {
	// Kind names the dialog.
	Kind() Kind
	// Place is where its keys count.
	Place() keys.Context
	// Draw returns where in room it is, and its rows, which are as wide as that.
	Draw(c Context, room style.Rect) (style.Rect, []string)
	// Press handles a key. It returns the dialog that is open afterwards and the
	// human's intent; each may be nil.
	Press(c Context, key string) (Dialog, intent.Intent)
	// Scroll does what the wheel does, down where it is positive.
	Scroll(c Context, lines int)
}

// Columned is a dialog with columns: text is selected in one of them.
type Columned interface {
	// Column returns the part of the inside that a column of cells belongs to.
	Column(inside style.Rect, x int) style.Rect
}

// Open shows a dialog.
type Open struct{ Dialog Dialog }

// Intent implements [intent.Intent].
func (Open) Intent() {}

// foot returns the edge below with a text.
func foot(t *style.Theme, text string) style.Edge {
	return style.Edge{Left: style.Spans{{" " + text, t.Faint}}}
}

// heading returns the edge above with a title.
func heading(t *style.Theme, title string) style.Edge {
	return style.Edge{Left: style.Spans{{" " + title, t.Strong}}}
}

// closes reports whether a key closes a page: by itself, or because it opens another one
// or leaves panes.
func closes(c Context, in keys.Context, key string) bool {
	switch c.Keys.Action(in, key) {
	case Close, keys.Leave, keys.Help, keys.Log, keys.Diff:
		return true
	}
	return false
}
