package register

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Plan is what would be written. It is valid until one of the files changes.
type Plan struct {
	Changes []Change
	Entries []Entry
	before  []byte // the record before
	after   []byte // the record after
	removes bool
	empty   []string // directories that would be left empty
	dir     string
}

// Change is the change of one file. A nil text means that there is no file.
type Change struct {
	File          string
	Before, After []byte
	mode          fs.FileMode
}

// Verb returns what happens to the file.
func (c Change) Verb() string {
	switch {
	case c.After == nil:
		return "removed"
	case c.Before == nil:
		return "created"
	}
	return "changed"
}

// Format returns what would be written: the changed lines of each file.
func (p *Plan) Format() string {
	var b strings.Builder
	for _, c := range p.Changes {
		switch {
		case strings.HasSuffix(c.File, Backup) && c.Before == nil:
			fmt.Fprintf(&b, "%s: a copy of %s\n", c.File, strings.TrimSuffix(c.File, Backup))
		case c.After == nil:
			fmt.Fprintf(&b, "%s: removed\n", c.File)
		default:
			fmt.Fprintf(&b, "%s:%s\n", c.File, map[bool]string{true: " new"}[c.Before == nil])
			writeDiff(&b, lines(c.Before), lines(c.After))
		}
	}
	return b.String()
}

func lines(data []byte) []string { return slices.Collect(strings.Lines(string(data))) }

// writeDiff writes the removed and added lines, by their longest common subsequence.
func writeDiff(b *strings.Builder, old, new []string) {
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	longest := make([][]int, len(old)+1)
	for i := range longest {
		longest[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(old) || j < len(new); {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			i, j = i+1, j+1
		case i < len(old) && (j == len(new) || longest[i+1][j] >= longest[i][j+1]):
			fmt.Fprintf(b, "  - %s\n", strings.TrimRight(old[i], "\r\n"))
			i++
		default:
			fmt.Fprintf(b, "  + %s\n", strings.TrimRight(new[j], "\r\n"))
			j++
		}
	}
}

// Entry is what was registered with an agent's program.
type Entry struct {
	Role, Agent  string
	ID           string // executor:codex:1
	Server       string // ferrus-executor-1
	File         string
	Start, Alone string
	Notes        []string
}
