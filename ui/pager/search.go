package pager

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// search looks for a text in rows.
type search struct {
	typing bool       // keys go to its field
	query  keys.Field // empty: nothing is searched for
	hits   []int      // the rows that have it
	jump   bool       // the first of them is shown when they are found next
}

// edit does a key while the query is typed.
func (p *Pager) edit(a keys.Action, typed string) {
	switch a {
	case keys.Accept:
		p.typing = false
	case keys.Cancel:
		p.search = search{}
	default:
		p.query.Edit(a, typed)
		p.jump = true
	}
}

// pressInMatches does a key that counts while something is found.
func (p *Pager) pressInMatches(a keys.Action) bool {
	switch a {
	case NextMatch:
		p.next(+1)
	case PreviousMatch:
		p.next(-1)
	case EndSearch:
		p.search = search{}
	default:
		return false
	}
	return true
}

// find finds the rows with the query. After that was typed, the first one from here on
// is shown.
func (p *Pager) find(rows []string) {
	p.hits = p.hits[:0]
	if p.query == "" {
		return
	}
	query := strings.ToLower(string(p.query))
	for i, row := range rows {
		if strings.Contains(strings.ToLower(ansi.Strip(row)), query) {
			p.hits = append(p.hits, i)
		}
	}
	if p.jump {
		p.jump = false
		p.showHit()
	}
}

// showHit shows the first row that was found from here on, else the first of all.
func (p *Pager) showHit() {
	if len(p.hits) == 0 {
		return
	}
	i, _ := slices.BinarySearch(p.hits, p.top)
	if i == len(p.hits) {
		i = 0
	}
	p.show(p.hits[i])
}

// next goes to another row that was found, and from the last to the first.
func (p *Pager) next(by int) {
	if len(p.hits) == 0 {
		return
	}
	i, exact := slices.BinarySearch(p.hits, p.top)
	switch {
	case by > 0 && exact || by > 0 && p.top == p.last(): // the end shows several
		i++
	case by < 0:
		i--
	}
	p.show(p.hits[(i+len(p.hits))%len(p.hits)])
}

func (p *Pager) found() string {
	if len(p.hits) == 0 && p.query != "" {
		return "not found"
	}
	return text.Count(len(p.hits), "line")
}

// highlight marks a query wherever a row has it.
func highlight(t *style.Theme, row, query string) string {
	plain := ansi.Strip(row)
	lower, query := strings.ToLower(plain), strings.ToLower(query)
	if len(lower) != len(plain) { // a letter that changes its length: capitals are not found then
		lower = plain
	}
	w, from := text.Width(row), 0
	for {
		i := strings.Index(lower[from:], query)
		if i < 0 {
			return row
		}
		begin, end := from+i, from+i+len(query)
		left, right := text.Width(plain[:begin]), w-text.Width(plain[:end])
		head, tail := style.Ends(row, left, right)
		row = head + t.Found.Render(plain[begin:end]) + tail
		from = end
	}
}
