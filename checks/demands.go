package checks

import (
	"slices"

	"ferrus/checks/testnames"
)

// Demands are what became of the tests of the tree that the work started from. Names are
// as they are shown.
type Demands struct {
	Gone []string `json:"gone,omitempty"` // they ran there, and do not run now
}

// Gone returns the tests that ran in one run and not in another, in order. Cases of a test
// count as that test, and one that runs in another package has only moved.
func Gone(before, now testnames.Set) (gone []string) {
	was, is := before.Groups(), now.Groups()
	moved := map[string]int{}
	for group := range is {
		if was[group] == nil {
			moved[testnames.Short(group)]++
		}
	}
	for group := range was {
		name := testnames.Short(group)
		if is[group] != nil {
			continue
		}
		if moved[name] > 0 {
			moved[name]--
			continue
		}
		gone = append(gone, name)
	}
	slices.Sort(gone)
	return gone
}
