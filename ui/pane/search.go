package pane

import (
	"fmt"
	"slices"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/vt"
)

// maxFound bounds the places that are marked, the newest of all.
const maxFound = 1000

// paneSearch is a search in a pane.
type paneSearch struct {
	typing bool // keys go to its field
	query  keys.Field
	found  []vt.Span // oldest first
	match  int       // the match at the cursor
}

// BeginSearch begins to type what to search for.
func (c *CopyMode) BeginSearch() { c.typing = c.keys }

// Typing reports whether keys go to the search field.
func (c *CopyMode) Typing() bool { return c.typing }

// PressInSearch does a key while it is typed what to search for, and reports whether it
// was the search's. Any other ends typing.
func (c *CopyMode) PressInSearch(m keys.Map, key, typed string, inner style.Rect) bool {
	query := c.query
	switch a := m.Action(keys.InSearch, key); {
	case !c.typing:
		return false
	case a == keys.Accept:
		c.typing = false
	case a == keys.Cancel:
		c.Stop()
	case query.Edit(a, text.Sanitize(typed)):
		c.searchFor(query, inner)
	default:
		c.typing = false
		return false
	}
	return true
}

// Paste adds a pasted text to what is searched for.
func (c *CopyMode) Paste(pasted string, inner style.Rect) {
	query := c.query
	if c.typing && query.Edit("", text.Sanitize(pasted)) {
		c.searchFor(query, inner)
	}
}

// searchFor goes to the newest match above the cursor, or else to the newest of all.
func (c *CopyMode) searchFor(query keys.Field, inner style.Rect) {
	c.query = query
	c.find()
	c.goTo(c.lastBefore(vt.Place{Line: c.at.Line + 1}), inner)
}

// find finds the matches anew: there may be more by now.
func (c *CopyMode) find() {
	c.of.With(func(t *vt.Terminal) { c.found = t.Find(string(c.query), maxFound) })
}

// lastBefore returns the number of the newest match before a place; after the oldest
// comes the newest.
func (c *CopyMode) lastBefore(at vt.Place) int {
	n := slices.IndexFunc(c.found, func(s vt.Span) bool { return !s.From.Before(at) })
	if n <= 0 {
		return len(c.found) - 1
	}
	return n - 1
}

// firstAfter returns the number of the oldest match after the cursor; after the newest
// comes the oldest.
func (c *CopyMode) firstAfter() int {
	return max(slices.IndexFunc(c.found, func(s vt.Span) bool { return c.at.Before(s.From) }), 0)
}

// goTo puts the cursor at a match.
func (c *CopyMode) goTo(n int, inner style.Rect) {
	if n < 0 || n >= len(c.found) {
		return
	}
	c.match, c.at = n, c.found[n].From
	c.reveal(true, inner)
}

// search goes to another match.
func (c *CopyMode) search(m keys.Map, inner style.Rect, which func() int) intent.Intent {
	if c.query == "" {
		return intent.Say{Text: "No search yet: " + m.First(Find) + " starts one"}
	}
	c.find()
	c.goTo(which(), inner)
	return nil
}

// count says how many matches there are.
func (c *CopyMode) count(t *style.Theme) style.Spans {
	switch {
	case c.query == "":
		return nil
	case len(c.found) == 0:
		return style.Spans{{" is not in this pane", t.Tones[style.Warn]}}
	}
	return style.Spans{{fmt.Sprintf(" %d of %d", c.match+1, len(c.found)), t.Faint}}
}
