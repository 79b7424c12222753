package gate

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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
	if BaseWanted(l.Task, l.world()) {
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
	if r := l.run(l.check()); r.Verdict != checks.Pass || r.Demands != nil || !BaseWanted(l.Task, l.world()) {
		t.Errorf("%s: %+v", r.Why, r.Demands)
	}
}

const (
	adds = ". ./lib.sh\ncommand -v add >/dev/null || exit 1\n[ $(add 1 2) = 3 ] || printf 'not '\necho 'ok " +
		"1 - adds'\n"
	addition  = "add() { echo $(($1+$2)); }\n"
	broken    = "add() { echo 4; }\n"
	threeWays = "plus() { echo $(($1+$2+$3)); }\n"
)

// The base's tests run once more on the new code, where files of tests changed.
func TestBaseTestsOnNewCode(t *testing.T) {
	t.Parallel()
	rename := strings.NewReplacer("add ", "sum ", "add(", "sum(").Replace
	for name, c := range map[string]struct {
		files map[string]string
		want  checks.Demands
	}{
		"a test is added":    {map[string]string{"tests/b.t": "echo 'ok 1 - more'\n"}, checks.Demands{}},
		"no test is changed": {map[string]string{"lib.sh": "# fast\n" + addition}, checks.Demands{}},
		"weakened": {map[string]string{"lib.sh": broken, "tests/a.t": strings.Replace(adds, "= 3", "= 4", 1)},
			checks.Demands{Fail: []string{"tap adds"}}},
		"a function is renamed": {map[string]string{"lib.sh": rename(addition), "tests/a.t": rename(adds)},
			checks.Demands{}},
		"a renaming hides a weaker test": {map[string]string{"lib.sh": rename(broken),
			"tests/a.t": strings.Replace(rename(adds), "= 3", "= 4", 1)}, checks.Demands{Fail: []string{"tap adds"}}},
		"a test is renamed": {map[string]string{"tests/a.t": "", "tests/c.t": adds}, checks.Demands{}},
		"called in another way": {map[string]string{"lib.sh": threeWays,
			"tests/a.t": strings.NewReplacer("add 1 2", "plus 1 2 0", "-v add", "-v plus >&1").Replace(adds)},
			checks.Demands{NotRun: []string{"tap adds"}}},
		"called in another way, and weaker": {map[string]string{"lib.sh": threeWays,
			"tests/a.t": "echo 'ok 1 - adds'\n"},
			checks.Demands{NotRun: []string{"tap adds"}, Lost: []string{"1", "2", "3", "'not '"}}},
		"a renamed function that is still there": {map[string]string{"lib.sh": broken + "sum() { echo 3; }\n",
			"tests/a.t": rename(adds)}, checks.Demands{Fail: []string{"tap adds"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "weakened" && name != "a function is renamed" {
				t.Skip("short: a pass and a failure are enough")
			}
			t.Parallel()
			l := newFixture(t, "for f in tests/*.t; do sh $f; done")
			l.ok(os.Mkdir(filepath.Join(l.Dir, "tests"), 0o755))
			l.write(filepath.Join(l.Dir, "lib.sh"), addition)
			l.write(filepath.Join(l.Dir, "tests", "a.t"), adds)
			l.pin(`protect = true`)
			for file, text := range c.files {
				if text == "" {
					l.ok(os.Remove(filepath.Join(l.Dir, file)))
					continue
				}
				l.write(filepath.Join(l.Dir, file), text)
			}
			r := l.run(l.check())
			if got := r.Demands; r.Verdict != checks.Pass || got == nil || !reflect.DeepEqual(*got, c.want) {
				t.Errorf("%s: %+v\n%s", r.Why, got, r.Report)
			}
		})
	}
}
