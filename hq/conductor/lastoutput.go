package conductor

import (
	"slices"
	"strings"

	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// saidLines is how many of the last rows of a pane are told with the end of its
// program; a sentence of a client takes several.
const saidLines = 6

// complain tells the person how a session ended that left its work undone, and what
// its program said last: without a screen nobody reads its pane. It returns a trouble
// that the next session would end in too.
func (s *slot) complain(end session.SessionExited) string {
	t, found := s.diagnose(true)
	s.report(t, found)
	timedOut := s.snap.Data.Cause == (session.TimedOut{}).Kind()
	quiet := end.Outcome == session.Success && s.accepted || timedOut
	switch {
	case found && t.Lasting:
		return "its program " + t.What + ": " + t.Fix
	case !found && !s.typed && !quiet:
		s.c.once("the " + string(s.name) + " (" + s.entry.AgentType + ") did not get on, " + s.last + ": " + s.said())
	}
	return ""
}

// said are the last lines of the session on the screen.
func (s *slot) said() string {
	lines := slices.DeleteFunc(s.rows(), func(line string) bool { return line == "" })
	return strings.Join(lines[max(0, len(lines)-saidLines):], " ")
}

// rows are the lines of the screen that are of this session.
func (s *slot) rows() []string {
	var rows []string
	s.terminal.With(func(t *vt.Terminal) {
		columns, height := t.Size()
		for y := range height {
			line := row(t, columns, y)
			if strings.HasPrefix(line, sessionRule) {
				rows = nil
				continue
			}
			rows = append(rows, line)
		}
	})
	return rows
}

func row(t *vt.Terminal, columns, y int) string {
	var b strings.Builder
	for x := range columns {
		text, _ := t.Cell(x, y)
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}
