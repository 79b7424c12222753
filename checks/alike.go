package checks

import (
	"iter"
	"strings"
	"unicode"
)

// HasOddName reports whether a path has characters that hide or reorder others or cannot be seen, or a letter of
// ASCII with a mark of its own, which looks like one that is a letter by itself.
func HasOddName(path string) bool {
	before := rune(0)
	for _, r := range path {
		if r >= '\u0300' && r <= '\u036F' && before < unicode.MaxASCII && unicode.IsLetter(before) {
			return true
		}
		before = r
	}
	return hasHidden(path, false) || strings.ContainsRune(path, '\t')
}

// Alike returns which of some files of a tree have the name of another file or directory there but for the case of
// letters, with that file or one in it. On macOS and Windows a checkout has only one of them.
func Alike(some []string, tree iter.Seq[string]) map[string]string {
	type place struct{ name, file string } // a file, or a directory with it
	known := map[string]place{}
	var files, all lengths
	for _, file := range some {
		files.add(file)
		for name := range paths(file) {
			all.add(name)
			folded := strings.ToLower(name)
			if _, ok := known[folded]; name == file || !ok {
				known[folded] = place{name, file}
			}
		}
	}
	found := map[string]string{}
	for file := range tree {
		for name := range paths(file) {
			if isFile := name == file; isFile && !all.has(name) || !isFile && !files.has(name) {
				continue
			}
			p, ok := known[strings.ToLower(name)]
			if ok && p.name != name && (p.name == p.file || name == file) {
				found[p.file] = file
			}
		}
	}
	return found
}

// lengths are those of names, in bytes: few others have the same, so few have to be compared. A letter whose lower case
// has another length is left out.
type lengths [1 << 10]bool

func (l *lengths) add(name string)      { l[len(name)%len(l)] = true }
func (l *lengths) has(name string) bool { return l[len(name)%len(l)] }

// paths returns a path and the directories above it, without the top.
func paths(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; ; at++ {
			next := strings.IndexByte(path[at:], '/')
			if next < 0 {
				break
			}
			if at += next; !yield(path[:at]) {
				return
			}
		}
		yield(path)
	}
}
