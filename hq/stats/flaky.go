package stats

import (
	"cmp"
	"maps"
	"slices"

	"ferrus/checks"
	"ferrus/checks/testnames"
)

// FlakyTests returns the names of the tests that passed in one of the gates and failed in
// another on the same tree, sorted.
func FlakyTests(gates []checks.Record) []string {
	type seen struct{ passed, failed bool }
	type run struct{ tree, command, name string }
	runs, flaky := map[run]seen{}, map[string]bool{}
	for _, g := range gates {
		if g.Tree.Hash == "" {
			continue
		}
		for _, c := range g.Commands {
			for name, outcome := range c.Names {
				at := run{g.Tree.Hash, c.Command, name}
				s := runs[at]
				s.passed = s.passed || outcome == testnames.Passed
				s.failed = s.failed || outcome == testnames.Failed
				if runs[at] = s; s.passed && s.failed {
					flaky[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(flaky))
}

// FlakyNames returns the names of the flaky tests, most affected tasks first.
func (s Sums) FlakyNames() []string {
	return slices.SortedFunc(maps.Keys(s.FlakyTests), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.FlakyTests[b], s.FlakyTests[a]), cmp.Compare(a, b))
	})
}
