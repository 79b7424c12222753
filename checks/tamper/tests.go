package tamper

import (
	"slices"
	"strings"

	"ferrus/checks"
)

// testFile is what changed in one file of tests.
type testFile struct {
	path    string
	lang    *language
	deleted bool

	skips   []checks.LineChange // added
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

// left are the removed lines that did not come again, and how many other lines
// came in their place.
func (b *balance) left() (gone []checks.LineChange, came int) {
	added := slices.Clone(b.added)
	for _, l := range b.removed {
		if i := slices.Index(added, strings.TrimSpace(l.Text)); i >= 0 {
			added = slices.Delete(added, i, i+1)
		} else {
			gone = append(gone, l)
		}
	}
	return gone, len(added) + b.extra - b.gone
}

func (t *testFile) countLine(l checks.LineChange) {
	text := l.Text
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
	for _, path := range f.testPaths() {
		t := f.tests[path]
		if len(t.skips) > 0 {
			f.raise("skip-added", path).quotes(t.skips)
		}
		if t.deleted && testPath.MatchString(path) {
			continue
		}
		if gone, came := t.tests.left(); len(gone) > came {
			f.raise("tests-removed", path).quotes(gone)
		} else if len(gone) > 0 {
			f.raise("tests-renamed", path).quotes(gone)
		}
		f.asserted(t)
	}
}

// asserted raises assertions that went. In a file of code and tests they may be
// those of the code.
func (f *finder) asserted(t *testFile) {
	gone, came := t.asserts.left()
	if len(gone) == 0 {
		return
	}
	rule := "assertions-changed"
	if len(gone) > came {
		rule = "assertions-removed"
	}
	a := f.raise(rule, t.path)
	a.quotes(gone)
	if t.lang.mixed != nil && t.lang.mixed.MatchString(t.path) {
		a.NeedsHuman = false
	}
}

func (a *Alarm) quotes(lines []checks.LineChange) {
	for _, l := range lines {
		a.quote(l)
	}
}

func (f *finder) testPaths() []string {
	var all []string
	for path := range f.tests {
		all = append(all, path)
	}
	slices.Sort(all)
	return all
}

func sorted(all []Rule) []Rule {
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return all
}
