package checks

import (
	"slices"
	"strings"

	"ferrus/checks/testnames"
)

// Demands says what became of the tests of the tree that the work started from. Names
// are as shown to the human.
type Demands struct {
	Gone []string `json:"gone,omitempty"` // they ran there, and do not run now
	// Of the tests unchanged, run on the new code: these passed on the base and fail.
	Fail []string `json:"fail,omitempty"`
	// Commands run tests without naming them, passed on the base, and fail with the tests unchanged.
	Commands []string `json:"commands,omitempty"`
	// Tests that cannot run any more; Lost is what they demanded and no test demands now.
	NotRun []string `json:"not_run,omitempty"`
	Lost   []string `json:"lost,omitempty"`
	// Unsteady are tests that passed in one run on the tree, and failed in another.
	Unsteady []string `json:"unsteady,omitempty"`
	// Forged are the packages or files with a test of ferrus's own that the runner did not
	// report the way it ended.
	Forged []string `json:"forged,omitempty"`
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

// GoneCases returns the cases that passed before and run unchanged, but are missing now,
// though their test runs.
func GoneCases(before, unchanged, now testnames.Set) (gone []string) {
	is := now.Groups()
	for name, o := range before {
		siblings := is[testnames.Group(name)]
		// If the runner now names only files, nothing is known about their tests.
		named := !strings.Contains(name, " > ") || len(siblings) > 1
		if o == testnames.Passed && unchanged.Ran(name) && !now.Ran(name) && named && siblings != nil {
			gone = append(gone, testnames.Short(name))
		}
	}
	slices.Sort(gone)
	return gone
}

// Unchanged compares how tests ended before with how they end unchanged on new code: which
// of the passed ones fail, and which did not run. A test with cases counts by these.
func Unchanged(before, unchanged testnames.Set) (fail, notRun []string) {
	groups, moved := unchanged.Groups(), map[string]testnames.Outcome{}
	for name, o := range unchanged {
		if _, known := before[name]; !known {
			moved[testnames.Short(name)] = o
		}
	}
	for name, o := range before {
		if o != testnames.Passed {
			continue
		}
		now, ok := unchanged[name]
		if !ok {
			now = moved[testnames.Short(name)]
		}
		switch {
		case now == testnames.Failed:
			fail = append(fail, testnames.Short(name))
		case now == "" && groups[testnames.Group(name)] == nil:
			notRun = append(notRun, testnames.Short(testnames.Group(name)))
		}
	}
	slices.Sort(notRun)
	return leaves(fail), slices.Compact(notRun)
}

// leaves returns the names, in order, without tests that have cases among the names.
func leaves(names []string) (all []string) {
	slices.Sort(names)
	for _, name := range names {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name+"/") }) {
			all = append(all, name)
		}
	}
	return slices.Compact(all)
}
