package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// search looks through the prompt's history while it is typed.
type search struct {
	query  string
	at     int    // the line that is shown; len(history) is none
	lost   bool   // no older line has the query
	before string // what the prompt had
}

// searchHistory begins to search, or goes on to an older line.
func (m *Model) searchHistory() tea.Cmd {
	p := &m.prompt
	if p.search == nil {
		p.cycle = nil
		p.search = &search{at: len(p.history), before: p.text}
		return nil
	}
	p.find(p.search.at - 1)
	p.settle(m.ask())
	return nil
}

// find shows the newest line with the query, from one on backwards.
func (p *prompt) find(from int) {
	s := p.search
	s.lost = s.query != ""
	for i := min(from, len(p.history)-1); i >= 0 && s.query != ""; i-- {
		if strings.Contains(strings.ToLower(p.history[i]), strings.ToLower(s.query)) {
			s.at, s.lost = i, false
			p.set(p.history[i])
			return
		}
	}
	if s.query == "" {
		s.at = len(p.history)
		p.set(s.before)
	}
}

// pressInSearch does a key while the history is searched, and reports whether it
// meant the search. Any other ends it with the line it found, and does its own.
func (m *Model) pressInSearch(msg tea.KeyPressMsg) bool {
	p, name := &m.prompt, msg.Keystroke()
	s := p.search
	switch {
	case m.does(name, "search"):
		m.searchHistory()
		return true
	case name == "esc" || name == "ctrl+g":
		p.search = nil
		p.set(s.before)
	case name == "backspace":
		_, size := utf8.DecodeLastRuneInString(s.query)
		s.query = s.query[:len(s.query)-size]
		p.find(len(p.history) - 1)
	case msg.Text != "" && len(s.query) < maxHistory:
		s.query += text.Sanitize(msg.Text)
		p.find(s.at)
	default:
		p.take()
		return name == "enter"
	}
	p.settle(m.ask())
	return true
}

// take ends a search with the line it found.
func (p *prompt) take() {
	if s := p.search; s != nil {
		p.past, p.draft, p.search = s.at, s.before, nil
	}
}

// searchHints is the key line while the history is searched.
func (m *Model) searchHints(w int) style.Spans {
	t, s := m.theme, m.prompt.search
	query := []rune(s.query)
	hints := style.Spans{{" search ", t.Strong}, {string(query[max(len(query)-20, 0):]) + "▏", t.Key}}
	keys := [][2]string{{m.first("search"), "older"}, {"Enter", "take it"}, {"Esc", "back"}}
	if s.lost {
		hints, keys = append(hints, style.Span{" no older line has it", t.Tones[style.Warn]}), keys[1:]
	}
	return t.Hints(w, hints, keys...)
}
