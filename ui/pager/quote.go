package pager

import (
	"cmp"
	"strings"

	"ferrus/ui/view"
)

// quoteAround is how many lines above and below a comment go with it.
const quoteAround = 3

// quoted returns a spot with what the patch has of it, as git has it: the head of the
// hunk, the lines, and the lines around them on that side.
func quoted(s view.Spot, patch string) view.Spot {
	if s.Line == 0 {
		return s
	}
	last := max(s.Last, s.Line)
	old, new, head, inside := 0, 0, "", false
	var before []string
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "@@") {
			if inside {
				break
			}
			old, new = hunk(line)
			head, before = line, nil
			continue
		}
		line = cmp.Or(line, " ")
		number := new
		if s.Old {
			number = old
		}
		if line[0] != '+' {
			old++
		}
		if line[0] != '-' {
			new++
		}
		if s.Old && line[0] == '+' || !s.Old && line[0] == '-' || line[0] == '\\' {
			continue // of the other side, or a remark
		}
		switch {
		case number < s.Line:
			before = append(before, line[1:])
		case number <= last:
			inside = true
			s.Hunk, s.Quote = head, append(s.Quote, line[1:])
		case inside && len(s.After) < quoteAround:
			s.After = append(s.After, line[1:])
		}
		if inside && s.Before == nil {
			s.Before = before[max(len(before)-quoteAround, 0):]
		}
	}
	return s
}
