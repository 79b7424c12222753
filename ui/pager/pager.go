// Package pager draws, scrolls and searches texts.
//
// [Markdown], [EntryRow] and [CheckRows] turn data into rows of exactly the given
// width. A [Pager] is a position in such rows: it draws the visible part, moves with
// the keys of [Keys], and searches. [Page], [Diff] and [Log] are pagers for one kind
// of text each; they know nothing about the screen around them.
package pager

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Pager is a place in rows that are read. The zero Pager is at their beginning.
type Pager struct {
	top    int
	tail   bool // it is at the end and stays there
	count  int  // rows, as drawn last
	height int  // how many of them are shown
	search
}

// Following returns a pager that stays at the end of what grows.
func Following() Pager { return Pager{tail: true} }

// Window returns the rows that are shown in a height, with what was found marked.
func (p *Pager) Window(t *style.Theme, rows []string, h int) []string {
	p.count, p.height = len(rows), h
	p.top = max(min(p.top, p.last()), 0)
	if p.tail {
		p.top = p.last()
	}
	p.find(rows)
	shown := slices.Clone(rows[p.top:min(p.top+h, len(rows))])
	if p.query != "" {
		for i := range shown {
			shown[i] = highlight(t, shown[i], string(p.query))
		}
	}
	return shown
}

// last returns the top row that shows the end.
func (p *Pager) last() int { return max(p.count-p.height, 0) }

// page returns by how many rows a key that turns pages scrolls.
func (p *Pager) page() int { return max(p.height-1, 1) }

// Scroll scrolls by rows, down where it is positive.
func (p *Pager) Scroll(by int) {
	p.top = max(min(p.top+by, p.last()), 0)
	p.tail = p.tail && p.top == p.last()
}

// show scrolls to a row.
func (p *Pager) show(row int) {
	p.top, p.tail = max(min(row, p.last()), 0), false
}

// Typing reports whether keys go to the search field.
func (p *Pager) Typing() bool { return p.typing }

// Press does a key that scrolls or searches in a place, and reports whether it was one.
func (p *Pager) Press(m keys.Map, in keys.Context, key string) bool {
	if p.typing {
		p.edit(m.Action(keys.InSearch, key), text.Sanitize(keys.Letter(key)))
		return true
	}
	if p.query != "" && p.pressInMatches(m.Action(keys.InMatches, key)) {
		return true
	}
	if m.Action(in, key) == Search {
		p.search = search{typing: true}
		return true
	}
	by := m.Scroll(in, key, p.page())
	p.Scroll(by)
	return by != 0
}

// Foot says where the pager is and what keys do, in w cells. More are the hints of the
// dialog around it; if there is no room for all, the pager's own are dropped first.
func (p *Pager) Foot(m keys.Map, in keys.Context, more string, w int) string {
	if p.typing {
		return FitHints(fmt.Sprintf(" /%s▏ %s  ", p.query, p.found()), keys.JoinHints(m.Hints(keys.InSearch, nil)), w)
	}
	foot := " "
	if p.count > p.height {
		foot += fmt.Sprintf("%d-%d of %d  ", p.top+1, min(p.top+p.height, p.count), p.count)
	}
	if p.query != "" {
		return FitHints(foot+p.found()+"  ", keys.JoinHints(m.Hints(keys.InMatches, nil)), w)
	}
	if p.count <= p.height {
		return FitHints(foot, more, w)
	}
	search := only(m, in, Search)
	scroll := only(m, in, keys.LineUp, keys.LineDown, keys.PageUp, keys.PageDown)
	for _, hints := range [][]keys.Hint{append(scroll, search...), search} {
		if line := foot + keys.JoinHints(hints) + "  " + more; text.Width(line)+3 <= w {
			return line
		}
	}
	return FitHints(foot, more, w)
}

// FitHints adds hints to a foot of at most w cells with its corners. The last of them says how
// to leave, so it is dropped last.
func FitHints(foot, more string, w int) string {
	hints := strings.Split(more, "  ")
	for n := len(hints); n > 1 && text.Width(foot+strings.Join(hints, "  "))+3 > w; n-- {
		hints = slices.Delete(hints, n-2, n-1)
	}
	return foot + strings.Join(hints, "  ")
}

// only returns the hints of some actions.
func only(m keys.Map, in keys.Context, actions ...keys.Action) []keys.Hint {
	return m.Hints(in, func(a keys.Action) bool { return !slices.Contains(actions, a) })
}
