package ui

import (
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/text"
	"ferrus/ui/vt"
)

const (
	maxSought = 256  // bytes of what can be sought
	maxFound  = 1000 // places that are marked, the newest
)

// paneSearch is a search in a pane.
type paneSearch struct {
	typing bool
	text   string
	found  []vt.Span // oldest first
	at     int       // the one the cursor is at
}

// pressSeeking is a key while the text to find is typed; false leaves it to what
// it does otherwise.
func (m *Model) pressSeeking(name, content string) bool {
	s := &m.reading.seek
	switch {
	case name == "enter":
		s.typing = false
	case name == "esc":
		m.stopReading()
	case name == "backspace":
		_, size := utf8.DecodeLastRuneInString(s.text)
		m.seekFor(s.text[:len(s.text)-size])
	case content != "":
		m.seekFor(s.text + text.Sanitize(content))
	default:
		s.typing = false
		return false
	}
	return true
}

// seekFor goes to the newest place with a text above the cursor, or else to the
// newest there is.
func (m *Model) seekFor(text string) {
	r := &m.reading
	if len(text) > maxSought {
		return
	}
	r.seek.text = text
	m.look()
	m.goTo(m.lastBefore(vt.Place{Line: r.at.Line + 1}))
}

// look finds the places anew: there may be more by now.
func (m *Model) look() {
	s := &m.reading.seek
	m.reading.of.With(func(t *vt.Terminal) { s.found = t.Find(s.text, maxFound) })
}

// lastBefore is the number of the newest place before another; after the oldest
// comes the newest.
func (m *Model) lastBefore(at vt.Place) int {
	found := m.reading.seek.found
	n := slices.IndexFunc(found, func(s vt.Span) bool { return !s.From.Before(at) })
	if n <= 0 {
		return choose(n < 0, len(found), len(found)) - 1
	}
	return n - 1
}

// goTo puts the cursor at one of the places.
func (m *Model) goTo(n int) {
	r := &m.reading
	if n < 0 || n >= len(r.seek.found) {
		return
	}
	r.seek.at, r.at = n, r.seek.found[n].From
	m.reveal(r.at, true)
}

func (m *Model) seekAgain() tea.Cmd {
	m.reading.seek = paneSearch{typing: true}
	return nil
}

// older and newer go to the next place with the text.
func (m *Model) older() tea.Cmd { return m.next(func() int { return m.lastBefore(m.reading.at) }) }

func (m *Model) newer() tea.Cmd {
	return m.next(func() int {
		found := m.reading.seek.found
		return max(slices.IndexFunc(found, func(s vt.Span) bool { return m.reading.at.Before(s.From) }), 0)
	})
}

func (m *Model) next(choice func() int) tea.Cmd {
	if m.reading.seek.text == "" {
		m.say("nothing was sought: "+m.first("find-text")+" begins a search", false)
		return nil
	}
	m.look()
	m.goTo(choice())
	return nil
}
