package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// died raises the tests of a file whose lines are still there, and that no runner sees any more: they
// are in a comment, in a string, behind the end of the code, below a condition, in a class that is not
// collected, or another test of the same name takes their place.
func (f *finder) died(t *testFile) {
	was, ok := f.change.Base(f.olderName(t.path))
	now, here := f.change.Present(t.path)
	if !ok || !here {
		return
	}
	before, gone := map[string]int{}, []checks.LineChange(nil)
	readTests(t, was, func(l checks.LineChange, live bool) {
		if live {
			before[strings.TrimSpace(l.Text)]++
		}
	})
	dead := []checks.LineChange{}
	readTests(t, now, func(l checks.LineChange, live bool) {
		if live {
			before[strings.TrimSpace(l.Text)]--
		} else {
			dead = append(dead, l)
		}
	})
	gone = append(gone, f.shadowed(t, was, now)...)
	gone = append(gone, t.unstarted(now)...)
	for _, l := range dead {
		if text := strings.TrimSpace(l.Text); before[text] > 0 {
			before[text]--
			gone = append(gone, l)
		}
	}
	if len(gone) > 0 {
		f.raise("tests-removed", t.path).quotes(gone)
	}
}

// shadowed returns the tests in Python of a text that a later one hides, and did not hide before.
func (f *finder) shadowed(t *testFile, was, now string) (hidden []checks.LineChange) {
	if t.lang.name != "python" {
		return nil
	}
	known := map[string]int{}
	for _, text := range []string{was, now} {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			switch plain := strings.TrimSpace(line); {
			case !isShadowed(lines, i):
			case text == was:
				known[plain]++
			case known[plain] > 0:
				known[plain]--
			default:
				hidden = append(hidden, checks.LineChange{Path: t.path, Number: i + 1, Added: true, Text: line})
			}
		}
	}
	return hidden
}

// unstarted returns the tests in Python that became coroutines and wait for nothing: without a plugin nothing runs
// them. And the tests in Java that became private.
func (t *testFile) unstarted(now string) (all []checks.LineChange) {
	lines := strings.Split(now, "\n")
	for _, l := range t.came {
		plain, async := strings.CutPrefix(strings.TrimSpace(l.Text), "async def test")
		became := async && slices.ContainsFunc(t.went, func(was checks.LineChange) bool {
			return strings.TrimSpace(was.Text) == "def test"+plain
		})
		hidden := t.lang.name == "java" && privateMethod.MatchString(l.Text) && l.Number > 1 &&
			l.Number <= len(lines) && t.lang.test.MatchString(lines[l.Number-2])
		if became && !strings.Contains(now, "await ") && !strings.Contains(now, "async with") || hidden {
			all = append(all, l)
		}
	}
	return all
}

// privateMethod is a method that no runner sees.
var privateMethod = lazyregexp.New(`^\s*private\s+(?:void|fun)\b`)

// readTests calls f with each line of a text that begins a test, and whether a runner sees it.
func readTests(t *testFile, text string, f func(l checks.LineChange, live bool)) {
	lines := strings.Split(text, "\n")
	dead := deadLines(path.Ext(t.path), lines)
	for i, line := range lines {
		if !t.lang.test.MatchString(line) {
			continue
		}
		live := !dead[i] && (t.lang.name != "python" || !isHiddenInPython(lines, i))
		f(checks.LineChange{Path: t.path, Number: i + 1, Added: true, Text: line}, live)
	}
}

// deadText is how one language begins and ends text that is no code.
type deadText struct{ begin, end *lazyregexp.Regexp }

var (
	slashes  = deadText{lazyregexp.New(`^\s*/\*`), lazyregexp.New(`\*/`)}
	disabled = deadText{lazyregexp.New(`^\s*#\s*if\s+(?:0|false)\b`), lazyregexp.New(`^\s*#\s*(?:endif|else)\b`)}
	backtick = deadText{lazyregexp.New("^[^`/]*`[^`]*$"), lazyregexp.New("`")}
	double   = deadText{lazyregexp.New(`^[^"'#]*[rRbBuUfF]?"""(?:[^"]|"[^"]|""[^"])*$`), lazyregexp.New(`"""`)}
	single   = deadText{lazyregexp.New(`^[^"'#]*[rRbBuUfF]?'''(?:[^']|'[^']|''[^'])*$`), lazyregexp.New(`'''`)}
	rubyText = deadText{lazyregexp.New(`^=begin\b`), lazyregexp.New(`^=end\b`)}
	rest     = deadText{lazyregexp.New(`^__(?:END|DATA)__\s*$`), lazyregexp.New(`^\x00`)}
)

// deadTexts has the patterns of a language, by the extension of its files.
var deadTexts = map[string][]deadText{
	".go": {slashes, backtick}, ".rs": {slashes}, ".py": {double, single}, ".rb": {rubyText, rest},
	".pl": {rest}, ".t": {rest},
	".c": {slashes, disabled}, ".cc": {slashes, disabled}, ".cpp": {slashes, disabled}, ".cs": {slashes, disabled},
	".java": {slashes}, ".kt": {slashes}, ".groovy": {slashes}, ".scala": {slashes}, ".swift": {slashes, disabled},
	".php": {slashes}, ".js": {slashes, backtick}, ".ts": {slashes, backtick}, ".jsx": {slashes, backtick},
	".tsx": {slashes, backtick}, ".mjs": {slashes, backtick}, ".cjs": {slashes, backtick}, ".dart": {slashes},
}

// deadLines returns which lines are inside of text that is no code.
func deadLines(ext string, lines []string) []bool {
	dead := make([]bool, len(lines))
	var in *deadText
	for i, line := range lines {
		if in == nil {
			for _, one := range deadTexts[ext] {
				if at := one.begin.FindStringIndex(line); at != nil {
					in = &one
					line = line[at[1]:]
					break
				}
			}
			if in == nil {
				continue
			}
		}
		dead[i] = true
		if in.end.MatchString(line) {
			in = nil
		}
	}
	return dead
}

var (
	pythonBlock   = lazyregexp.New(`^(\s*)(?:if|elif|else|while|for|try|except|with|def|async def|match|case)\b`)
	pythonTest    = lazyregexp.New(`^(\s*)(?:async\s+)?def (test\w*)\(`)
	pythonFixture = lazyregexp.New(`^\s*@(?:pytest\.)?fixture\b`)
	pythonClass   = lazyregexp.New(`^(\s*)class (\w+)`)
)

// isHiddenInPython reports whether pytest does not collect the test that begins at a line: it is in
// a block that may not run, or in a class whose name does not say that it has tests.
func isHiddenInPython(lines []string, at int) bool {
	m := pythonTest.FindStringSubmatch(lines[at])
	if m == nil {
		return false
	}
	if at > 0 && pythonFixture.MatchString(lines[at-1]) {
		return true
	}
	for i, depth := at-1, m[1]; i >= 0 && depth != ""; i-- {
		if m := pythonBlock.FindStringSubmatch(lines[i]); m != nil && len(m[1]) < len(depth) {
			return true
		}
		if m := pythonClass.FindStringSubmatch(lines[i]); m != nil && len(m[1]) < len(depth) {
			parent := strings.Contains(lines[i], "(") && !strings.Contains(lines[i], "(object)")
			if !strings.HasPrefix(m[2], "Test") && !parent {
				return true // One with a parent may be a unittest.TestCase.
			}
			depth = m[1]
		}
	}
	return false
}

// isShadowed reports whether a later function of the same name in the same block takes the place of
// the test that begins at a line in Python.
func isShadowed(lines []string, at int) bool {
	begin := pythonTest.FindStringSubmatch(lines[at])
	if begin == nil || isHiddenInPython(lines, at) {
		return false
	}
	for _, line := range lines[at+1:] {
		if m := pythonTest.FindStringSubmatch(line); m != nil && m[1] == begin[1] && m[2] == begin[2] {
			return true
		}
		if c := pythonClass.FindStringSubmatch(line); c != nil && len(c[1]) < len(begin[1]) {
			return false
		}
	}
	return false
}
