package tamper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
)

// change returns a difference in words: "M path" and then its lines, +12 text or -3
// text.
func change(text string, commands ...string) Change {
	c := Change{Base: absent, Present: absent}
	var lines []checks.LineChange
	path := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimLeft(line, "\t"), "\n")
		switch {
		case line == "":
		case line[0] == '+' || line[0] == '-':
			number, rest, _ := strings.Cut(line[1:], " ")
			l := checks.LineChange{Path: path, Added: line[0] == '+', Text: rest}
			fmt.Sscan(number, &l.Number)
			lines = append(lines, l)
		default:
			names := strings.Fields(line[2:])
			path = names[len(names)-1]
			f := checks.FileChange{Path: path, Status: line[0]}
			if len(names) == 2 {
				f.Old = names[0]
			}
			c.Files = append(c.Files, f)
		}
	}
	c.Lines = func(f func(checks.LineChange)) error {
		for _, l := range lines {
			f(l)
		}
		return nil
	}
	for _, run := range commands {
		c.Commands = append(c.Commands, checks.Command{Run: run})
	}
	return c
}

func absent(string) (string, bool) { return "", false }

// having returns a tree as it is now, where nothing that changed was there before.
func having(files map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { text, ok := files[name]; return text, ok }
}

// alarmsOf returns what was raised: rule, path, whether it is for the human, first
// line.
func alarmsOf(t *testing.T, c Change) []string {
	t.Helper()
	alarms, err := Find(c)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, a := range alarms {
		s := a.Rule + " " + a.Path
		if !a.NeedsHuman {
			s = "(" + s + ")"
		}
		if len(a.Lines) > 0 {
			s += " " + a.Lines[0].String()
		}
		all = append(all, strings.TrimSpace(s))
	}
	slices.Sort(all)
	return all
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		want   []string
	}{
		"nothing to see": {"M main.go\n+1 func main() { x() }\n-1 func main() {}\nA b_test.go\n+1 func " +
			"TestB(t *testing.T) {\n+2 t.Fatal()", nil},
		"settings": {"M ferrus.toml\n-2 commands = [\"go test\"]\n+2 commands = [\"true\"]",
			[]string{`settings-changed ferrus.toml -2: commands = ["go test"]`}},
		"github": {"M .github/workflows/ci.yml\n+9 continue-on-error: true",
			[]string{"ci-changed .github/workflows/ci.yml +9: continue-on-error: true"}},
		"issue template":  {"M .github/ISSUE_TEMPLATE/bug.md\n+9 x", nil},
		"gitlab, deleted": {"D .gitlab-ci.yml\n-1 test:", []string{"ci-changed .gitlab-ci.yml -1: test:"}},
		"ignore rules": {"M web/.gitignore\n+3 *_test.go\nM .gitattributes\n+1 *_test.go binary",
			[]string{"ignore-changed .gitattributes +1: *_test.go binary",
				"ignore-changed web/.gitignore +3: *_test.go"}},
		"linter settings": {"M .golangci.yml\n+3 disable-all: true",
			[]string{"(tool-settings .golangci.yml) +3: disable-all: true"}},
		"deleted test": {"D a_test.go\n-1 func TestA(t *testing.T) {\n-2 t.Error()",
			[]string{"test-deleted a_test.go -1: func TestA(t *testing.T) {"}},
		"deleted test data": {"D testdata/golden.txt\n-1 x", []string{"test-deleted testdata/golden.txt -1: x"}},
		"moved test":        {"R a_test.go b_test.go", nil},
		"test made no test": {"R a_test.go a_test.go.off", []string{"test-deleted a_test.go.off"}},
		"go skip": {"M a_test.go\n+4 \tt.Skip(\"later\")",
			[]string{`skip-added a_test.go +4: t.Skip("later")`}},
		"go build tag": {"M a_test.go\n+1 //go:build never",
			[]string{"skip-added a_test.go +1: //go:build never"}},
		"python skip": {"M tests/test_a.py\n+4 @pytest.mark.skip(reason='x')\n+9     self.skipTest('x')",
			[]string{"skip-added tests/test_a.py +4: @pytest.mark.skip(reason='x')"}},
		"js only": {"M src/a.test.ts\n+4   it.only('adds', () => {",
			[]string{"skip-added src/a.test.ts +4: it.only('adds', () => {"}},
		"rust ignore": {"M src/lib.rs\n+4 #[ignore]", []string{"skip-added src/lib.rs +4: #[ignore]"}},
		"java disabled": {"M src/test/java/ATest.java\n+4 @Disabled",
			[]string{"skip-added src/test/java/ATest.java +4: @Disabled"}},
		"ruby xit": {"M spec/a_spec.rb\n+4   xit 'adds' do",
			[]string{"skip-added spec/a_spec.rb +4: xit 'adds' do"}},
		"bats skip":    {"M a.bats\n+4   skip", []string{"skip-added a.bats +4: skip"}},
		"skip in code": {"M main.go\n+4 t.Skip()", nil},
		"assertion gone": {"M a_test.go\n-7 \t\tt.Errorf(\"got %d\", n)",
			[]string{`assertions-removed a_test.go -7: t.Errorf("got %d", n)`}},
		"assertion moved": {"M a_test.go\n-7 \t\tt.Fatal(err)\n+9 \tt.Fatal(err)", nil},
		"assertion changed": {"M a_test.py\n-7     assert f() == 3\n+7     assert f() == 4",
			[]string{"(assertions-changed a_test.py) -7: assert f() == 3"}},
		"expect gone": {"M a.spec.js\n-7   expect(f()).toBe(3)",
			[]string{"assertions-removed a.spec.js -7: expect(f()).toBe(3)"}},
		"rust assert in code": {"M src/a.rs\n-7     assert!(n > 0);",
			[]string{"(assertions-removed src/a.rs) -7: assert!(n > 0);"}},
		"rust assert in a test": {"M tests/a.rs\n-7     assert_eq!(n, 0);",
			[]string{"assertions-removed tests/a.rs -7: assert_eq!(n, 0);"}},
		"test gone": {"M a_test.go\n-3 func TestA(t *testing.T) {\n-4 \tx()\n-5 }",
			[]string{"tests-removed a_test.go -3: func TestA(t *testing.T) {"}},
		"test renamed": {"M a_test.go\n-3 func TestA(t *testing.T) {\n+3 func TestB(t *testing.T) {",
			[]string{"(tests-renamed a_test.go) -3: func TestA(t *testing.T) {"}},
		"python test gone": {"M test_a.py\n-3 def test_a():",
			[]string{"tests-removed test_a.py -3: def test_a():"}},
		"js test gone": {"M a.test.js\n-3 test('adds', () => {",
			[]string{"tests-removed a.test.js -3: test('adds', () => {"}},
		"test turned into helper": {"M a_test.go\n-3 func TestA(t *testing.T) {\n+3 func helperA(t *testing.T) {",
			[]string{"tests-removed a_test.go -3: func TestA(t *testing.T) {"}},
	} {
		if got := alarmsOf(t, change(c.change, "go test ./...")); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// TestEveryRuleIsTried checks that the tests of this package try every rule of the table.
func TestEveryRuleIsTried(t *testing.T) {
	t.Parallel()
	raised := []string{"settings-changed", "ci-changed", "ignore-changed", "test-deleted",
		"skip-added", "assertions-removed", "assertions-changed", "tests-removed", "tests-renamed", "tests-moved",
		"command-file-changed", "command-file-added", "tool-replaced", "fewer-tests", "no-tests", "base-red",
		"base-tests-fail", "base-tests-lost", "base-tests-replaced", "tests-gone", "no-change", "only-blanks",
		"only-generated", "results-forged", "tree-rewritten", "failed-before", findingsAccepted,
		nameAlike, "included-changed", answersTests}
	for rule := range weakenings {
		raised = append(raised, strings.TrimSpace(rule))
	}
	slices.Sort(raised)
	raised = slices.Compact(raised)
	var have []string
	for _, r := range Rules() {
		have = append(have, r.Name)
		if r.Why == "" {
			t.Errorf("%s has no words", r.Name)
		}
	}
	if !slices.Equal(raised, have) {
		t.Errorf("tried %q\nthere are %q", raised, have)
	}
}

func TestFilesThatCommandsRun(t *testing.T) {
	t.Parallel()
	all := "M check.sh\n+1 exit 0\nM scripts/lint.sh\n+1 x\nM Makefile\n+1 x\nM Taskfile.yml\n+1 x\nM " +
		"package.json\n+1 x\nM tools/gate/main.go\n+1 x\nM README.md\n+1 x\nM web/test.sh\n+1 x\nM unit_test.go\n+1 x" +
		"\nM tools/verify.py\n+1 x\nM tools/cases.txt\n+1 x\nM tools/notes.txt\n+1 x"
	files := map[string]string{
		"check.sh": "./scripts/lint.sh && go test ./... # see README.md", "scripts/lint.sh": "gofmt",
		"Makefile": "test:\n\t./check.sh\n\t$(MAKE) -C web", "web/test.sh": "x",
		"tools/verify.py": "for line in open('tools/cases.txt'):  # not tools/notes.txt\n", "tools/cases.txt": "x",
		"tools/notes.txt": "x",
		"Taskfile.yml":    "tasks:\n  check:\n    cmds:\n      - go run ./tools/gate --fast",
		"package.json":    `{"scripts":{"test":"node scripts/run.js"}}`,
	}
	for command, want := range map[string][]string{
		"go test ./...":          nil,
		"sh ./check.sh":          {"check.sh", "scripts/lint.sh"},
		"make test":              {"Makefile", "check.sh", "scripts/lint.sh"},
		"CI=1 task check":        {"Taskfile.yml", "tools/gate/main.go"},
		"npm test":               {"package.json"},
		"cd web && ./test.sh":    {"web/test.sh"},
		"python -m tools.verify": {"tools/cases.txt", "tools/verify.py"},
		"go test unit_test.go":   nil,
		"diff README.md a":       {"README.md"},
		"go run ./tools/gate -":  {"tools/gate/main.go"},
	} {
		c := change(all, command)
		c.Present = having(files)
		var got []string
		for _, line := range alarmsOf(t, c) {
			if rest, ok := strings.CutPrefix(line, "command-file-changed "); ok {
				got = append(got, strings.Fields(rest)[0])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

func TestNewFilesAreWork(t *testing.T) {
	t.Parallel()
	c := change("A good\n+1 x\nA GNUmakefile\n+1 test:", "test -f good", "make test")
	c.Present = having(map[string]string{"good": "x", "GNUmakefile": "test:", "Makefile": "test:"})
	if got := alarmsOf(t, c); !slices.Equal(got, []string{"(command-file-added good) +1: x",
		"command-file-changed GNUmakefile +1: test:"}) {
		t.Errorf("the alarms are %q, want an added file and a changed GNUmakefile", got)
	}
}

// A new file that an existing script includes changes what the script does.
func TestNewFilesThatScriptsTakeIn(t *testing.T) {
	t.Parallel()
	c := change("A local.mk\n+1 verify: ; true\nA t/0.sh\n+1 exit 0\nA env\n+1 x\nA t/a.go\n+1 x",
		"make verify", "sh run.sh")
	c.Present = having(map[string]string{"Makefile": "-include local.mk\nverify:\n\tfalse\n", "local.mk": "x",
		"t/0.sh": "x", "env": "x", "run.sh": "[ -f env ] && . ./env\nfor f in t/*; do . ./$f; done\n"})
	var got []string
	for _, line := range alarmsOf(t, c) {
		if rest, ok := strings.CutPrefix(line, "command-file-changed "); ok {
			got = append(got, strings.Fields(rest)[0])
		}
	}
	if !slices.Equal(got, []string{"env", "local.mk", "t/0.sh"}) {
		t.Errorf("the files are %q, want env, local.mk and t/0.sh", got)
	}
}

func TestPackageJSONCountsByItsScripts(t *testing.T) {
	t.Parallel()
	c := change("M package.json\n-3 \"jest\": \"29\"\n+3 \"jest\": \"30\"", "npm test")
	c.Present = having(map[string]string{"package.json": `{"scripts":{"test":"jest"},"dependencies":{"jest":"30"}}`})
	c.Base = having(map[string]string{"package.json": `{"scripts":{"test":"jest"},"dependencies":{"jest":"29"}}`})
	if got := alarmsOf(t, c); got != nil {
		t.Errorf("a dependency: %q", got)
	}
	c.Present = having(map[string]string{"package.json": `{"scripts":{"test":"true"}}`})
	if got := alarmsOf(t, c); len(got) != 1 || !strings.HasPrefix(got[0], "command-file-changed package.json") {
		t.Errorf("a script: %q", got)
	}
}

func TestWorkspaceBelowTheTop(t *testing.T) {
	t.Parallel()
	c := change("M app/ferrus.toml\n+1 x\nM app/check.sh\n+1 x\nM check.sh\n+1 x\nM ferrus.toml\n+1 x", "./check.sh")
	c.Prefix, c.Present = "app/", having(map[string]string{"app/check.sh": "x"})
	if got := alarmsOf(t, c); !slices.Equal(got, []string{"command-file-changed app/check.sh +1: x",
		"settings-changed app/ferrus.toml +1: x"}) {
		t.Errorf("the alarms are %q, want check.sh and ferrus.toml in app", got)
	}
}

// A change without any work needs the human.
func TestChangesThatDoNothing(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"api.go": "// Code generated by protoc. DO NOT EDIT.\n\npackage api\n"}
	for lines, want := range map[string]string{
		"":                                  "no-change",
		"M a.go\n-3   x  y\n+3 x y\n-7 \n":  "only-blanks",
		"M a.go\n-3 xy\n+3 x\n+4 y":         "only-blanks",
		"M a.go\n-3 x\n+9 x":                "",
		"M a.go\n+1 new\n-3 x\n+4 x ":       "",
		"M a.go\n-3 x\n+3 z":                "",
		"A a.go\n+1 ":                       "",
		"M yarn.lock\n+1 x\nM api.go\n+3 y": "only-generated",
		"M go.sum\n+1 x\nM main.go\n+3 y":   "",
		"A web/dist/a.js\n+1 x":             "only-generated",
		"M a.go\n-3 x\n+3  x\nM b.go\n+1 y": "",
	} {
		c := change(lines)
		c.Present = having(texts)
		got := ""
		alarms, err := Find(c)
		for _, a := range alarms {
			if a.NeedsHuman {
				got += a.Rule
			}
		}
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", lines, got, err, want)
		}
	}
}

// The names of tests come from the gate.
func TestDemands(t *testing.T) {
	t.Parallel()
	c := change("M a.go\n+1 x")
	for want, d := range map[string]*checks.Demands{
		"tests-gone TestA ran on the base and no longer runs": {Gone: []string{"TestA"}},
		"tests-gone A, B, C, D, E and 2 more ran on the base and no longer run": {
			Gone: []string{"A", "B", "C", "D", "E", "F", "G"}},
		"base-tests-fail TestA, unchanged since the base, fails": {Fail: []string{"TestA"}},
		"base-tests-replaced A, B from the base cannot run on the new code; the new tests check the same": {
			NotRun: []string{"A", "B"}},
		"base-tests-lost A from the base cannot run on the new code, and no test checks any longer: 3": {
			NotRun: []string{"A"}, Lost: []string{"3"}},
		"": {},
	} {
		c.Demands = d
		alarms, err := Find(c)
		got := ""
		for _, a := range alarms {
			got += a.Rule + " " + a.Why
		}
		if err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	c := change("M a.go\n+1 x")
	c.BaseTests, c.Tests = &checks.Tests{Unit: "tests", Passed: 5}, &checks.Tests{Unit: "tests", Passed: 4, Skipped: 1}
	c.Empty, c.BaseRed = []string{"pytest"}, "FAIL: pytest"
	c.Tools, c.BaseTools = map[string]string{"bin/go": "2", "bin/ok": "1"},
		map[string]string{"bin/go": "1", "bin/ok": "1"}
	alarms, err := Find(c)
	if err != nil || len(alarms) != 4 || alarms[2].NeedsHuman ||
		alarms[2].Why != "the checks failed before the task started: FAIL: pytest" ||
		alarms[3].NeedsHuman || alarms[3].Why != "pytest ran 0 tests" {
		t.Fatalf("the alarms are %+v, %v; want 4, the last two not for the human", alarms, err)
	}
	if alarms[0].Why != "4 tests passed, 1 skipped, and 5 tests passed when the task started" ||
		alarms[1].Path != "bin/go" {
		t.Errorf("the alarms are %+v, want fewer tests and bin/go", alarms)
	}
	c.Tests, c.Empty, c.Tools, c.BaseRed = &checks.Tests{Unit: "tests", Passed: 6}, nil, nil, ""
	if alarms, _ := Find(c); len(alarms) != 0 {
		t.Errorf("more tests: %+v", alarms)
	}
}

func TestAlarmsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "M d%d/.gitattributes\n", i)
		for n := range 20 {
			fmt.Fprintf(&b, "+%d %s\n", n+1, strings.Repeat("x", 1000))
		}
	}
	alarms, err := Find(change(b.String()))
	if err != nil || len(alarms) != mostAlarm+1 || !strings.HasPrefix(alarms[mostAlarm].Why, "140 more") ||
		!alarms[mostAlarm].NeedsHuman {
		t.Fatalf("got %d alarms, %v; want the most and one for the rest", len(alarms), err)
	}
	if a := alarms[0]; len(a.Lines) != linesEach || a.More != 15 || len(a.Lines[0].Text) > lineBytes+3 {
		t.Errorf("the alarm is %+v, want its lines cut", a)
	}
}

// FuzzFind gives any texts and lines to what looks for tampering: it never
// panics, and what it quotes is bounded.
func FuzzFind(f *testing.F) {
	f.Add("M a_test.go\n-1 func TestX(t *testing.T) {\n+1 t.Skip()\n", "go test ./...", "package a", "D", byte('M'))
	f.Add("R x.py y_test.py\n+1 @pytest.mark.skip\n", "make check", "check: test\n\t./run.sh && go run ./tool\n",
		"Makefile", byte('R'))
	f.Add("A package.json\n+9 \n", "npm run \"test\"", `{"scripts":{"test":"node t.js","x":null}}`,
		"package.json", byte('A'))
	f.Fuzz(func(t *testing.T, lines, command, text, name string, status byte) {
		c := Change{
			Files:    []checks.FileChange{{Path: name, Status: status}, {Path: "Makefile", Old: name, Status: 'R'}},
			Commands: []checks.Command{{Run: command, Dir: name}},
			Base: func(string) (string, bool) {
				return text, true
			}, Present: having(map[string]string{name: text, "run.sh": text}),
			BaseTools: map[string]string{command: name}, Tools: map[string]string{name: command},
		}
		c.Lines = func(show func(checks.LineChange)) error {
			for i, line := range strings.Split(lines, "\n") {
				show(checks.LineChange{Path: name, Number: i, Added: strings.HasPrefix(line, "+"), Text: line})
			}
			return nil
		}
		alarms, err := Find(c)
		if err != nil || len(alarms) > mostAlarm+1 {
			t.Errorf("got %d alarms, %v; want a bounded number", len(alarms), err)
		}
		for _, a := range alarms {
			for _, l := range a.Lines {
				if len(l.Text) > lineBytes+3 {
					t.Errorf("a line of %d bytes", len(l.Text))
				}
			}
		}
	})
}
