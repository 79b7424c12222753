package pager

import (
	"strings"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// barCells is how long the bar of a command is that took as long as the last time.
const barCells = 8

// paceColumns are what stands at the right of the commands.
type paceColumns struct {
	took int
	bars bool
}

// paceColumnsOf are the same for all commands: bars where one has a last time and there
// is room for it.
func paceColumnsOf(c *view.Check, w int) (p paceColumns) {
	for _, r := range c.Rows {
		p.took, p.bars = max(p.took, text.Width(r.Took)), p.bars || r.Share > 0 && w >= 50
	}
	return p
}

// pace returns how long a command took, beside a bar of how long it took the last time.
func pace(t *style.Theme, r view.CheckRow, in paceColumns) style.Spans {
	var bar style.Spans
	if in.bars {
		full := min((r.Share*barCells+50)/100, barCells)
		look := t.Tones[style.Dim]
		if r.Share > 120 { // slower is worth a look, and no warning
			look = ""
		}
		bar = style.Spans{{strings.Repeat("■", full), look}, {strings.Repeat("·", barCells-full), t.Faint}, {" ", ""}}
		if r.Share > 120 {
			bar = style.Spans{{strings.Repeat("■", barCells-1) + "+", look}, {" ", ""}}
		}
		if r.Share == 0 {
			bar = style.Spans{{text.Blanks(barCells + 1), ""}}
		}
	}
	return append(bar, style.Span{text.Blanks(in.took-text.Width(r.Took)) + r.Took + " ", t.Faint})
}

// CheckTitle is which gate it is, and how it went.
func CheckTitle(t *style.Theme, c *view.Check, mark string) style.Edge {
	title := style.Spans{{mark, t.Focused}, {c.Title, ""}}
	if c.State != "" {
		title = append(title, style.Span{"  " + c.State, t.Tones[c.Tone]})
	}
	if len(c.Alarms) > 0 {
		title = append(title, style.Span{"  ", ""}, style.Span{" " + c.Alarms.Count() + " ", AlarmBadge(t, c.Alarms)})
	}
	if c.Took == "" {
		return style.Edge{Left: title}
	}
	return style.Edge{Left: title, Right: style.Spans{{c.Took, t.Faint}}}
}

// CheckRowsFitting returns the alarms and all commands, and as much of the newest
// output as there is room for. Alarms that there is no room for are counted.
func CheckRowsFitting(t *style.Theme, c *view.Check, w, h int) []string {
	short := *c
	rows := alarmRows(t, c.Alarms, w)
	if most := min(max(h-len(c.Rows), 2), h); len(rows) > most {
		more := text.Count(len(rows)-most+1, "more alarm") + ": F4 shows them in the diff"
		rows = append(rows[:most-1:most-1], style.Row(w, style.Spans{{" " + more, t.Tones[style.Warn]}}, nil))
	}
	short.Alarms = nil
	all := CheckRows(t, &short, w)
	commands := min(len(c.Rows), h-len(rows))
	rows = append(rows, all[:commands]...)
	return append(rows, all[max(len(all)-(h-len(rows)), commands):]...)
}

// CheckRows returns all of a gate: the alarms, the commands, and the newest output.
func CheckRows(t *style.Theme, c *view.Check, w int) (lines []string) {
	lines = alarmRows(t, c.Alarms, w)
	columns := paceColumnsOf(c, w)
	for _, r := range c.Rows {
		left := style.Spans{{" " + text.Fit(r.Mark, 5), t.Tones[r.Tone]}, {r.Command, ""}}
		if r.Detail != "" {
			left = append(left, style.Span{"  " + r.Detail, t.Faint})
		}
		lines = append(lines, style.Row(w, left, append(style.Spans{{" ", ""}}, pace(t, r, columns)...)))
	}
	if c.Why != "" {
		lines = append(lines, style.Row(w, style.Spans{{" " + c.Why, t.Tones[c.Tone]}}, nil))
	}
	for _, l := range c.Lines {
		lines = append(lines, style.Row(w, style.Spans{{" " + l, t.Faint}}, nil))
	}
	return lines
}
