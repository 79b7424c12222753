package prompt

import (
	"slices"
)

// maxHistory bounds the lines that Up can reach.
const maxHistory = 1000

// history is the lines typed before, oldest first, and a place in them.
type history struct {
	lines []string
	at    int    // len(lines) is the present
	draft string // what was typed in the present
}

func newHistory(lines []string) history {
	lines = slices.Clone(lines[max(len(lines)-maxHistory, 0):])
	return history{lines: lines, at: len(lines)}
}

// toPresent forgets the place.
func (h *history) toPresent() { h.at, h.draft = len(h.lines), "" }

// add appends a line, and reports whether it is another than the last.
func (h *history) add(line string) bool {
	if n := len(h.lines); n > 0 && h.lines[n-1] == line {
		h.at = n
		return false
	}
	h.lines = append(h.lines, line)
	h.at = len(h.lines)
	return true
}

// recall goes through the history.
func (p *Model) recall(by int) {
	h := &p.history
	to := h.at + by
	if to < 0 || to > len(h.lines) {
		return
	}
	if h.at == len(h.lines) {
		h.draft = p.text
	}
	h.at = to
	if to == len(h.lines) {
		p.set(h.draft)
		return
	}
	p.set(h.lines[to])
}
