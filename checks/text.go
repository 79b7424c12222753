package checks

import (
	"fmt"
	"strings"

	"ferrus/ui/text"
)

// cut joins the start and the end of a line as plain text and says what is
// missing in between.
func cut(head, rest []byte, missing int) string {
	if missing == 0 {
		return text.Output(string(head) + string(rest))
	}
	return fmt.Sprintf("%s [... %d bytes ...] %s", text.Output(string(head)), missing, text.Output(string(rest)))
}

// oneLine returns a command or a path as one line.
func oneLine(s string) string { return text.Sanitize(strings.TrimSpace(s)) }

// shorten cuts s to at most so many bytes, and says so with three dots.
func shorten(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return text.CutBytes(s, size-3) + "..."
}
