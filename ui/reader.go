package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// pager is a place in lines that are read: scrolled, and searched.
type pager struct {
	top    int
	tail   bool // it is at its end and stays there
	count  int  // lines, as drawn last
	height int  // of which so many are shown
	pagerSearch
}

// pagerSearch is a search in lines.
type pagerSearch struct {
	typing bool   // keys are its query's
	query  string // empty: nothing is searched
	hits   []int  // the lines that have it
}

// window is the lines that are shown now, what was found marked in them.
func (r *pager) window(t *style.Theme, lines []string, h int) []string {
	r.count, r.height = len(lines), h
	r.top = max(min(r.top, r.most()), 0)
	if r.tail {
		r.top = r.most()
	}
	r.look(lines)
	shown := slices.Clone(lines[r.top:min(r.top+h, len(lines))])
	if r.query != "" {
		for i := range shown {
			shown[i] = highlight(t, shown[i], r.query)
		}
	}
	return shown
}

func (r *pager) most() int { return max(r.count-r.height, 0) }

// move scrolls by lines.
func (r *pager) move(by int) {
	r.top = max(min(r.top+by, r.most()), 0)
	r.tail = r.tail && r.top == r.most()
}

// press does a key that scrolls or searches, and reports whether it was one.
func (r *pager) press(name string) bool {
	if r.typing {
		r.find(name)
		return true
	}
	page := max(r.height-1, 1)
	by, ok := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "b": -page, "pgdown": page,
		"space": page, "home": -1 << 30, "g": -1 << 30, "end": 1 << 30, "shift+g": 1 << 30}[name]
	switch {
	case ok:
		r.move(by)
	case name == "/":
		r.typing, r.query = true, ""
	case name == "n" && r.query != "":
		r.next(+1)
	case (name == "shift+n" || name == "p") && r.query != "":
		r.next(-1)
	case name == "esc" && r.query != "":
		r.query, r.hits = "", nil
	default:
		return false
	}
	return true
}

// find does a key of the query.
func (r *pager) find(name string) {
	switch name {
	case "enter":
		r.typing = false
		r.settle()
	case "esc", "ctrl+g", "ctrl+c":
		r.typing, r.query, r.hits = false, "", nil
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(r.query)
		r.query = r.query[:len(r.query)-size]
	case "ctrl+u":
		r.query = ""
	default:
		if text := letterOf(name); text != "" && len(r.query) < maxQuery {
			r.query += text
		}
	}
}

// maxQuery bounds what is searched, in bytes.
const maxQuery = 200

// letterOf is what a key writes; empty: nothing.
func letterOf(name string) string {
	if name == "space" {
		return " "
	}
	if rest, ok := strings.CutPrefix(name, "shift+"); ok && utf8.RuneCountInString(rest) == 1 {
		return strings.ToUpper(rest)
	}
	if utf8.RuneCountInString(name) == 1 {
		return text.Sanitize(name)
	}
	return ""
}

// look finds the lines with the query; while it is typed the first one from here
// on is shown.
func (r *pager) look(lines []string) {
	r.hits = r.hits[:0]
	if r.query == "" {
		return
	}
	query := strings.ToLower(r.query)
	for i, line := range lines {
		if strings.Contains(strings.ToLower(ansi.Strip(line)), query) {
			r.hits = append(r.hits, i)
		}
	}
	if r.typing {
		r.settle()
	}
}

// settle shows the first line that was found from here on, else the first.
func (r *pager) settle() {
	if len(r.hits) == 0 {
		return
	}
	i, _ := slices.BinarySearch(r.hits, r.top)
	if i == len(r.hits) {
		i = 0
	}
	r.show(r.hits[i])
}

// next goes to another line that was found, and from the last to the first.
func (r *pager) next(by int) {
	if len(r.hits) == 0 {
		return
	}
	i, exact := slices.BinarySearch(r.hits, r.top)
	switch {
	case by > 0 && exact || by > 0 && r.top == r.most(): // the end shows several
		i++
	case by < 0:
		i--
	}
	r.show(r.hits[(i+len(r.hits))%len(r.hits)])
}

func (r *pager) show(line int) {
	r.top, r.tail = max(min(line, r.most()), 0), false
}

// foot says where the reader is, and what keys do, in w cells: the keys that every
// reader has go first where there is no room for all.
func (r *pager) foot(w int, more string) string {
	if r.typing {
		return fmt.Sprintf(" /%s▏ %s  Enter takes it  Esc ends", r.query, r.found())
	}
	s := " "
	if r.count > r.height {
		s += fmt.Sprintf("%d-%d of %d  ", r.top+1, min(r.top+r.height, r.count), r.count)
	}
	if r.query != "" {
		return s + r.found() + "  n N next, before  Esc ends the search"
	}
	keys := []string{"Up Down PgUp PgDn  / searches  ", "/ searches  ", ""}
	if r.count <= r.height {
		keys = keys[2:]
	}
	for len(keys) > 1 && text.Width(s+keys[0]+more)+3 > w {
		keys = keys[1:]
	}
	return s + keys[0] + more
}

func (r *pager) found() string {
	if len(r.hits) == 0 && r.query != "" {
		return "not found"
	}
	return text.Count(len(r.hits), "line")
}

// mark shows a query wherever a drawn line has it.
func highlight(t *style.Theme, line, query string) string {
	plain := ansi.Strip(line)
	lower, query := strings.ToLower(plain), strings.ToLower(query)
	if len(lower) != len(plain) { // letters that change their length: what they look like has to do
		lower = plain
	}
	w, from := text.Width(line), 0
	for {
		i := strings.Index(lower[from:], query)
		if i < 0 {
			return line
		}
		begin, end := from+i, from+i+len(query)
		left, right := text.Width(plain[:begin]), w-text.Width(plain[:end])
		head, tail := style.Ends(line, left, right)
		line = head + t.Found.Render(plain[begin:end]) + tail
		from = end
	}
}
