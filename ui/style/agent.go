package style

import (
	"strconv"
	"strings"
)

// agentParams returns the SGR parameters of an agent's sixteen colours, and of the
// colours to draw instead.
func agentParams(colors [16]uint8) map[string]string {
	params := map[string]string{}
	for i, c := range colors {
		params[strconv.Itoa(i)] = strconv.Itoa(int(c))
	}
	return params
}

// textColor begins the colour of a text that is one of 256.
const textColor = ";38;5;"

// Readable returns a row of an agent with its sixteen colours as the theme has them. What
// has a background of its own stays as the agent chose it: it knows what it is read on.
func (t *Theme) Readable(row string) string {
	if t.agent == nil || !strings.Contains(row, textColor) {
		return row
	}
	var b strings.Builder
	for {
		begin := strings.Index(row, "\x1b[")
		if begin < 0 {
			break
		}
		length := strings.IndexByte(row[begin:], 'm')
		if length < 0 {
			break
		}
		b.WriteString(row[:begin])
		b.WriteString(t.readable(row[begin : begin+length]))
		row = row[begin+length:]
	}
	b.WriteString(row)
	return b.String()
}

// readable returns one sequence without its last letter.
func (t *Theme) readable(sequence string) string {
	before, after, ok := strings.Cut(sequence, textColor)
	if !ok || strings.Contains(after, ";48;") || strings.Contains(before+";", ";7;") {
		return sequence
	}
	number, rest, more := strings.Cut(after, ";")
	instead, ok := t.agent[number]
	if !ok {
		return sequence
	}
	if more {
		rest = ";" + rest
	}
	return before + textColor + instead + rest
}
