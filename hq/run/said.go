package run

import (
	"strings"

	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// saidLines is how many of the last rows of a pane are told with the end of its
// program; a sentence of a client takes several.
const saidLines = 6

// complain tells the person how a session ended that failed, or that did nothing,
// and what its program said last: without a screen nobody reads its pane.
func (s *slot) complain(outcome session.Outcome, wanted bool) {
	idle := outcome == session.Success && wanted && !s.accepted && !s.dismissed && !s.interrupted
	if s.typed || !idle && outcome != session.Error {
		return
	}
	s.c.once("the " + string(s.name) + " (" + s.entry.AgentType + ") did not get on, " + s.last + ": " + s.said())
}

// said are the last lines on the screen.
func (s *slot) said() string {
	var lines []string
	s.terminal.With(func(t *vt.Terminal) {
		columns, rows := t.Size()
		for y := rows - 1; y >= 0 && len(lines) < saidLines; y-- {
			if line := row(t, columns, y); line != "" {
				lines = append([]string{line}, lines...)
			}
		}
	})
	return strings.Join(lines, " ")
}

func row(t *vt.Terminal, columns, y int) string {
	var b strings.Builder
	for x := range columns {
		text, _ := t.Cell(x, y)
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}
