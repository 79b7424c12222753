package register

import (
	"bytes"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/hq/tomledit"
)

// addSection adds a section at the end of a text, unless its marker is there.
func addSection(data []byte, e agent.Edit) []byte {
	if bytes.Contains(data, []byte(e.Key)) {
		return data
	}
	end := tomledit.LineEnd(data)
	return slices.Concat(data, []byte(tomledit.Gap(data)+strings.ReplaceAll(e.Value, "\n", end)))
}

// removeSection removes the section from its first to its last line. A section without
// its last line is kept.
func removeSection(data []byte, e agent.Edit) []byte {
	lines := strings.Split(strings.TrimRight(e.Value, "\n"), "\n")
	from := bytes.Index(data, []byte(e.Key))
	if from < 0 {
		return data
	}
	last := lines[len(lines)-1]
	i := bytes.Index(data[from:], []byte(last))
	if i < 0 {
		return data
	}
	_, rest, _ := bytes.Cut(data[from+i:], []byte("\n"))
	return slices.Concat(data[:tomledit.BlankBefore(data, from)], rest)
}

// findLine returns the offsets of an exact line.
func findLine(data []byte, want string) (from, to int, ok bool) {
	for l := range bytes.Lines(data) {
		to = from + len(l)
		if string(bytes.TrimRight(l, "\r\n")) == want {
			return from, to, true
		}
		from = to
	}
	return 0, 0, false
}

func addLine(data []byte, e agent.Edit) []byte {
	if _, _, ok := findLine(data, e.Key); ok {
		return data
	}
	end := tomledit.LineEnd(data)
	text := e.Key + end
	if len(data) > 0 && data[len(data)-1] != '\n' {
		text = end + text
	}
	return slices.Concat(data, []byte(text))
}

func removeLine(data []byte, e agent.Edit) []byte {
	if from, to, ok := findLine(data, e.Key); ok {
		return slices.Concat(data[:from], data[to:])
	}
	return data
}
