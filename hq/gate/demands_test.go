package gate

import (
	"path/filepath"
	"slices"
	"testing"

	"ferrus/checks"
)

// Names of tests are compared with those of the base, also where that did not run before.
func TestTestsThatAreGone(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "cat suite; true")
	l.write(filepath.Join(l.Dir, "suite"), "ok 1 - adds\nok 2 - subtracts\n")
	l.pin(`allow_none = true`)
	l.write(filepath.Join(l.Dir, "suite"), "ok 1 - adds\nok 2 - multiplies # skip later\n")
	for range 2 {
		r := l.run(l.check())
		if r.Verdict != checks.Pass || r.Demands == nil || !slices.Equal(r.Demands.Gone, []string{"tap subtracts"}) {
			t.Errorf("%s: %+v", r.Why, r.Demands)
		}
	}
	if BaseWanted(l.Project, l.world()) {
		t.Error("the base did not run")
	}
	l.write(filepath.Join(l.Dir, "suite"), "ok 2 - subtracts\nok 1 - adds\n")
	if r := l.run(l.check()); r.Demands == nil || len(r.Demands.Gone) != 0 {
		t.Errorf("all run: %+v", r.Demands)
	}
}

// Without names nothing is compared, and no base runs.
func TestNoTestsNoBase(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	l.write(filepath.Join(l.Dir, "main.go"), "package other\n")
	if r := l.run(l.check()); r.Verdict != checks.Pass || r.Demands != nil || !BaseWanted(l.Project, l.world()) {
		t.Errorf("%s: %+v", r.Why, r.Demands)
	}
}
