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

// Patch is a patch as it is drawn.
type Patch struct {
	Rows   []string
	Hunks  []int // the rows that hunks begin in
	Alarms []int // the rows that say what alarms are about
}

// DrawPatch draws a patch in rows of w cells: numbers of both sides, the mark, and the
// line in the colours of its language. Alarms stand below the first of their lines, or
// at the beginning if the patch has none of them.
func DrawPatch(t *style.Theme, f *view.FilePatch, alarms view.Alarms, w int) Patch {
	p := patchPen{theme: t, w: w, language: syntax.Of(f.Path), digits: digitsOf(f.Patch)}
	for i := range alarms {
		if a := &alarms[i]; !hasLine(f.Patch, a) {
			p.drawAlarm(a)
		} else {
			p.alarms = append(p.alarms, a)
		}
	}
	for line := range strings.Lines(f.Patch) {
		p.row(p.drawLine(strings.TrimRight(line, "\r\n")))
		for _, a := range p.marked {
			p.drawAlarm(a)
		}
		p.marked = nil
	}
	if f.Patch == "" && !f.Cut {
		p.note("nothing to show: it is binary, empty, or has another name or mode", t.Faint)
	}
	if f.Cut {
		p.note("the rest is not shown: it is long", t.Tones[style.Warn])
	}
	return p.Patch
}

// patchPen draws the lines of one patch in order.
type patchPen struct {
	Patch
	theme    *style.Theme
	w        int
	language *syntax.Language
	digits   int
	old, new int             // the numbers of the next lines
	open     [2]syntax.State // of the old side and the new
	alarms   []*view.Alarm   // that no line was drawn of yet
	marked   []*view.Alarm   // that the last line raised
}

func (p *patchPen) row(row string) { p.Rows = append(p.Rows, row) }

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
	p.row(style.Row(p.w, style.Spans{{text.Blanks(2*p.digits + 3), ""}, {words, p.theme.Tones[alarmTone(a)]},
		{"  " + a.Rule, p.theme.Faint}}, nil))
}

// mark notes the alarms that a line raised, and returns what stands before it.
func (p *patchPen) mark(line view.AlarmLine) style.Span {
	before := style.Span{" ", ""}
	p.alarms = slices.DeleteFunc(p.alarms, func(a *view.Alarm) bool {
		if !slices.Contains(a.Lines, line) {
			return false
		}
		before = style.Span{"!", p.theme.Tones[alarmTone(a)]}
		p.marked = append(p.marked, a)
		return true
	})
	return before
}

// hasLine reports whether a patch has a line that raised an alarm.
func hasLine(patch string, a *view.Alarm) bool {
	old, new := 0, 0
	for line := range strings.Lines(patch) {
		var at view.AlarmLine
		switch line[0] {
		case '@':
			old, new = hunk(line)
			continue
		case '+':
			at, new = view.AlarmLine{Number: new}, new+1
		case '-':
			at, old = view.AlarmLine{Number: old, Removed: true}, old+1
		case ' ', '\n':
			old, new = old+1, new+1
		}
		if slices.Contains(a.Lines, at) {
			return true
		}
	}
	return false
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
	gutter := fmt.Sprintf("%*s %*s ", p.digits, old, p.digits, number)
	before := style.Span{" ", ""}
	switch mark {
	case "+":
		before = p.mark(view.AlarmLine{Number: new})
	case "-":
		before = p.mark(view.AlarmLine{Number: p.old - 1, Removed: true})
	}
	var body style.Spans
	body, p.open[side] = coloured(p.theme, p.language, text.Sanitize(s), p.open[side], "")
	if mark == " " {
		p.open[0] = p.open[1]
	}
	return style.Row(p.w, append(style.Spans{before, {gutter, p.theme.Faint}, {mark + " ", look}}, body...), nil)
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
