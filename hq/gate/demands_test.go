package gate

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/core"
)

// Names of tests are compared with those of the base, even if the base had not run before.
func TestTestsThatAreGone(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	l := newFixture(t, "cat suite; true")
	l.write(filepath.Join(l.Dir, "suite"), "ok 1 - adds\nok 2 - subtracts\n")
	l.pin(`allow_none = true`)
	l.write(filepath.Join(l.Dir, "suite"), "ok 1 - adds\nok 2 - multiplies # skip later\n")
	for range 2 {
		r := l.run(l.check())
		if r.Verdict != checks.Pass || r.Demands == nil || !slices.Equal(r.Demands.Gone, []string{"tap subtracts"}) {
			t.Errorf("%s: the demands are %+v, want a pass with tap subtracts gone", r.Why, r.Demands)
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
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "true")
	l.write(filepath.Join(l.Dir, "main.go"), "package other\n")
	if r := l.run(l.check()); r.Verdict != checks.Pass || r.Demands != nil || !BaseWanted(l.Task, l.world()) {
		t.Errorf("%s: the demands are %+v, want a pass without any", r.Why, r.Demands)
	}
}

const (
	adds = ". ./lib.sh\ncommand -v add >/dev/null || exit 1\n[ $(add 1 2) = 3 ] || printf 'not '\necho 'ok " +
		"1 - adds'\n"
	addition  = "add() { echo $(($1+$2)); }\n"
	broken    = "add() { echo 4; }\n"
	threeWays = "plus() { echo $(($1+$2+$3)); }\n"
)

// If test files changed, the base's tests run once more on the new code.
func TestBaseTestsOnNewCode(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
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
				t.Errorf("%s: the demands are %+v, want a pass with %+v\n%s", r.Why, got, c.want, r.Report)
			}
		})
	}
}

// Where a runner names no tests, the command tells whether those of the base pass. Data and code
// that only tests use count as theirs.
func TestBaseTestsWithoutNames(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	const weak = "[ $(cat lib) = 41 ]\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  checks.Demands
	}{
		"weakened": {map[string]string{"lib": "41\n", "tests/a.sh": weak},
			checks.Demands{Commands: []string{"sh tests/run.sh"}}},
		"a test is added": {map[string]string{"lib": "42\n# more", "tests/b.sh": "true\n"}, checks.Demands{}},
		"data of tests": {map[string]string{"lib": "41\n", "data/want.txt": "41\n"},
			checks.Demands{Commands: []string{"sh tests/run.sh"}}},
		"data of the code, too": {map[string]string{"lib": "42\n\n", "data/used.txt": "2\n"}, checks.Demands{}},
		"an assertion": {map[string]string{"lib": "41\n", "helper.py": "assert True\n"},
			checks.Demands{Commands: []string{"sh tests/run.sh"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "weakened" {
				t.Skip("short: one is enough")
			}
			t.Parallel()
			l := newFixture(t, "sh tests/run.sh", "true")
			for _, dir := range []string{"tests", "data"} {
				l.ok(os.Mkdir(filepath.Join(l.Dir, dir), 0o755))
			}
			l.write(filepath.Join(l.Dir, "lib"), "42\n")
			l.write(filepath.Join(l.Dir, "main.sh"), "cat data/used.txt\n")
			l.write(filepath.Join(l.Dir, "data", "want.txt"), "42\n")
			l.write(filepath.Join(l.Dir, "data", "used.txt"), "1\n")
			l.write(filepath.Join(l.Dir, "helper.py"), "assert open('lib').read() == '42\\n'\n")
			l.write(filepath.Join(l.Dir, "tests", "run.sh"), "set -e\nfor f in tests/[a-q]*.sh; do . $f; done\n")
			l.write(filepath.Join(l.Dir, "tests", "a.sh"), "[ $(sed 1q lib) = $(cat data/want.txt) ]\n"+
				"grep -q True helper.py || [ $(sed 1q lib) = 42 ]\n")
			l.pin(`protect = true`)
			for file, text := range c.files {
				if name == "data of tests" { // only the data demands it here
					l.write(filepath.Join(l.Dir, "helper.py"), "assert True\n")
				}
				l.write(filepath.Join(l.Dir, file), text)
			}
			if name == "an assertion" {
				l.write(filepath.Join(l.Dir, "data", "want.txt"), "41\n")
			}
			r := l.run(l.check())
			if got := r.Demands; r.Verdict != checks.Pass || got == nil || !reflect.DeepEqual(*got, c.want) {
				t.Errorf("%s: the demands are %+v, want a pass with %+v\n%s", r.Why, got, c.want, r.Report)
			}
		})
	}
}

// Commands that write files of the tree prove a different tree, unless they do so on the base as
// well.
func TestRewrittenTree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gen  string
		want []string
	}{
		"what the base writes": {"echo formatted >made.txt", nil},
		"another file":         {"echo formatted >made.txt; echo x >>main.go", []string{"main.go"}},
		"put back": {"cp main.go /tmp/$$; echo x >main.go; cat /tmp/$$ >main.go; rm /tmp/$$",
			[]string{"main.go"}},
		"a new file": {"echo x >new.txt; echo x >a.lock", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "put back" {
				t.Skip("short: one is enough")
			}
			t.Parallel()
			l := newFixture(t, "sh gen.sh")
			l.write(filepath.Join(l.Dir, "gen.sh"), "echo again >made.txt\n")
			l.write(filepath.Join(l.Dir, "made.txt"), "made\n")
			l.write(filepath.Join(l.Dir, "a.lock"), "1\n")
			l.pin(`protect = true`)
			l.write(filepath.Join(l.Dir, "gen.sh"), c.gen+"\n")
			if r := l.run(l.check()); r.Verdict != checks.Pass || !slices.Equal(r.Rewritten, c.want) {
				t.Errorf("%s: rewritten are %q, want a pass with %q", r.Why, r.Rewritten, c.want)
			}
		})
	}
}

// A tree that fails and then passes is FLAKY.
func TestFailedBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	l := newFixture(t, "test -f $OUT/lucky")
	l.write(filepath.Join(l.Dir, "main.go"), "package lucky\n")
	first := l.check()
	if r := l.run(first); r.Verdict != checks.Fail || r.FailedBefore != nil {
		t.Fatalf("%s: failed before: %v, want a failure that is the first", r.Why, r.FailedBefore)
	}
	l.write(filepath.Join(l.out, "lucky"), "")
	if r := l.run(l.check()); r.Verdict != checks.Flaky || !slices.Equal(r.FailedBefore, []uint64{first}) {
		t.Errorf("%s: failed before: %v, want FLAKY after the first failure", r.Why, r.FailedBefore)
	}
	l.write(filepath.Join(l.Dir, "main.go"), "package other\n")
	if r := l.run(l.check()); r.Verdict != checks.Pass || r.FailedBefore != nil {
		t.Errorf("%s: failed before: %v, want a pass", r.Why, r.FailedBefore)
	}
}

// FLAKY counts wherever the other verdict was seen: in a gate that you forced or in another task,
// in either order. Your decision about a tree ends it.
func TestFlakyWhereverItWasSeen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	l := newFixture(t, "test -f $OUT/lucky")
	force := func() Record {
		t.Helper()
		r, err := Force(t.Context(), l.Task, Options{Name: "forced"})
		l.ok(err)
		return r
	}
	if r := force(); r.Verdict != checks.Fail {
		t.Fatalf("the gate says %s: %s; want a failure", r.Verdict, r.Why)
	}
	l.write(filepath.Join(l.out, "lucky"), "")
	r := l.run(l.check())
	want := "FLAKY: the checks failed on this very tree (gate forced) before they passed"
	if r.Verdict != checks.Flaky || r.Why != want {
		t.Errorf("r.Verdict is %v, want %v; r.Why is %v, want %v", r.Verdict, checks.Flaky, r.Why, want)
	}
	lines, err := l.Store.Journal(0)
	if l.ok(err); !strings.HasPrefix(lines[len(lines)-1].Why, "FLAKY: ") {
		t.Errorf("the journal has %q", lines[len(lines)-1].Why)
	}
	w := l.world()
	if w.State != "Checking" || w.Gate.Verdict != checks.Flaky || w.CheckRetries != 0 {
		t.Errorf("the task is %s: %+v", w.State, w.Gate)
	}
	all := l.Alarms(t.Context(), w, r.Tree.Hash)
	if !slices.ContainsFunc(all, func(a core.Alarm) bool { return a.Rule == "failed-before" && a.NeedsHuman }) {
		t.Errorf("the alarms are %+v", all)
	}
	l.ok(l.AcceptVerdicts(r.Tree.Hash))
	if r := force(); r.Verdict != checks.Pass {
		t.Errorf("after you decided: %s", r.Why)
	}
	l.ok(os.Remove(filepath.Join(l.out, "lucky")))
	want = "FLAKY: the checks passed on this very tree"
	if r := force(); r.Verdict != checks.Flaky || !strings.HasPrefix(r.Why, want) {
		t.Errorf("it failed after it passed: %s", r.Why)
	}
}
