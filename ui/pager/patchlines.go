package pager

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ferrus/ui/text"
	"ferrus/ui/view"
)

// diffLine is one line of a patch.
type diffLine struct {
	kind     byte   // '+', '-', ' ', '@', or another for a remark of git's
	text     string // without the kind; in a line of the file sanitized
	old, new int    // its numbers; 0: it has none on that side
	from, to int    // the bytes of text that differ from the line it replaces, or that replaces it
	quiet    bool   // only blanks changed, or the line was moved
}

// readPatch returns the lines of a patch, with the words that changed in them.
func readPatch(patch string, m moves) (lines []diffLine) {
	old, new := 0, 0
	for s := range strings.Lines(patch) {
		s = strings.TrimRight(s, "\r\n")
		s = cmp.Or(s, " ")
		l := diffLine{kind: s[0], text: s}
		switch s[0] {
		case '@':
			old, new = hunk(s)
		case '+', '-', ' ':
			l.text = text.Sanitize(s[1:])
			if s[0] != '+' {
				l.old, old = old, old+1
			}
			if s[0] != '-' {
				l.new, new = new, new+1
			}
		}
		lines = append(lines, l)
	}
	eachBlock(lines, compareBlock)
	m.mark(lines)
	return lines
}

// eachBlock calls do for each run of removed lines with the added ones behind it.
func eachBlock(lines []diffLine, do func(removed, added []diffLine)) {
	for i := 0; i < len(lines); {
		begin := i
		for i < len(lines) && lines[i].kind == '-' {
			i++
		}
		middle := i
		for i < len(lines) && lines[i].kind == '+' {
			i++
		}
		do(lines[begin:middle], lines[middle:i])
		if i == begin {
			i++
		}
	}
}

// compareBlock finds what changed in lines that were replaced one by one.
func compareBlock(removed, added []diffLine) {
	for i := range min(len(removed), len(added)) {
		a, b := &removed[i], &added[i]
		if a.text != b.text && withoutBlanks(a.text) == withoutBlanks(b.text) {
			a.quiet, b.quiet = true, true
			continue
		}
		head, tail := sharedEnds(a.text, b.text)
		if 3*(head+tail) < max(len(a.text), len(b.text)) { // another line, not another version of it
			continue
		}
		a.from, a.to = head, len(a.text)-tail
		b.from, b.to = head, len(b.text)-tail
	}
}

func withoutBlanks(s string) string { return strings.Join(strings.Fields(s), "") }

// sharedEnds returns how many bytes two lines share at their beginnings and at their
// ends, in whole words.
func sharedEnds(a, b string) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	for head > 0 && (inWord(a, head) || inWord(b, head)) {
		head--
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && (inWord(a, len(a)-tail) || inWord(b, len(b)-tail)) {
		tail--
	}
	return head, tail
}

// inWord reports whether a place is within a word or a character.
func inWord(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	if !utf8.RuneStart(s[at]) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return isWordRune(before) && isWordRune(after)
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// moves are the lines that a diff removes and adds somewhere.
type moves struct{ removed, added map[string]bool }

// movedLines is how many lines in a row count as moved: fewer are often the same by
// accident.
const movedLines = 3

// findMoves reads a whole diff.
func findMoves(files []view.FilePatch) moves {
	m := moves{map[string]bool{}, map[string]bool{}}
	for i := range files {
		for s := range strings.Lines(files[i].Patch) {
			line := withoutBlanks(s[1:])
			switch {
			case line == "":
			case s[0] == '-':
				m.removed[line] = true
			case s[0] == '+':
				m.added[line] = true
			}
		}
	}
	return m
}

// mark makes the lines quiet that are the same on the other side elsewhere.
func (m moves) mark(lines []diffLine) {
	run := func(kind byte, elsewhere map[string]bool) {
		begin, counted := 0, 0
		for i := 0; i <= len(lines); i++ {
			if i < len(lines) && lines[i].kind == kind {
				bare := withoutBlanks(lines[i].text)
				if elsewhere[bare] {
					counted++
				}
				if elsewhere[bare] || bare == "" && counted > 0 {
					continue
				}
			}
			if counted >= movedLines {
				for k := begin; k < i; k++ {
					lines[k].quiet = true
				}
			}
			begin, counted = i+1, 0
		}
	}
	run('+', m.removed)
	run('-', m.added)
}
