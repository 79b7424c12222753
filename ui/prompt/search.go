package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// search looks through the history for what is typed.
type search struct {
	query  keys.Field
	at     int    // the line that is shown; len(history) is none
	lost   bool   // no older line has the query
	before string // what the prompt had
}

// Searching reports whether keys go to a search.
func (p *Model) Searching() bool { return p.search != nil }

// beginSearch starts a search, or continues it to an older line.
func (p *Model) beginSearch() {
	if p.search == nil {
		p.cycle = nil
		p.search = &search{at: len(p.history.lines), before: p.text}
		return
	}
	p.find(p.search.at - 1)
	p.refresh()
}

// find shows the newest line with the query, from one on backwards.
func (p *Model) find(from int) {
	s, lines := p.search, p.history.lines
	s.lost = s.query != ""
	query := strings.ToLower(string(s.query))
	for i := min(from, len(lines)-1); i >= 0 && s.query != ""; i-- {
		if strings.Contains(strings.ToLower(lines[i]), query) {
			s.at, s.lost = i, false
			p.set(lines[i])
			return
		}
	}
	if s.query == "" {
		s.at = len(lines)
		p.set(s.before)
	}
}

// PressInSearch handles a key while the history is searched, and reports whether it was
// the search's. Any other ends the search with the line that it found.
func (p *Model) PressInSearch(m keys.Map, msg tea.KeyPressMsg) bool {
	s, key := p.search, msg.Keystroke()
	if s == nil {
		return false
	}
	switch a := m.Action(keys.InSearch, key); {
	case m.Action(keys.AtPrompt, key) == Search:
		p.beginSearch()
		return true
	case a == keys.Cancel:
		p.search = nil
		p.set(s.before)
	case a == keys.Erase:
		s.query.Edit(a, "")
		p.find(len(p.history.lines) - 1)
	case a == "" && msg.Text != "":
		s.query.Edit(a, text.Sanitize(msg.Text))
		p.find(s.at)
	default:
		p.endSearch()
		return a == keys.Accept
	}
	p.refresh()
	return true
}

// endSearch ends a search with the line that it found.
func (p *Model) endSearch() {
	if s := p.search; s != nil {
		p.history.at, p.history.draft, p.search = s.at, s.before, nil
	}
}

// SearchHints returns the key line while the history is searched.
func (p *Model) SearchHints(t *style.Theme, m keys.Map, w int) style.Spans {
	s := p.search
	hints := style.Spans{{" search ", t.Strong}, {s.query.Tail(20) + "▏", t.Strong}}
	again := [][2]string{{m.First(Search), "older"}, {m.First(keys.Accept), "accept"}, {m.First(keys.Cancel), "cancel"}}
	if s.lost {
		hints, again = append(hints, style.Span{" no older line matches", t.Tones[style.Warn]}), again[1:]
	}
	return t.Hints(w, hints, again...)
}
