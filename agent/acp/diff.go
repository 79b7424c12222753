package acp

import (
	"fmt"
	"strings"
)

// maxDiffLines is how many lines of a diff are shown.
const maxDiffLines = 24

// diff returns the differing lines of two texts, without their common first and last lines;
// empty: none differ.
func diff(before, after string) string {
	if before == after {
		return ""
	}
	was, is := splitLines(before), splitLines(after)
	for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	var b strings.Builder
	write := func(mark string, lines []string, most int) {
		for _, line := range lines[:min(len(lines), most)] {
			b.WriteString(mark + clip(line, maxStep) + "\n")
		}
		if more := len(lines) - most; more > 0 {
			fmt.Fprintf(&b, "%s (%d more lines)\n", mark, more)
		}
	}
	write("-", was, maxDiffLines/2)
	write("+", is, maxDiffLines-min(len(was), maxDiffLines/2))
	return b.String()
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
