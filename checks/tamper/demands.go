package tamper

import (
	"fmt"
	"strings"
)

// ForgedResults is the rule that a runner raises that does not report what ferrus added.
const ForgedResults = "results-forged"

// namesShown is how many tests an alarm names.
const namesShown = 5

// demands raises what became of the tests that there were when the task started.
func (f *finder) demands() {
	d := f.change.Demands
	if d == nil {
		return
	}
	if len(d.Forged) > 0 {
		f.raise(ForgedResults, "").Why = "a test that fails, which ferrus added to " + listed(d.Forged) +
			", was not reported as failed: what the checks print is not what their tests do"
	}
	if len(d.Unsteady) > 0 {
		f.raise("failed-before", "").Why = listed(d.Unsteady) +
			" passed in one run on this very tree and failed in another"
	}
	if len(d.Gone) > 0 {
		f.raise("tests-gone", "").Why = listed(d.Gone) + " ran on the base and no longer " +
			verb(d.Gone, "runs", "run")
	}
	if len(d.Fail) > 0 {
		f.raise("base-tests-fail", "").Why = listed(d.Fail) + ", unchanged since the base, " +
			verb(d.Fail, "fails", "fail")
	}
	if len(d.Commands) > 0 {
		f.raise("base-tests-fail", "").Why = "with the base's unchanged tests, " + listed(d.Commands) + " " +
			verb(d.Commands, "fails", "fail")
	}
	if len(d.NotRun) == 0 {
		return
	}
	words := listed(d.NotRun) + " from the base cannot run on the new code"
	if len(d.Lost) == 0 {
		f.raise("base-tests-replaced", "").Why = words + "; the new tests check the same"
		return
	}
	f.raise("base-tests-lost", "").Why = words + ", and no test checks any longer: " + listed(d.Lost)
}

// listed names the first of some tests.
func listed(names []string) string {
	shown := strings.Join(names[:min(len(names), namesShown)], ", ")
	if more := len(names) - namesShown; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}

// verb returns the form of a verb for one name or several.
func verb(names []string, one, several string) string {
	if len(names) == 1 {
		return one
	}
	return several
}
