package queue

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// checkTouches returns why something is no file of the project that a task can change.
func checkTouches(all []string) error {
	for _, pattern := range all {
		if _, err := path.Match(pattern, ""); err != nil || !filepath.IsLocal(pattern) ||
			strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%.80q is not a file or a pattern inside the project, such as fetch/*.go", pattern)
		}
	}
	return nil
}

// overlap reports whether two patterns can name the same file. A pattern without wildcards is a
// file, or a directory with all that is in it; ** is any number of directories. Where it is not
// certain, they overlap.
func overlap(a, b string) bool {
	return segmentsOverlap(strings.Split(path.Clean(a), "/"), strings.Split(path.Clean(b), "/"))
}

func segmentsOverlap(a, b []string) bool {
	switch {
	case len(a) == 0 || len(b) == 0 || a[0] == "." || b[0] == ".": // one is a directory around the other
		return true
	case a[0] == "**":
		file := len(b) == 1 && strings.LastIndexByte(b[0], '.') > 0 // else it may be a directory
		return segmentsOverlap(a[1:], b) || !file && segmentsOverlap(a, b[1:])
	case b[0] == "**":
		return segmentsOverlap(b, a)
	}
	return wordsOverlap(a[0], b[0]) && segmentsOverlap(a[1:], b[1:])
}

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
