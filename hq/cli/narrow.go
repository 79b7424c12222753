package cli

import (
	"bytes"
	"fmt"
	"io"

	"ferrus/ui/text"
)

// labelColumns is where values of status and inbox begin, at most.
const labelColumns = 13

// wrapped lets print write lines of a label and a value. On a terminal that is narrower
// than a line, as a phone's, it wraps them between words, under their values.
func (s *streams) wrapped(print func(io.Writer)) { s.wrapTo(s.out, print) }

// wrapTo is wrapped for any stream of the terminal.
func (s *streams) wrapTo(to io.Writer, print func(io.Writer)) {
	if s.columns <= 2*labelColumns {
		print(to)
		return
	}
	var b bytes.Buffer
	print(&b)
	for line := range bytes.Lines(b.Bytes()) {
		for _, l := range wrapValue(string(bytes.TrimSuffix(line, []byte("\n"))), s.columns) {
			fmt.Fprintln(to, l)
		}
	}
}

// wrapValue wraps a line, with an indent as far as its value is.
func wrapValue(line string, w int) []string {
	if text.Width(line) <= w {
		return []string{line}
	}
	indent := 0
	for indent < len(line) && indent < labelColumns && line[indent] != ' ' {
		indent++
	}
	for indent < len(line) && indent < labelColumns && line[indent] == ' ' {
		indent++
	}
	out := []string{}
	head := line[:indent]
	for _, l := range text.Wrap(line[indent:], w-indent) {
		out = append(out, head+l)
		head = text.Blanks(indent)
	}
	return out
}
