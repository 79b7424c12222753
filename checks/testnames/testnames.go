// Package testnames reads the names of tests from what test runners print and write.
//
// A [Reader] takes the lines that a command prints. [WithNames] changes a command so that it
// prints names that it would omit, and a [GoDecoder] converts the output of such a go test
// back to the usual one. [ReadJUnit] reads reports.
//
// A name is what the runner prints, without times, hashes and line numbers, so that
// equal tests have equal names. Code that runs inside a test process can print any
// name, so names can be compared but prove nothing.
package testnames

import (
	"maps"
	"strings"
)

// Outcome is how a test ended.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "pass"
	Failed  Outcome = "fail"
	Skipped Outcome = "skip" // it did not run
)

// Set are tests by name.
type Set map[string]Outcome

// most is how many names are kept; more are left out.
const most = 200_000

// Add adds a test. One that ran several times failed if it failed once.
func (s Set) Add(name string, o Outcome) {
	was, known := s[name]
	if !known && len(s) >= most || was == Failed || was == Passed && o == Skipped {
		return
	}
	s[name] = o
}

// Merge adds the tests of another set.
func (s Set) Merge(more Set) {
	for name, o := range more {
		s.Add(name, o)
	}
}

// Ran reports whether a test ran, with whatever outcome.
func (s Set) Ran(name string) bool { return s[name] == Passed || s[name] == Failed }

// Groups returns the tests that ran, by group, see [Group].
func (s Set) Groups() map[string][]string {
	all := map[string][]string{}
	for name := range maps.Keys(s) {
		if s.Ran(name) {
			all[Group(name)] = append(all[Group(name)], name)
		}
	}
	return all
}

// What joins the parts of names: a package or file and its tests, and what jest describes.
const (
	inPackage = " "
	inFile    = "::"
	inSuite   = " > "
)

// Group returns the part of a name that is written down in a file of tests: a test
// function without its cases, or a file whose runner does not always name its tests.
func Group(name string) string {
	if file, _, ok := strings.Cut(name, inSuite); ok {
		return file
	}
	if at := strings.Index(name, inFile); at >= 0 {
		test, _, _ := strings.Cut(name[at:], "[")
		return name[:at] + test
	}
	if at := strings.Index(name, inPackage+"Test"); at >= 0 {
		test, _, _ := strings.Cut(name[at:], "/")
		return name[:at] + test
	}
	return name
}

// Short returns a name as it is shown: of go test without its package, of pytest
// without its module.
func Short(name string) string {
	if _, test, ok := strings.Cut(name, inFile); ok {
		return test
	}
	if _, test, ok := strings.Cut(name, inPackage); ok && goTest.MatchString(test) {
		return test
	}
	return name
}
