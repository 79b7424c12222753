package tamper

import (
	"slices"
	"strings"

	"ferrus/checks"
)

// cannotRerun begins what is said of tests in files of code: the older ones cannot be put back
// without the code.
const cannotRerun = "assertions changed in a code file, where the base's tests cannot be rerun"

// inlineChanged raises changed assertions in the module of tests of a file of code.
func (f *finder) inlineChanged(t *testFile, gone []checks.LineChange) bool {
	if t.lang.mixed == nil || !t.lang.mixed.MatchString(t.path) || !slices.ContainsFunc(gone, f.inTests) {
		return false
	}
	a := f.raise("assertions-removed", t.path)
	a.Why = cannotRerun
	a.quotes(gone)
	return true
}

// doctests raises examples in the text of code that are gone, or have another result, where examples are
// run as tests.
func (f *finder) doctests() {
	if !f.runsDoctests() {
		return
	}
	for _, file := range f.change.Files {
		if !pythonCode.MatchString(file.Was()) || file.Status == 'A' {
			continue
		}
		was, _ := f.change.Base(file.Was())
		now, _ := f.change.Present(file.Path)
		left := map[string]int{}
		for _, e := range examples(now) {
			left[e.text]++
		}
		var a *Alarm
		for _, e := range examples(was) {
			if left[e.text]--; left[e.text] >= 0 {
				continue
			}
			if a == nil {
				a = f.raise("assertions-removed", file.Path)
				a.Why = cannotRerun
			}
			a.quote(checks.LineChange{Path: file.Path, Number: e.line, Text: e.text})
		}
	}
}

// runsDoctests reports whether the commands, or the settings of their runner, name doctest.
func (f *finder) runsDoctests() bool {
	const word = "doctest"
	if slices.ContainsFunc(f.change.Commands, func(c checks.Command) bool { return strings.Contains(c.Run, word) }) {
		return true
	}
	return slices.ContainsFunc([]string{"pytest.ini", ".pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"},
		func(name string) bool {
			text, _ := f.change.Base(f.change.Prefix + name)
			return strings.Contains(text, word)
		})
}

// doctest is what an example calls and the result that it demands.
type doctest struct {
	text string
	line int
}

// examples returns the examples of a text.
func examples(text string) (all []doctest) {
	open := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ">>>"):
			all, open = append(all, doctest{line, i + 1}), true
		case line == "" || strings.HasPrefix(line, `"""`) || strings.HasPrefix(line, "'''"):
			open = false
		case open:
			all[len(all)-1].text += " " + line
		}
	}
	return all
}
