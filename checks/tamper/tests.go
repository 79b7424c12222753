package tamper

import (
	"maps"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// testFile is what changed in one file of tests.
type testFile struct {
	path    string
	lang    *language
	deleted bool

	came    []checks.LineChange // all that were added
	went    []checks.LineChange // all that were removed
	skips   []checks.LineChange // added
	tags    []checks.LineChange
	tests   balance
	asserts balance
}

// balance are lines of one kind that went, and how many came. The same line that
// went and came has only moved.
type balance struct {
	removed []checks.LineChange
	added   []string
	extra   int // added lines beyond those kept
	gone    int // removed lines beyond those kept
}

// kept bounds what is remembered of one file.
const kept = 2000

func (b *balance) count(l checks.LineChange) {
	switch {
	case l.Added && len(b.added) < kept:
		b.added = append(b.added, strings.TrimSpace(l.Text))
	case l.Added:
		b.extra++
	case len(b.removed) < kept:
		b.removed = append(b.removed, l)
	default:
		b.gone++
	}
}

// left returns the removed lines that did not come again, and how many other lines
// came in their place.
func (b *balance) left() (gone []checks.LineChange, came int) {
	gone, added := b.unmoved()
	return gone, len(added) + b.extra - b.gone
}

// unmoved returns the kept lines that went and came, without lines that only moved.
func (b *balance) unmoved() (gone []checks.LineChange, came []string) {
	came = slices.Clone(b.added)
	for _, l := range b.removed {
		if i := slices.Index(came, strings.TrimSpace(l.Text)); i >= 0 {
			came = slices.Delete(came, i, i+1)
		} else {
			gone = append(gone, l)
		}
	}
	return gone, came
}

func (t *testFile) countLine(l checks.LineChange) {
	text := l.Text
	if l.Added && len(t.came) < kept {
		t.came = append(t.came, l)
	}
	if !l.Added && len(t.went) < kept {
		t.went = append(t.went, l)
	}
	t.countTag(l)
	if l.Added && t.lang.skip.MatchString(text) {
		if len(t.skips) < kept {
			t.skips = append(t.skips, l)
		}
		return
	}
	if t.lang.test.MatchString(text) {
		t.tests.count(l)
	}
	if t.lang.assert.MatchString(text) {
		t.asserts.count(l)
	}
}

// weakened raises what the lines of test files came to. A deleted file has an
// alarm of its own.
func (f *finder) weakened() {
	moved := f.movedLines()
	for _, path := range f.testPaths() {
		t := f.tests[path]
		f.skipped(t)
		f.tagged(t)
		f.vacuous(t)
		if t.deleted {
			f.deleted(t, moved)
			if testPath.MatchString(path) {
				continue
			}
		}
		if gone, came := t.tests.left(); len(gone) > came {
			f.raiseGone("tests-removed", t, gone, moved)
		} else if len(gone) > 0 {
			f.raise("tests-renamed", path).quotes(gone)
		}
		f.asserted(t, moved)
		f.cases(t)
		if f.status(path) != 'A' {
			f.died(t)
		}
	}
}

// skipped raises skips that came. What leaves out nothing that ran is for the reviewer.
func (f *finder) skipped(t *testFile) {
	f.conditions(t)
	if len(t.skips) == 0 {
		return
	}
	a := f.raise("skip-added", t.path)
	a.quotes(t.skips)
	a.NeedsHuman = slices.ContainsFunc(t.skips, func(l checks.LineChange) bool { return !f.isOrdinarySkip(t, l) })
}

// movedLines are the lines that came into files of tests and went nowhere there, by their
// text: what went elsewhere may have moved to them.
type movedLines map[string]int

func (f *finder) movedLines() movedLines {
	all := movedLines{}
	for path, t := range f.tests {
		if unseen.MatchString(path) || leftOut.MatchString(path) {
			continue // No runner reads it.
		}
		for _, b := range []*balance{&t.tests, &t.asserts} {
			_, came := b.unmoved()
			for _, text := range came {
				all[text]++
			}
		}
	}
	return all
}

// claim uses up lines that came; false if one of them did not come.
func (m movedLines) claim(lines []checks.LineChange) bool {
	for i, l := range lines {
		text := strings.TrimSpace(l.Text)
		if m[text]--; m[text] < 0 {
			for _, l := range lines[:i+1] {
				m[strings.TrimSpace(l.Text)]++
			}
			return false
		}
	}
	return true
}

// raiseGone raises lines that went, or that they are in another file now.
func (f *finder) raiseGone(rule string, t *testFile, gone []checks.LineChange, moved movedLines) *Alarm {
	if t.tests.gone == 0 && t.asserts.gone == 0 && moved.claim(gone) {
		rule = "tests-moved"
	}
	a := f.raise(rule, t.path)
	a.quotes(gone)
	return a
}

// deleted raises a file of tests that is known by its text, and leaves one to the reviewer
// whose tests are in other files now.
func (f *finder) deleted(t *testFile, moved movedLines) {
	all := slices.Concat(t.tests.removed, t.asserts.removed)
	same := len(t.tests.removed) > 0 && t.tests.gone == 0 && t.asserts.gone == 0 && moved.claim(all)
	raised := false
	for _, a := range f.alarms {
		if a.Rule == "test-deleted" && a.Path == t.path {
			a.NeedsHuman, raised = !same, true
		}
	}
	if !raised && !same && len(t.tests.removed) > 0 {
		f.raise("test-deleted", t.path).quotes(t.tests.removed)
	}
}

// asserted raises assertions that went. In a file of code and tests they may be
// those of the code.
func (f *finder) asserted(t *testFile, moved movedLines) {
	gone, came := t.asserts.left()
	gone = f.withoutSetUp(t, gone)
	if len(gone) == 0 {
		return
	}
	if len(gone) <= came {
		if f.inlineChanged(t, gone) {
			return
		}
		a := f.raise("assertions-changed", t.path)
		a.quotes(gone)
		if weaker := t.weakened(gone); len(weaker) > 0 {
			a.NeedsHuman = true
			a.Why = "assertions are changed, and hold for more values"
			a.quotes(weaker)
		}
		return
	}
	a := f.raiseGone("assertions-removed", t, gone, moved)
	if t.lang.mixed != nil && t.lang.mixed.MatchString(t.path) {
		a.NeedsHuman = a.NeedsHuman && slices.ContainsFunc(gone, f.inTests)
	}
}

// withoutSetUp leaves out the checks of errors of what a test prepares, where the testing package
// does that now, which fails the test by itself.
func (f *finder) withoutSetUp(t *testFile, gone []checks.LineChange) []checks.LineChange {
	was, _ := f.change.Base(f.olderName(t.path))
	lines := strings.Split(was, "\n")
	return slices.DeleteFunc(gone, func(l checks.LineChange) bool {
		for _, at := range []int{l.Number - 2, l.Number - 3} { // "if err != nil {" may be between
			if at < 0 || at >= len(lines) {
				continue
			}
			if call := setsUp.FindStringSubmatch(lines[at]); call != nil && strings.Contains(l.Text, "err") {
				return slices.ContainsFunc(t.came, func(c checks.LineChange) bool {
					return strings.Contains(c.Text, "."+setUpIn[call[1]]+"(")
				})
			}
		}
		return false
	})
}

// setsUp is a call for which the testing package has one of its own, in setUpIn.
var (
	setsUp  = lazyregexp.New(`\b(?:os|ioutil)\.(TempDir|MkdirTemp|Setenv|Chdir)\(`)
	setUpIn = map[string]string{"TempDir": "TempDir", "MkdirTemp": "TempDir", "Setenv": "Setenv", "Chdir": "Chdir"}
)

func (a *Alarm) quotes(lines []checks.LineChange) {
	for _, l := range lines {
		a.quote(l)
	}
}

func (f *finder) testPaths() []string {
	return slices.Sorted(maps.Keys(f.tests))
}
