package queue

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// What a task may say of itself at most: each turn compares it with what all others say.
const (
	maxPatterns     = 50  // patterns that it touches, and labels that it needs
	maxPatternBytes = 200 // of one of them
)

// checkTouches returns why a pattern cannot name files of the project that a task may
// change.
func checkTouches(all []string) error {
	if len(all) > maxPatterns {
		return fmt.Errorf("%d patterns, more than the %d allowed: name directories instead of their files",
			len(all), maxPatterns)
	}
	for _, pattern := range all {
		if len(pattern) > maxPatternBytes {
			return fmt.Errorf("%.40q..., which has %d bytes, more than the %d allowed: name a directory above it",
				pattern, len(pattern), maxPatternBytes)
		}
		if _, err := path.Match(pattern, ""); err != nil || !filepath.IsLocal(pattern) ||
			strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%.80q is not a file or a pattern inside the project, such as fetch/*.go", pattern)
		}
	}
	return nil
}

// checkNeeds returns why no worker has the labels that a task needs.
func checkNeeds(all []string) error {
	if len(all) > maxPatterns {
		return fmt.Errorf("%d labels, more than the %d allowed", len(all), maxPatterns)
	}
	for _, label := range all {
		if len(label) > maxPatternBytes || strings.ContainsFunc(label, unicode.IsControl) {
			return fmt.Errorf("%.40q, which is no label: a label is a word of at most %d bytes", label, maxPatternBytes)
		}
	}
	return nil
}

// overlap reports whether two patterns can name the same file. A pattern without wildcards is a
// file, or a directory with all that is in it; ** is any number of directories. Where it is not
// certain, they overlap.
func overlap(a, b string) bool {
	a, b = path.Clean(a), path.Clean(b)
	if strings.Contains(a, "**") || strings.Contains(b, "**") {
		return segmentsOverlap(strings.Split(a, "/"), strings.Split(b, "/"), map[[2]int]bool{})
	}
	for inside := a != "." && b != "."; inside; {
		var one, other string
		var longer, longerToo bool
		one, a, longer = strings.Cut(a, "/")
		other, b, longerToo = strings.Cut(b, "/")
		if !wordsOverlap(one, other) {
			return false
		}
		inside = longer && longerToo
	}
	return true // they are the same, or one is a directory around the other
}

// segmentsOverlap is overlap for what is left of two paths. Apart keeps, by how much is left of each, what
// cannot name the same file: many ** would have the same asked again and again.
func segmentsOverlap(a, b []string, apart map[[2]int]bool) (can bool) {
	left := [2]int{len(a), len(b)}
	if apart[left] {
		return false
	}
	defer func() { apart[left] = !can }()
	switch {
	case len(a) == 0 || len(b) == 0 || a[0] == "." || b[0] == ".": // one is a directory around the other
		return true
	case a[0] == "**":
		return segmentsOverlap(a[1:], b, apart) || !isFile(b) && segmentsOverlap(a, b[1:], apart)
	case b[0] == "**":
		return segmentsOverlap(a, b[1:], apart) || !isFile(a) && segmentsOverlap(a[1:], b, apart)
	}
	return wordsOverlap(a[0], b[0]) && segmentsOverlap(a[1:], b[1:], apart)
}

// isFile reports whether what is left of a path is a name with an extension; else it may be a directory.
func isFile(left []string) bool { return len(left) == 1 && strings.LastIndexByte(left[0], '.') > 0 }

// wordsOverlap is overlap for one part of a path. Two with wildcards are compared by what is before
// the first of them and after the last.
func wordsOverlap(a, b string) bool {
	const wild = `*?[\`
	at, bt := strings.IndexAny(a, wild), strings.IndexAny(b, wild)
	switch {
	case at < 0 && bt < 0:
		return a == b
	case at < 0:
		ok, _ := path.Match(b, a) // the syntax was checked
		return ok
	case bt < 0:
		ok, _ := path.Match(a, b)
		return ok
	}
	const end = `*?]\`
	endA, endB := a[strings.LastIndexAny(a, end)+1:], b[strings.LastIndexAny(b, end)+1:]
	a, b = a[:at], b[:bt]
	return (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) &&
		(strings.HasSuffix(endA, endB) || strings.HasSuffix(endB, endA))
}

// bothTouch reports whether two tasks are expected to change the same file.
func bothTouch(one, other []string) bool {
	for _, a := range one {
		for _, b := range other {
			if overlap(a, b) {
				return true
			}
		}
	}
	return false
}
