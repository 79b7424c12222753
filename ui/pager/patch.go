package pager

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/syntax"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// drawnPatch is a patch as it is drawn.
type drawnPatch struct {
	Rows   []string
	Hunks  []int // the rows that hunks begin in
	Alarms []int // the rows that say what alarms are about
	Refs   []rowRef
}

// sideBySide is the width from which on both sides of a patch are beside each other.
const sideBySide = 104

// drawPatch draws a patch in rows of w cells: numbers of both sides, the mark, and the
// line in the colours of its language, on a tint where it changed. Where there is room and
// the file has both, the old side is beside the new one. Alarms stand below the first of
// their lines, or at the beginning if the patch has none of them.
func drawPatch(t *style.Theme, f *view.FilePatch, alarms view.Alarms, m moves, w int, c patchComments) drawnPatch {
	p := patchPen{theme: t, comments: c, w: w, language: syntax.Of(f.Path), digits: digitsOf(f.Patch)}
	lines := readPatch(f.Patch, m)
	for i := range alarms {
		if a := &alarms[i]; !slices.ContainsFunc(lines, func(l diffLine) bool { return l.raised(a) }) {
			p.drawAlarm(a)
		} else {
			p.alarms = append(p.alarms, a)
		}
	}
	p.drawComments(func(c *view.Comment) bool { return c.Line == 0 })
	if w >= sideBySide && hasBothSides(lines) {
		p.drawColumns(lines)
	} else {
		p.drawBelow(lines)
	}
	p.drawComments(func(*view.Comment) bool { return true })
	if f.Patch == "" && !f.Cut {
		p.note("nothing to show: the file is empty, or only its name or mode changed", t.Faint)
	}
	if f.Cut {
		p.note("the rest is too long to show", t.Tones[style.Warn])
	}
	return p.drawnPatch
}

// hasBothSides reports whether a patch shows lines of the old file and of the new one: half of the
// room would stay empty beside a file that was added or deleted.
func hasBothSides(lines []diffLine) bool {
	has := func(kind byte) bool {
		return slices.ContainsFunc(lines, func(l diffLine) bool { return l.kind == kind })
	}
	return has(' ') || has('+') && has('-')
}

// patchPen draws the lines of one patch in order.
type patchPen struct {
	drawnPatch
	theme    *style.Theme
	w        int
	language *syntax.Language
	digits   int
	open     [2]syntax.State // of the old side and the new
	alarms   []*view.Alarm   // that no line was drawn of yet
	marked   []*view.Alarm   // that the last row raised
	comments patchComments
	lines    [2]int // that the next row shows, of the old side and the new
}

// row adds a line in its rows, and below it the alarms that it raised and the comments on it.
func (p *patchPen) row(rows ...string) {
	ref, lines := nowhere, p.lines
	if p.lines = [2]int{}; lines != p.lines {
		ref = rowRef{file: p.comments.file, old: lines[0], new: lines[1]}
	}
	for _, row := range rows {
		p.add(row, ref)
	}
	defer p.commentsOn(lines)
	marked := p.marked
	p.marked = nil
	for _, a := range marked {
		p.drawAlarm(a)
	}
}

// note is a sentence instead of lines.
func (p *patchPen) note(words string, look style.Paint) {
	p.row(style.Row(p.w, style.Spans{{"   " + words, look}}, nil))
}

// drawAlarm is what a rule says.
func (p *patchPen) drawAlarm(a *view.Alarm) {
	words := "! " + a.Words
	if a.NeedsHuman {
		words += ": only you may approve it"
	}
	p.Alarms = append(p.Alarms, len(p.Rows))
	row := style.Spans{{text.Blanks(2*p.digits + 3), ""}, {words, p.theme.Tones[alarmTone(a)]}}
	if rule := "  " + a.Rule; row.Width()+text.Width(rule) <= p.w {
		row = append(row, style.Span{rule, p.theme.Faint})
	}
	p.add(style.Row(p.w, row, nil), nowhere)
}

// raised reports whether a line raised an alarm.
func (l *diffLine) raised(a *view.Alarm) bool {
	switch l.kind {
	case '+':
		return slices.Contains(a.Lines, view.AlarmLine{Number: l.new})
	case '-':
		return slices.Contains(a.Lines, view.AlarmLine{Number: l.old, Removed: true})
	}
	return false
}

// mark notes the alarms that a line raised, and returns what is before it.
func (p *patchPen) mark(l *diffLine) style.Span {
	before := style.Span{" ", ""}
	p.alarms = slices.DeleteFunc(p.alarms, func(a *view.Alarm) bool {
		if !l.raised(a) {
			return false
		}
		before = style.Span{"!", p.theme.Tones[alarmTone(a)]}
		p.marked = append(p.marked, a)
		return true
	})
	return before
}

// drawBelow draws the lines one below the other.
func (p *patchPen) drawBelow(lines []diffLine) {
	for i := range lines {
		l := &lines[i]
		if p.drawRemark(l) {
			continue
		}
		rows := p.numbered(l, p.number(l.old)+" "+p.number(l.new)+" ", p.w)
		p.lines = [2]int{l.old, l.new}
		p.row(rows...)
	}
}

// drawColumns draws the old side beside the new one: what was replaced beside what
// replaced it.
func (p *patchPen) drawColumns(lines []diffLine) {
	for i := 0; i < len(lines); i++ {
		if p.drawRemark(&lines[i]) {
			continue
		}
		if lines[i].kind == ' ' {
			p.pair(p.cells(lines[i:i+1], 0), p.cells(lines[i:i+1], 1))
			continue
		}
		middle := i
		for middle < len(lines) && lines[middle].kind == '-' {
			middle++
		}
		end := middle
		for end < len(lines) && lines[end].kind == '+' {
			end++
		}
		p.pair(p.cells(lines[i:middle], 0), p.cells(lines[middle:end], 1))
		i = end - 1
	}
}

// half is one line on one side, with the alarms that it raised.
type half struct {
	rows   []string
	marked []*view.Alarm
	number int // of the line
}

// cells draws lines on one side.
func (p *patchPen) cells(lines []diffLine, side int) (all []half) {
	w := p.half(side)
	for i := range lines {
		l := &lines[i]
		number := p.number([]int{l.old, l.new}[side]) + " "
		if side == 0 && l.kind == ' ' { // the new side has it, too, and is drawn with the state behind it
			kept := p.open
			rows := p.numbered(l, number, w)
			p.open = kept
			all = append(all, half{rows, nil, l.old})
			continue
		}
		rows := p.numbered(l, number, w)
		all = append(all, half{rows, p.marked, []int{l.old, l.new}[side]})
		p.marked = nil
	}
	return all
}

// numbered returns a line of the file behind its numbers, in as many rows as it takes.
func (p *patchPen) numbered(l *diffLine, numbers string, w int) (rows []string) {
	gutter := style.Spans{p.mark(l), {numbers, p.theme.Faint}}
	used := gutter.Width()
	body, fill := p.code(l)
	for i, part := range body.Break(w - used - 2) {
		mark := style.Spans{{string(l.kind) + " ", p.changed(l)}}
		if i > 0 {
			gutter, mark[0].Text = style.Spans{{text.Blanks(used), ""}}, "  "
		}
		row := slices.Concat(gutter, mark, part)
		rows = append(rows, style.Row(w, append(row, style.Span{text.Blanks(w - row.Width()), fill}), nil))
	}
	return rows
}

// half returns the width of one side.
func (p *patchPen) half(side int) int {
	left := (p.w - 1) / 2
	return []int{left, p.w - 1 - left}[side]
}

// pair draws the two sides in rows.
func (p *patchPen) pair(left, right []half) {
	between := p.theme.Border.Render("│")
	for i := range max(len(left), len(right)) {
		var a, b half
		if i < len(left) {
			a = left[i]
		}
		if i < len(right) {
			b = right[i]
		}
		p.marked = append(slices.Clone(a.marked), b.marked...)
		p.lines = [2]int{a.number, b.number}
		rows := make([]string, max(len(a.rows), len(b.rows)))
		for k := range rows {
			rows[k] = rowAt(a.rows, k, p.half(0)) + between + rowAt(b.rows, k, p.half(1))
		}
		p.row(rows...)
	}
}

// rowAt returns one of the rows of a side; a blank one below the last.
func rowAt(rows []string, i, w int) string {
	if i < len(rows) {
		return rows[i]
	}
	return text.Blanks(w)
}

// number returns a number of a line in its column.
func (p *patchPen) number(n int) string {
	if n == 0 {
		return text.Blanks(p.digits)
	}
	return fmt.Sprintf("%*d", p.digits, n)
}

// drawRemark draws what is no line of the file, and reports whether it was that.
func (p *patchPen) drawRemark(l *diffLine) bool {
	switch l.kind {
	case '+', '-', ' ':
		return false
	case '@':
		p.open = [2]syntax.State{}
		_, about, _ := strings.Cut(strings.TrimPrefix(l.text, "@@"), "@@")
		p.Hunks = append(p.Hunks, len(p.Rows))
		p.row(style.Row(p.w, style.Spans{{" " + text.Blanks(2*p.digits+1) + " ┄┄", p.theme.Border},
			{text.Cut(text.Sanitize(about), p.w), p.theme.Faint}}, nil))
	default:
		p.row(style.Row(p.w, style.Spans{{" " + text.Blanks(2*p.digits+1) + "   " + text.Sanitize(l.text),
			p.theme.Faint}}, nil))
	}
	return true
}

// code returns a line of the file in the colours of its language and of what happened to
// it, and what is behind it to the end of its row.
func (p *patchPen) code(l *diffLine) (line style.Spans, fill style.Paint) {
	t, side := p.theme, 1
	tint, word := style.Paint(""), style.Paint("")
	switch l.kind {
	case '+':
		tint, word = t.Tint.Added, t.Tint.AddedWord
	case '-':
		tint, word, side = t.Tint.Removed, t.Tint.RemovedWord, 0
	}
	line, p.open[side] = coloured(t, p.language, l.text, p.open[side], "")
	switch {
	case l.quiet:
		return style.Spans{{l.text, t.Faint}}, ""
	case l.kind == ' ':
		p.open[0] = p.open[1]
		return line, ""
	}
	return tinted(line, tint, word, l.from, l.to), tint
}

// changed returns the look of the mark in front of a line.
func (p *patchPen) changed(l *diffLine) style.Paint {
	switch t := p.theme; {
	case l.quiet:
		return t.Faint
	case l.kind == '+':
		return t.Tones[style.Good] + t.Tint.Added
	case l.kind == '-':
		return t.Removed + t.Tint.Removed
	}
	return ""
}

// tinted puts a tint under a line, and another one under some of its bytes.
func tinted(line style.Spans, tint, word style.Paint, from, to int) (out style.Spans) {
	at := 0
	add := func(s string, look, under style.Paint) {
		if s != "" {
			out = append(out, style.Span{s, look + under})
		}
	}
	for _, s := range line {
		n := len(s.Text)
		begin, end := min(max(from-at, 0), n), min(max(to-at, 0), n)
		add(s.Text[:begin], s.Paint, tint)
		add(s.Text[begin:max(begin, end)], s.Paint, word)
		add(s.Text[max(begin, end):], s.Paint, tint)
		at += n
	}
	return out
}

// hunk returns the numbers that a head of a hunk begins with.
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

// digitsOf returns how wide the numbers of a patch are at most.
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
