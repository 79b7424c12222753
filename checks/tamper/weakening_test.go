package tamper

import (
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
)

// weakening is a change that a rule raises, or an ordinary one, that none raises for the human.
type weakening struct {
	status    byte // 0: M, or A where there was no text
	path      string
	was, now  string
	commands  string // empty: go test ./...
	modes     [2]string
	alongside []checks.FileChange
	files     map[string]string // others, in both trees
}

// change returns what Find is given: all lines of both texts that differ from the beginning and
// the end on.
func (w weakening) change() Change {
	c := Change{Commands: []checks.Command{{Run: "go test ./..."}}, AgentSettings: []string{".agent", ".env"}}
	if w.commands != "" {
		c.Commands[0].Run = w.commands
	}
	status := w.status
	switch {
	case status != 0:
	case w.was == "":
		status = 'A'
	case w.now == "":
		status = 'D'
	default:
		status = 'M'
	}
	c.Files = append(w.alongside, checks.FileChange{Path: w.path, Status: status, Modes: w.modes})
	one := func(text string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			if other, ok := w.files[name]; ok {
				return other, true
			}
			return text, name == w.path && text != ""
		}
	}
	c.Base, c.Present = one(w.was), one(w.now)
	c.Lines = func(f func(checks.LineChange)) error {
		was, now := strings.Split(w.was, "\n"), strings.Split(w.now, "\n")
		first := 0
		for first < len(was) && first < len(now) && was[first] == now[first] {
			first++
		}
		end := 0
		for end < len(was)-first && end < len(now)-first && was[len(was)-1-end] == now[len(now)-1-end] {
			end++
		}
		for i := first; i < len(was)-end; i++ {
			f(checks.LineChange{Path: w.path, Number: i + 1, Text: was[i]})
		}
		for i := first; i < len(now)-end; i++ {
			f(checks.LineChange{Path: w.path, Number: i + 1, Added: true, Text: now[i]})
		}
		return nil
	}
	return c
}

func TestWeakerChangesNeedTheHuman(t *testing.T) {
	t.Parallel()
	mustNeedHuman(t, weakenings)
	mustNeedHuman(t, moreWeakenings)
	mustNeedHuman(t, buildWeakenings)
}

func mustNeedHuman(t *testing.T, weakenings map[string][]weakening) {
	t.Helper()
	for rule, all := range weakenings {
		for _, w := range all {
			alarms, err := Find(w.change())
			if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool {
				return a.Rule == rule && a.Path == w.path && a.NeedsHuman
			}) {
				t.Errorf("%s: %s %q is not raised, but %+v, %v", rule, w.path, w.now, alarms, err)
			}
		}
	}
}

// A test is also identified by its imports and its module.
func TestTestsAreKnownByTheirText(t *testing.T) {
	t.Parallel()
	inline := "fn x() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(x(), 1);\n  " +
		"  }\n}\n"
	for _, c := range []struct {
		rule string
		weakening
	}{
		{"assertions-removed", weakening{path: "src/lib.rs", was: inline,
			now: strings.Replace(inline, "        assert_eq!(x(), 1);\n", "", 1)}},
		{"skip-added", weakening{path: "test_a.py", was: "x\n", now: "x\nclass TestA:\n    __test__ = False\n"}},
		{"skip-added", weakening{path: "test_a.py", was: "x\n", now: "x\ndef load_tests(loader, tests, pattern):\n"}},
		{"skip-added", weakening{path: "a.test.js", was: "x\n", now: "x\nit.concurrent.skip('a', f)\n"}},
		{"skip-added", weakening{path: "tests/a.rs", was: "#[test]\nfn a() {}\n", now: "#[test]\n#[should_panic]\n" +
			"fn a() {}\n"}},
		{"skip-added", weakening{path: "src/a.rs", was: "#[cfg(test)]\nmod tests {}\n",
			now: "#[cfg(all(test, feature = \"x\"))]\nmod tests {}\n"}},
		{"tests-removed", weakening{path: "checks/verify.py", was: "import pytest\n\ndef test_a():\n   " +
			" pass\n", now: "import pytest\n"}},
		{"skip-added", weakening{path: "a_test.go", was: "x\nif a() {\n\tt.Skip()\n}\n",
			now: "x\nif a() != b() {\n\tt.Skip()\n}\n"}},
		{"skip-added", weakening{path: "test_a.py", was: "@pytest.mark.skipif(\n    sys.platform == 'win32',\n",
			now: "@pytest.mark.skipif(\n    sys.version > '2',\n"}},
		{"skip-added", weakening{path: "verify.js", was: "const { test } = require('node:test')\ntest('a', () => {})\n",
			now: "const { test } = require('node:test')\ntest.skip('a', () => {})\n"}},
		{"skip-added", weakening{path: "a_test.go", was: "func TestA(t *testing.T) {\n\tt.Error(1)\n}\n",
			now: "func TestA(t *testing.T) {\n\tif !testing.Short() {\n\t\treturn\n\t}\n\tt.Error(1)\n}\n"}},
		{"assertions-removed", weakening{path: "a_test.go",
			was: "x\n\tdir, err := os.MkdirTemp(\"\", \"a\")\n\trequire.NoError(t, err)\n" +
				"\trequire.NoError(t, b(dir))\n", now: "x\n\tdir := t.TempDir()\n\tb(dir)\n"}},
		{"skip-added", weakening{path: "a_test.go", was: "x\n",
			now: "x\nif testing.Short() {\n\tt.Skip()\n}\n", commands: "go test -short ./..."}},
		{"test-deleted", weakening{path: "suite.py", was: "import unittest\n\nclass A(unittest.TestCase):\n    def" +
			" test_a(self):\n"}},
	} {
		alarms, err := Find(c.change())
		if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool {
			return a.Rule == c.rule && a.NeedsHuman
		}) {
			t.Errorf("%s is missing in %+v, %v", c.rule, alarms, err)
		}
	}
}

func changeOf(text string) Change { return change(text, "go test ./...") }

// A comment that ends before code does not hide the code.
func TestCodeBehindAComment(t *testing.T) {
	t.Parallel()
	for _, w := range []weakening{
		{path: "lib/a.go", was: "package lib\n", now: "package lib\n/* fast */ func init() { os.Exit(0) }\n"},
		{path: "src/a.js", was: "x\n", now: "x\n * done */ process.exit(0)\n"},
		{path: "src/a.js", was: "x\n", now: "x\n#end = process.exit(0)\n"},
	} {
		alarms, err := Find(w.change())
		if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool { return a.Rule == "ends-process" }) {
			t.Errorf("%q: %+v, %v; want ends-process", w.now, alarms, err)
		}
	}
}

// A line that does not show everything that a program reads needs the human, and so do settings
// that were not read.
func TestWhatIsNotShownNeedsTheHuman(t *testing.T) {
	t.Parallel()
	c := weakening{path: "lib.py", was: "x\n", now: "x\ny\n"}.change()
	lines := c.Lines
	c.Lines = func(f func(checks.LineChange)) error {
		return lines(func(l checks.LineChange) { l.Odd = "odd"; f(l) })
	}
	if alarms, err := Find(c); err != nil || len(alarms) != 1 || alarms[0].Rule != "text-hidden" {
		t.Errorf("the alarms are %+v, %v; want text-hidden", alarms, err)
	}
	c = weakening{path: "pyproject.toml", was: "x\n", now: "x\ny\n"}.change()
	c.Unread = func(path string) bool { return path == "pyproject.toml" }
	alarms, err := Find(c)
	if err != nil || len(alarms) != 1 || alarms[0].Rule != "test-settings" || !alarms[0].NeedsHuman {
		t.Errorf("the alarms are %+v, %v; want test-settings for the human", alarms, err)
	}
}

// Files that the commands wrote, and a tree that failed before, need the human.
func TestDoubtsAboutAPass(t *testing.T) {
	t.Parallel()
	c := weakening{path: "lib.py", was: "x\n", now: "x\ny\n"}.change()
	c.Rewritten, c.FailedBefore = []string{"lib_test.py"}, []uint64{7, 9}
	c.Demands = &checks.Demands{Commands: []string{"make test"}}
	alarms, err := Find(c)
	var got []string
	for _, a := range alarms {
		got = append(got, a.Rule+": "+a.Why)
	}
	slices.Sort(got)
	want := []string{"base-tests-fail: with the base's unchanged tests, make test fails",
		"failed-before: FLAKY: the checks failed on this very tree (gate 9) before they passed",
		"tree-rewritten: the check commands change lib_test.py while they run, so what passed is not what is submitted"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
