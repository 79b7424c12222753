package pager

import (
	"fmt"
	"strconv"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/syntax"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// PatchRows draws a patch in rows of w cells: numbers of both sides, the mark,
// and the line in the colours of its language.
func PatchRows(t *style.Theme, f *view.FilePatch, w int) (rows []string) {
	p := patchPen{theme: t, w: w, language: syntax.Of(f.Path), digits: digitsOf(f.Patch)}
	for line := range strings.Lines(f.Patch) {
		rows = append(rows, p.drawLine(strings.TrimRight(line, "\r\n")))
	}
	if len(rows) == 0 && !f.Cut {
		rows = append(rows, style.Row(w, style.Spans{{"   nothing to show: it is binary, empty, or has another " +
			"name or mode", t.Faint}}, nil))
	}
	if f.Cut {
		rows = append(rows,
			style.Row(w, style.Spans{{"   the rest is not shown: it is long", t.Tones[style.Warn]}}, nil))
	}
	return rows
}

// patchPen draws the lines of one patch in order.
type patchPen struct {
	theme    *style.Theme
	w        int
	language *syntax.Language
	digits   int
	old, new int             // the numbers of the next lines
	open     [2]syntax.State // of the old side and the new
}

func (p *patchPen) drawLine(s string) string {
	t := p.theme
	if s == "" {
		s = " "
	}
	switch s[0] {
	case '@':
		p.open = [2]syntax.State{}
		p.old, p.new = hunk(s)
		_, about, _ := strings.Cut(strings.TrimPrefix(s, "@@"), "@@")
		return style.Row(p.w, style.Spans{{" " + text.Blanks(2*p.digits+1) + " ┄┄", t.Border},
			{text.Cut(about, p.w), t.Faint}}, nil)
	case '+':
		p.new++
		return p.coded("", p.new-1, "+", s[1:], t.Tones[style.Good], 1)
	case '-':
		p.old++
		return p.coded(strconv.Itoa(p.old-1), 0, "-", s[1:], t.Removed, 0)
	case ' ':
		p.old, p.new = p.old+1, p.new+1
		return p.coded(strconv.Itoa(p.old-1), p.new-1, " ", s[1:], "", 1)
	}
	return style.Row(p.w, style.Spans{{" " + text.Blanks(2*p.digits+1) + "   " + s, t.Faint}}, nil)
}

// coded is a line of the file with its numbers.
func (p *patchPen) coded(old string, new int, mark, s string, look style.Paint, side int) string {
	number := ""
	if new > 0 {
		number = strconv.Itoa(new)
	}
	gutter := fmt.Sprintf(" %*s %*s ", p.digits, old, p.digits, number)
	var body style.Spans
	body, p.open[side] = coloured(p.theme, p.language, text.Sanitize(s), p.open[side], "")
	if mark == " " {
		p.open[0] = p.open[1]
	}
	return style.Row(p.w, append(style.Spans{{gutter, p.theme.Faint}, {mark + " ", look}}, body...), nil)
}

// hunk are the numbers that a head of a hunk begins with.
func hunk(head string) (old, new int) {
	fields := strings.Fields(head)
	for _, f := range fields[:min(len(fields), 3)] {
		first, _, _ := strings.Cut(f[1:], ",")
		n, _ := strconv.Atoi(first)
		switch f[0] {
		case '-':
			old = n
		case '+':
			new = n
		}
	}
	return old, new
}

// digitsOf is how wide the numbers of a patch are at most.
func digitsOf(patch string) int {
	most := 0
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "@@") {
			old, new := hunk(line)
			most = max(most, old, new)
		}
	}
	return max(len(strconv.Itoa(most+strings.Count(patch, "\n"))), 3)
}
