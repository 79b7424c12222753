package pager

import (
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Page is a pager over one text, whose rows are kept until the text, the width or the
// theme changes. The zero Page is at the beginning.
type Page struct {
	Pager
	drawn struct {
		source string
		w      int
		theme  *style.Theme
		rows   []string
	}
}

// Plain returns the rows of plain text, with hanging indents. Its first columns may be
// labels, which are less important than what they name.
func (p *Page) Plain(t *style.Theme, source string, labels, w int) []string {
	return p.rows(t, source, w, func() (rows []string) {
		for _, line := range text.Hang(source, w-2) {
			label, rest := "", line
			if labels > 0 && len(line) > labels && strings.HasPrefix(line[labels:], "  ") {
				label, rest = line[:labels], line[labels:]
			}
			rows = append(rows, style.Row(w, style.Spans{{" " + label, t.Faint}, {rest, ""}}, nil))
		}
		return rows
	})
}

// Markdown returns the rows of Markdown.
func (p *Page) Markdown(t *style.Theme, source string, w int) []string {
	return p.rows(t, source, w, func() []string { return Markdown(t, source, w) })
}

func (p *Page) rows(t *style.Theme, source string, w int, draw func() []string) []string {
	d := &p.drawn
	if d.rows == nil || d.source != source || d.w != w || d.theme != t {
		d.source, d.w, d.theme, d.rows = source, w, t, draw()
	}
	return d.rows
}
