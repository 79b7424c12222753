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
	c := Change{Commands: []checks.Command{{Run: "go test ./..."}}}
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

// weakenings are changes that the human is to see, by the rule that raises them.
var weakenings = map[string][]weakening{
	testSettings: {
		{path: "pytest.ini", was: "[pytest]\n", now: "[pytest]\naddopts = -k 'not slow'\n"},
		{path: "pytest.ini", now: "[pytest]\ntestpaths = unit\n"},
		{path: "setup.cfg", was: "[tool:pytest]\ntestpaths = tests\n[x]\n", now: "[tool:pytest]\ntestpaths =" +
			" t\n[x]\n"},
		{path: "pyproject.toml", was: "[project]\nname = 'a'\n",
			now: "[project]\nname = 'a'\n[tool.pytest.ini_options]\naddopts = [\n  \"--deselect=a\",\n]\n"},
		{path: "pyproject.toml", was: "[tool.pytest.ini_options]\naddopts = [\n  \"-ra\",\n]\n",
			now: "[tool.pytest.ini_options]\naddopts = [\n  \"-ra\",\n  \"tests/unit\",\n]\n"},
		{path: "pytest.ini", now: "[pytest]\n", files: map[string]string{
			"pyproject.toml": "[tool.pytest.ini_options]\nxfail_strict = true\n"}},
		{path: "tests/pytest.ini", now: "[pytest]\n", files: map[string]string{"setup.cfg": "[tool:pytest]\n" +
			"python_files = t_*.py\n"}},
		{path: "pyproject.toml", was: "[tool.pytest]\nini_options.testpaths = ['a', 'b']\n",
			now: "[tool.pytest]\nini_options.testpaths = ['a']\n"},
		{path: "tests/conftest.py", was: "import pytest\n",
			now: "import pytest\n\ndef pytest_collection_modifyitems(items):\n    del items[3:]\n"},
		{path: "conftest.py", now: "collect_ignore = ['test_a.py']\n"},
		{path: "package.json", was: `{"jest":{}}`, now: `{"jest":{"testPathIgnorePatterns":["a"]}}`},
		{path: "package.json", was: `{"scripts":{"test":"jest"}}`, now: `{"scripts":{"test":"true"}}`},
		{path: "jest.config.js", was: "module.exports = {}\n", now: "module.exports = {\n  testMatch: ['a'],\n}\n"},
		{path: "vitest.config.ts", was: "export default {}\n", now: "export default { test: { exclude: ['a'] } }\n"},
		{path: ".mocharc.json", now: "{\n \"grep\": \"fast\"\n}\n"},
		{path: "tsconfig.json", was: "{\n \"include\": [\"src\", \"test\"]\n}\n", now: "{\n \"include\":" +
			" [\"src\"]\n}\n"},
		{path: "go.mod", was: "module a\n", now: "module a\n\nreplace github.com/x/y => ./y\n"},
		{path: "inner/go.mod", now: "module b\n"},
		{path: "go.work", now: "use ./a\n"},
		{path: "Cargo.toml", was: "[package]\nname = \"a\"\n", now: "[package]\nname = \"a\"\nautotests = false\n"},
		{path: "Cargo.toml", was: "[features]\ndefault = [\"x\"]\n", now: "[features]\ndefault = []\n"},
		{path: ".cargo/config.toml", now: "[target.x86_64-unknown-linux-gnu]\nrunner = \"true\"\n"},
		{path: ".npmrc", now: "script-shell=./sh\n"},
		{path: "bunfig.toml", now: "[test]\nroot = 'easy'\n"},
		{path: ".mvn/maven.config", now: "-DskipTests\n"},
		{path: ".env", now: "PYTEST_ADDOPTS=-k easy\n"},
		{path: "tsconfig.json", was: "{\n}\n", now: "{\n\"paths\": {}\n}\n"},
	},
	runnerSettings: {
		{path: ".config/nextest.toml", now: "[profile.default]\ndefault-filter = 'none()'\n"},
		{path: "CTestCustom.cmake", now: "set(CTEST_CUSTOM_TESTS_IGNORE a)\n"},
		{path: "CMakeLists.txt", was: "add_test(a b)\nproject(x)\n", now: "project(x)\n"},
		{path: "tox.ini", was: "[testenv]\ncommands = pytest\n", now: "[testenv]\ncommands = true\n"},
		{path: "noxfile.py", was: "s.run('pytest')\n", now: "s.run('true')\n"},
		{path: "Makefile", was: "test:\n\tgo test ./...\n", now: "test:\n\ttrue\n"},
	},
	"tool-shadowed": {
		{path: "pytest.py", now: "x\n", commands: "python -m pytest"},
		{path: "src/json/__init__.py", now: "x\n", commands: "pytest"},
		{path: "tests/random.py", now: "x\n", commands: "pytest"},
		{path: "sitecustomize.py", now: "x\n"},
		{path: "bin/go", now: "#!/bin/sh\n"},
		{path: "tools/jest", now: "x\n", commands: "CI=1 npx jest && true"},
		{path: "node_modules/jest/index.js", now: "x\n"},
		{path: "lib/__init__.py", now: "x\n", files: map[string]string{"lib.py": "y\n"}},
		{path: "src/lib.js", now: "x\n", files: map[string]string{"src/lib.ts": "y\n"}},
		{path: "src/lib.js", now: "x\n", files: map[string]string{"src/lib/index.js": "y\n"}},
		{path: "src/lib/package.json", now: "{\"main\": \"x.js\"}",
			files: map[string]string{"src/lib/index.js": "y\n"}},
	},
	"test-settings ": {
		{path: ".pnpmfile.cjs", now: "module.exports = {}\n"},
		{path: ".tool-versions", now: "python path:./fake\n"},
		{path: "pnpm-workspace.yaml", was: "packages:\n  - a\n  - b\n", now: "packages:\n  - a\n"},
		{path: "lerna.json", was: "{\"packages\": [\"a\", \"b\"]}\n", now: "{\"packages\": [\"a\"]}\n"},
		{path: "deno.json", now: "{\"test\": {\"exclude\": [\"hard\"]}}\n"},
		{path: "nx.json", was: "{}\n", now: "{\"targetDefaults\": {\"test\": {\"executor\": \"nx:noop\"}}}\n"},
		{path: "test/test_helper.exs", was: "ExUnit.start()\n", now: "ExUnit.start(exclude: [:hard])\n"},
	},
	"runner-settings ": {
		{path: "meson.build", was: "test('hard', x)\ntest('easy', y)\n", now: "test('easy', y)\n"},
		{path: "Package.swift", was: ".testTarget(name: \"Hard\")\n", now: "x\n"},
		{path: "build.sbt", was: "x\n", now: "x\nTest / testOptions += Tests.Filter(_ => false)\n"},
		{path: "settings.gradle", was: "x\n",
			now: "x\ngradle.beforeProject { it.tasks.withType(Test) { enabled = false } }\n"},
	},
	"assertions-removed ": {
		{path: "lib.py", commands: "pytest --doctest-modules",
			was: "def a():\n    \"\"\"\n    >>> a()\n    42\n    \"\"\"\n    return 42\n",
			now: "def a():\n    \"\"\"\n    >>> a()\n    41\n    \"\"\"\n    return 41\n"},
		{path: "src/lib.rs", was: "#[cfg(test)]\nmod tests {\n#[test]\nfn a() {\nassert_eq!(a(), 42);\n}\n}\n",
			now: "#[cfg(test)]\nmod tests {\n#[test]\nfn a() {\nassert_eq!(a(), 41);\n}\n}\n"},
	},
	"compiled-code": {
		{path: "__pycache__/lib.cpython-311.pyc", now: "x"},
		{path: "lib.cpython-311-x86_64-linux-gnu.so", now: "x"},
		{path: "lib/a_amd64.syso", was: "x", now: "y"},
		{path: "lib/a.class", now: "x"},
	},
	"text-hidden": {
		{path: "lib.py", was: "x\n", now: "x\nos._𝐞xit(0)\n"},
		{path: "conftest.py", was: "x\n", now: "x\ndef ｐytest_runtest_call(item): pass\n"},
		{path: "lib.js", was: "x\n", now: "x\nprocess.\\u0065xit(0)\n"},
		{path: "lib.js", was: "x\n", now: "x\nprocess.\\u{65}xit(0)\n"},
		{path: "A.java", was: "x\n", now: "x\n// \\u000a System.exit(0);\n"},
		{path: "lib.py", was: "x\n", now: "# coding: utf-7\nx\n"},
	},
	"vendored-changed": {
		{path: "vendor/example.com/x/x.go", now: "b\n", alongside: []checks.FileChange{
			{Path: "vendor/modules.txt", Status: 'A'}}},
		{path: "vendor/github.com/x/y/y.go", was: "a\n", now: "b\n"},
		{path: "vendor/github.com/stretchr/testify/assert/a.go", was: "a\n", now: "b\n",
			alongside: []checks.FileChange{{Path: "go.mod", Status: 'M'}}},
		{path: "third_party/gtest/gtest.h", was: "a\n", now: "b\n"},
	},
	"link-outside": {
		{path: "testdata/a", now: "/etc/passwd", modes: [2]string{"000000", checks.LinkMode}},
		{path: "a/b", was: "c", now: "../../x", modes: [2]string{checks.LinkMode, checks.LinkMode}},
	},
	"submodule-changed": {
		{path: "dep", status: 'M', modes: [2]string{checks.SubmoduleMode, checks.SubmoduleMode}},
		{path: "dep", status: 'D', modes: [2]string{checks.SubmoduleMode, "000000"}},
	},
	asksForTests: {
		{path: "a.go", was: "package a\n", now: "package a\n\nvar x = testing.Testing()\n"},
		{path: "a.go", was: "package a\n", now: "package a\n\nimport t \"testing\"\n"},
		{path: "a.go", was: "package a\n", now: "package a\n\nimport . \"testing\"\n"},
		{path: "a.go", was: "package a\n", now: "package a\n\nvar is = testing.Testing\n"},
		{path: "a.go", was: "package a\n", now: "package a\nvar x = strings.HasSuffix(os.Args[0], \".test\")\n"},
		{path: "a.go", was: "package a\n", now: "package a\nvar x = flag.Lookup(\"test.v\")\n"},
		{path: "a.py", was: "x\n", now: "x\nif 'PYTEST_CURRENT_TEST' in os.environ: y()\n"},
		{path: "a.py", was: "x\n", now: "x\nif 'pytest' in sys.modules: y()\n"},
		{path: "a.js", was: "x\n", now: "x\nif (process.env.NODE_ENV === 'test') y()\n"},
		{path: "a.ts", was: "x\n", now: "x\nif (typeof jest !== 'undefined') y()\n"},
		{path: "src/a.rs", was: "x\n", now: "x\nif cfg!(test) { y() }\n"},
		{path: "src/a.rs", was: "x\n", now: "x\n#[cfg(test)]\nfn answer() -> u8 { 42 }\n"},
		{path: "A.java", was: "x\n", now: "x\nClass.forName(\"org.junit.Test\");\n"},
		{path: "a.rb", was: "x\n", now: "x\nif defined?(RSpec)\n"},
		{path: "a.c", was: "x\n", now: "x\nif (getenv(\"CTEST_INTERACTIVE_DEBUG_MODE\")) y();\n"},
	},
	"prints-results": {
		{path: "a.go", was: "x\n", now: "x\nfmt.Println(\"--- PASS: TestA (0.00s)\")\n"},
		{path: "a.go", was: "x\n", now: "x\nfmt.Printf(`{\"Action\":\"pass\"}`)\n"},
		{path: "a.go", was: "x\n", now: "x\nfmt.Print(\"ok  \\tall\\t0.1s\")\n"},
		{path: "a.py", was: "x\n", now: "x\nprint('ok 1 - adds')\n"},
		{path: "a.py", was: "x\n", now: "x\nprint('=== 3 passed in 0.1s ===')\n"},
		{path: "src/a.rs", was: "x\n", now: "x\nprintln!(\"test a ... ok\");\n"},
		{path: "a.js", was: "x\n", now: "x\nconsole.log('Tests:       3 passed')\n"},
	},
	"ends-process": {
		{path: "a.go", was: "package a\n", now: "package a\nfunc init() { os.Exit(0) }\n"},
		{path: "a.py", was: "x\n", now: "x\nos._exit(0)\n"},
		{path: "src/a.js", was: "x\n", now: "x\nprocess.exit(0)\n"},
		{path: "src/lib.rs", was: "x\n", now: "x\nstd::process::exit(0);\n"},
		{path: "a_test.go", was: "x\n", now: "x\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n"},
		{path: "test_a.py", was: "x\n", now: "x\nimport sys\nsys.exit(0)\n"},
		{path: "a.test.js", was: "x\n", now: "x\nprocess.exit(0)\n"},
	},
	changesTestTools: {
		{path: "a.py", was: "x\n", now: "x\nunittest.TestCase.assertEqual = lambda *a: None\n"},
		{path: "a.py", was: "x\n", now: "x\nbuiltins.AssertionError = X\n"},
		{path: "a.js", was: "x\n", now: "x\nglobal.expect = () => ok\n"},
		{path: "a.js", was: "x\n", now: "x\nArray.prototype.includes = () => true\n"},
		{path: "a.go", was: "x\n", now: "x\n//go:linkname fail testing.(*common).Fail\n"},
		{path: "src/a.rs", was: "x\n", now: "x\nmacro_rules! assert_eq { ($($x:tt)*) => {} }\n"},
		{path: "a.h", was: "x\n", now: "x\n#define assert(x)\n"},
		{path: "tests/plugin.py", was: "x\n", now: "x\ndef pytest_collection_modifyitems(items):\n    items.clear()\n"},
		{path: "test/setup.js", was: "x\n", now: "x\nglobal.expect = () => any\n"},
	},
	"equal-to-all": {
		{path: "a.py", was: "class A:\n", now: "class A:\n    def __eq__(self, other):\n        return True\n"},
		{path: "a.go", was: "x\n", now: "x\nfunc (a A) Equal(b A) bool { return true }\n"},
		{path: "a.js", was: "x\n", now: "x\nequals(other) {\n  return true;\n}\n"},
		{path: "src/a.rs", was: "x\n", now: "x\nfn eq(&self, o: &A) -> bool { true }\n"},
		{path: "A.java", was: "x\n", now: "x\npublic boolean equals(Object o) { return true; }\n"},
	},
	"reads-tests": {
		{path: "a.go", was: "x\n", now: "x\nb, _ := os.ReadFile(\"testdata/want\")\n"},
		{path: "a.go", was: "x\n", now: "x\n//go:embed testdata/want\n"},
		{path: "a.py", was: "x\n", now: "x\nopen('tests/data/want.json')\n"},
		{path: "a.js", was: "x\n", now: "x\nfs.readFileSync('./__snapshots__/a.snap')\n"},
		{path: "a.py", was: "x\n", now: "x\nglob.glob('test_*.py')\n"},
	},
	"depends-on-date": {
		{path: "lib.py", was: "x\n",
			now: "x\nT = 1900000000\n\ndef answer():\n    n = time.time()\n    return n < T\n"},
		{path: "a.go", was: "x\n", now: "x\nif time.Now().Year() < 2027 {\n"},
		{path: "a.py", was: "x\n", now: "x\nif time.time() > 1800000000: y()\n"},
		{path: "a.js", was: "x\n", now: "x\nif (Date.now() < 1800000000000) y()\n"},
	},
	"failure-passed": {
		{path: "check.sh", was: "set -e\ngo test\n", now: "set -e\ngo test || true\n", commands: "sh check.sh"},
		{path: "run_tests.sh", was: "go test\n", now: "set +e\ngo test\n"},
		{path: "Makefile", was: "test:\n\tgo test\n", now: "test:\n\t-go test\n", commands: "make test"},
	},
	"files-rewritten": {
		{path: "a_test.go", was: "x\n", now: "x\nos.WriteFile(\"testdata/want\", got, 0o644)\n"},
		{path: "a_test.go", was: "var update = flag.Bool(\"update\", false, \"\")\n",
			now: "var update = flag.Bool(\"update\", true, \"\")\n"},
		{path: "test_a.py", was: "x\n", now: "x\nopen(golden, 'w').write(got)\n"},
		{path: "a.test.js", was: "x\n", now: "x\nfs.writeFileSync(__filename, 'x')\n"},
	},
	"always-passes": {
		{path: "test_a.py", was: "def test_a():\n    assert f() == 1\n    x()\n", now: "def test_a():\n    return\n" +
			"    assert f() == 1\n    x()\n"},
		{path: "test_a.py", was: "def test_a():\n    assert f() == 1\n", now: "def test_a():\n    x = f()\n" +
			"    assert x == x\n"},
		{path: "test_a.py", was: "def test_a():\n    assert f() == 1\n",
			now: "def test_a():\n    assert (f() == 1, 'no')\n"},
		{path: "test_a.py", was: "def test_a():\n    assert f() == 1\n",
			now: "def test_a():\n    try:\n        assert f() == 1\n    except AssertionError:\n        pass\n"},
		{path: "a_test.go", was: "\tif f() != 1 {\n", now: "\tif f() != 1 && false {\n"},
		{path: "a_test.go", was: "func TestA(t *testing.T) {\n\tf()\n", now: "func TestA(t *testing.T) {\n\tif" +
			" os.Getenv(\"CI\") == \"\" {\n\t\treturn\n\t}\n\tf()\n"},
		{path: "a_test.go", was: "\tfor _, c := range cases {\n", now: "\tfor _, c := range cases[:1] {\n"},
		{path: "a.test.js", was: "test('a', () => {\n  expect(f()).toBe(1)\n",
			now: "test('a', () => {\n  const x = f()\n" +
				"  expect(x).toBe(x)\n"},
		{path: "a.test.js", was: "test('a', () => {\n  expect(f()).toBe(1)\n})\n",
			now: "test('a', () => {\n  try {\n    expect(f()).toBe(1)\n  } catch {}\n})\n"},
	},
	"check-suppressed": {
		{path: "a.ts", was: "x\n", now: "// @ts-nocheck\nx\n"},
		{path: "a.py", was: "x\n", now: "# mypy: ignore-errors\nx\n"},
		{path: "a.py", was: "x\n", now: "# ruff: noqa\nx\n"},
		{path: "a.js", was: "x\n", now: "/* eslint-disable */\nx\n"},
	},
	"dependency-replaced": {
		{path: "package.json", was: "{\n\"jest\": \"^29\"\n}\n", now: "{\n\"jest\": \"file:./fake\"\n}\n"},
		{path: "requirements.txt", was: "pytest\n", now: "pytest @ file:///fake\n"},
		{path: "Cargo.toml", was: "[dev-dependencies]\n",
			now: "[dev-dependencies]\nhypothesis = { path = \"fake\" }\n"},
		{path: "patches/jest+29.0.0.patch", now: "+x\n"},
	},
	"tool-settings": {
		{path: ".golangci.yml", was: "linters:\n  enable:\n    - errcheck\n", now: "linters:\n  enable:\n",
			commands: "golangci-lint run"},
		{path: ".eslintrc.json", was: "{}\n", now: "{\"rules\": {\"no-undef\": \"off\"}}\n", commands: "npx eslint ."},
		{path: "ruff.toml", was: "x = 1\n", now: "x = 1\nignore = [\"ALL\"]\n", commands: "ruff check"},
	},
	"limit-changed": {
		{path: "test_a.py", was: "assert abs(x) < tolerance == 0.01\n", now: "assert abs(x) < tolerance == 0.5\n"},
		{path: "a_test.go", was: "const epsilon = 1e-9\n", now: "const epsilon = 10\n"},
		{path: "pyproject.toml", was: "fail_under = 90\n", now: "fail_under = 10\n"},
	},
}

func TestWeakerChangesNeedTheHuman(t *testing.T) {
	t.Parallel()
	for rule, all := range weakenings {
		for _, w := range all {
			alarms, err := Find(w.change())
			if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool {
				return a.Rule == strings.TrimSpace(rule) && a.Path == w.path && a.NeedsHuman
			}) {
				t.Errorf("%s: %s %q is not raised, but %+v, %v", rule, w.path, w.now, alarms, err)
			}
		}
	}
}

// What a test is known by is also what it imports, and the module that it is in.
func TestTestsAreKnownByTheirText(t *testing.T) {
	t.Parallel()
	inline := "fn x() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(x(), 1);\n  " +
		"  }\n}\n"
	for rule, w := range map[string]weakening{
		"assertions-removed": {path: "src/lib.rs", was: inline,
			now: strings.Replace(inline, "        assert_eq!(x(), 1);\n", "", 1)},
		"skip-added  ":   {path: "test_a.py", was: "x\n", now: "x\nclass TestA:\n    __test__ = False\n"},
		"skip-added   ":  {path: "test_a.py", was: "x\n", now: "x\ndef load_tests(loader, tests, pattern):\n"},
		"skip-added    ": {path: "a.test.js", was: "x\n", now: "x\nit.concurrent.skip('a', f)\n"},
		"skip-added     ": {path: "tests/a.rs", was: "#[test]\nfn a() {}\n", now: "#[test]\n#[should_panic]\n" +
			"fn a() {}\n"},
		"skip-added      ": {path: "src/a.rs", was: "#[cfg(test)]\nmod tests {}\n", now: "#[cfg(all(test, feature =" +
			" \"x\"))]\nmod tests {}\n"},
		"tests-removed": {path: "checks/verify.py", was: "import pytest\n\ndef test_a():\n   " +
			" pass\n", now: "import pytest\n"},
		"skip-added       ": {path: "a_test.go", was: "x\nif a() {\n\tt.Skip()\n}\n",
			now: "x\nif a() != b() {\n\tt.Skip()\n}\n"},
		"skip-added        ": {path: "test_a.py", was: "@pytest.mark.skipif(\n    sys.platform == 'win32',\n",
			now: "@pytest.mark.skipif(\n    sys.version > '2',\n"},
		"skip-added": {path: "verify.js", was: "const { test } = require('node:test')\ntest('a', () => {})\n",
			now: "const { test } = require('node:test')\ntest.skip('a', () => {})\n"},
		"skip-added         ": {path: "a_test.go", was: "func TestA(t *testing.T) {\n\tt.Error(1)\n}\n",
			now: "func TestA(t *testing.T) {\n\tif !testing.Short() {\n\t\treturn\n\t}\n\tt.Error(1)\n}\n"},
		"assertions-removed          ": {path: "a_test.go",
			was: "x\n\tdir, err := os.MkdirTemp(\"\", \"a\")\n\trequire.NoError(t, err)\n" +
				"\trequire.NoError(t, b(dir))\n", now: "x\n\tdir := t.TempDir()\n\tb(dir)\n"},
		"skip-added ": {path: "a_test.go", was: "x\n",
			now: "x\nif testing.Short() {\n\tt.Skip()\n}\n", commands: "go test -short ./..."},
		"test-deleted": {path: "suite.py", was: "import unittest\n\nclass A(unittest.TestCase):\n    def" +
			" test_a(self):\n"},
	} {
		alarms, err := Find(w.change())
		if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool {
			return a.Rule == strings.TrimSpace(rule) && a.NeedsHuman
		}) {
			t.Errorf("%s: %+v, %v", rule, alarms, err)
		}
	}
}

// ordinary are changes as work makes them, that weaken nothing.
var ordinary = []weakening{
	{path: "a.go", was: "package a\n", now: "package a\n\nfunc A() error { return fmt.Errorf(\"pass %d\", 1) }\n"},
	{path: "cmd/x/main.go", was: "package main\n", now: "package main\n\nfunc main() { os.Exit(0) }\n"},
	{path: "a.go", was: "package a\n", now: "package a\n\n// It is for testing.Testing().\nvar x = \"ok\"\n"},
	{path: "assert/a.go", was: "package assert\n", now: "package assert\n\nimport \"testing\"\n\nfunc Equal(t" +
		" *testing.T) {}\n"},
	{path: "internal/testutil/a.go", was: "package testutil\n", now: "package testutil\n\nimport \"testing\"\n"},
	{path: "a_test.go", was: "x\n", now: "x\n\tif *update {\n\t\tos.WriteFile(\"testdata/want\", got, 0o644)\n\t}\n"},
	{path: "a_test.go", was: "x\n", now: "x\nif runtime.GOOS == \"windows\" {\n\tt.Skip(\"no\")\n}\n"},
	{path: "a_test.go", was: "x\n", now: "x\nfunc TestNew(t *testing.T) {\n\tt.Skip(\"later\")\n}\n"},
	{path: "a_test.go", was: "x\n", now: "x\nif testing.Short() {\n\tt.Skip(\"slow\")\n}\n"},
	{path: "b_test.go", now: "func TestNew(t *testing.T) {\n\tt.Skip(\"later\")\n}\n"},
	{path: "test_a.py", was: "x\n", now: "x\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef" +
		" test_b():\n"},
	{path: "a_test.go", was: "x\nif a() {\n\tt.Skip()\n}\n",
		now: "x\nif runtime.GOOS == \"windows\" {\n\tt.Skip()\n}\n"},
	{path: ".gitignore", was: "a\n", now: "a\n/dist/\n*.log\n.pytest_cache\ntest-results/\n"},
	{path: ".gitattributes", now: "*.md merge=union\n*.go text eol=lf\n*.pb.go linguist-generated\n"},
	{path: "docs/Makefile", was: "clean:\n", now: "clean:\n\t-rm -rf build\n"},
	{path: "pyproject.toml", was: "[tool.pytest.ini_options]\ntestpaths = ['a']\n",
		now: "[tool.pytest]\nini_options.testpaths = 'a'\nini_options.addopts = '-ra'\n"},
	{path: "pytest.ini", now: "[pytest]\ntestpaths =\n  a\n  b\n", files: map[string]string{
		"tox.ini": "[pytest]\ntestpaths = a b\n"}},
	{path: "tox.ini", was: "[testenv]\ncommands = pytest\n", now: "[testenv]\ndeps = x\ncommands =\n  pytest\n" +
		"  mypy\n[testenv:docs]\nskip_install = true\n"},
	{path: ".github/workflows/ci.yml", was: "- uses: actions/checkout@v3\n", now: "- uses: actions/checkout@v4\n"},
	{path: ".github/workflows/ci.yml", was: "a:\n  go: ['1.20', '1.21']\n", now: "a:\n  go: ['1.21', '1.22']\n"},
	{path: ".github/workflows/ci.yml", was: "run: |\n  go test ./...\n", now: "name: Test\nrun: go test ./...\n"},
	{path: ".github/workflows/new.yml", now: "on: push\njobs:\n"},
	{path: "go.mod", was: "module a\n\nrequire x v1.0.0\n", now: "module a\n\nrequire x v1.1.0\n"},
	{path: "Cargo.toml", was: "[dependencies]\na = \"1\"\n", now: "[dependencies]\na = \"2\"\nb = { version =" +
		" \"1\" }\n"},
	{path: "package.json", was: `{"version":"1"}`, now: `{"version":"2","dependencies":{"a":"1"}}`},
	{path: "pyproject.toml", was: "[project]\nversion = '1'\n", now: "[project]\nversion = '2'\nkeywords =" +
		" ['test']\n"},
	{path: "tests/conftest.py", was: "x\n", now: "x\n@pytest.fixture\ndef thing():\n    return 1\n"},
	{path: "vendor/github.com/x/y/y.go", was: "a\n", now: "b\n",
		alongside: []checks.FileChange{{Path: "go.mod", Status: 'M'}}},
	{path: "link", now: "dir/file", modes: [2]string{"000000", checks.LinkMode}},
	{path: "src/lib.rs", was: "fn a() {}\n", now: "fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn" +
		" b() {}\n}\n"},
	{path: "deploy.sh", was: "x\n", now: "x\nrm -f y || true\n"},
	{path: "src/parse.py", was: "x\n", now: "x\nimport json\n"},
	{path: "a.py", was: "x\n", now: "x\ndef __eq__(self, o):\n    return self.a == o.a\n"},
	{path: "a.go", was: "const timeout = 5\n", now: "const timeout = 10\n"},
	{path: ".golangci.yml", was: "linters:\n", now: "linters:\n  enable:\n    - revive\n",
		commands: "golangci-lint run"},
	{path: ".golangci.yml", was: "linters:\n  enable:\n    - errcheck\n", now: "linters:\n"},
	{path: "a_test.go", was: "\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tx()\n", now: "\tif err != nil {\n" +
		"\t\tt.Error(err)\n\t\treturn\n\t}\n\tx()\n"},
	{path: "a.test.js", was: "x\n", now: "x\nafter(() => {\n  try {\n    fs.rmSync(dir)\n  } catch {}\n})\n"},
	{path: "package.json", was: "{\n}\n", now: "{\n\"dependencies\": {\"a\": \"workspace:*\"}\n}\n"},
	{path: "a.py", was: "x\n", now: "# ruff: noqa: RUF002, E501\nx\n"},
	{path: "testdata/Cargo.toml", was: "[dependencies]\n",
		now: "[dependencies]\ntest-tools = { path = \"test-tools\" }\n"},
	{path: "Makefile", was: "build:\n\tgo build\n", now: "build:\n\tgo build ./...\n"},
	{path: ".eslintignore", was: "coverage/\n"},
	{path: "Justfile", was: "bench:\n\tuv run pytest bench\n", now: "bench:\n\tuv run --group test pytest bench\n"},
	{path: "a_test.go", was: "func TestA(t *testing.T) {\n\tx()\n}\n",
		now: "func TestA(t *testing.T) {\n\tseeds(t, testing.Short())\n\tx()\n}\n"},
	{path: "a_test.go", was: "x\n\tdir, err := os.MkdirTemp(\"\", \"a\")\n\trequire.NoError(t, err)\n",
		now: "x\n\tdir := t.TempDir()\n"},
	{path: "index.js", was: "let a = 1\n", now: "let a = 2\n", commands: "c8 --include=index.js node --test"},
	{path: "tox.ini", was: "[testenv:a]\ncommands = codespell --skip=\"tests/*.txt\" \\\n    --uri *\n",
		now: "[testenv:a]\ncommands = codespell --skip=\"tests/*.txt,htmlcov\" \\\n    --uri *\n"},
}

func TestOrdinaryChangesAreQuiet(t *testing.T) {
	t.Parallel()
	for _, w := range ordinary {
		alarms, err := Find(w.change())
		if err != nil || slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman }) {
			t.Errorf("%s %q: %+v, %v", w.path, w.now, alarms, err)
		}
	}
}

// Tests that are in another file now are for the reviewer.
func TestMovedTests(t *testing.T) {
	t.Parallel()
	moved := "D a_test.go\n-1 func TestA(t *testing.T) {\n-2 \tt.Error(1)\nA b_test.go\n+1 func TestA(t" +
		" *testing.T) {\n"
	for change, want := range map[string][]string{
		moved + "+2 \tt.Error(1)": {"(test-deleted a_test.go) -1: func TestA(t *testing.T) {"},
		moved:                     {"test-deleted a_test.go -1: func TestA(t *testing.T) {"},
		strings.ReplaceAll(moved+"+2 \tt.Error(1)", "b_test.go", "testdata/b_test.go"): {
			"test-deleted a_test.go -1: func TestA(t *testing.T) {"},
		"M a_test.go\n-1 func TestA(t *testing.T) {\nM b_test.go\n+1 func TestA(t *testing.T) {": {
			"(tests-moved a_test.go) -1: func TestA(t *testing.T) {"},
		"R a_test.go a_windows_test.go":              {"skip-added a_windows_test.go"},
		"D a_test.go\n-1 x\nA a_plan9_test.go\n+1 x": {"skip-added a_plan9_test.go", "test-deleted a_test.go -1: x"},
		"A new_windows_test.go\n+1 x":                nil,
		"R a_test.go testdata/a_test.go":             {"skip-added testdata/a_test.go"},
		"M .gitignore\n-1 /dist\n+1 /out":            {"ignore-changed .gitignore -1: /dist"},
		"M .github/workflows/a.yml\n+1 if: false":    {"ci-changed .github/workflows/a.yml +1: if: false"},
	} {
		if got := alarmsOf(t, changeOf(change)); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", change, got, want)
		}
	}
}

// Scripts of package.json that do all that they did are for the reviewer.
func TestScriptsThatAreNoWeaker(t *testing.T) {
	t.Parallel()
	for scripts, want := range map[[2]string]bool{
		{"tape 'test/*.js'", "tape 'test/**/*.js'"}:                      true,
		{"borp --x", "borp --coverage --check-coverage --x"}:             true,
		{"borp --x", "npm run test:types && borp --expose-gc --x"}:       true,
		{"borp --x", "borp --only --x"}:                                  false,
		{"a | b && tap t/*.js", "a | b && borp --check-coverage t/*.js"}: true,
		{"tape t/*.js", "node --test t/*.js"}:                            true,
		{"tap t/*.js", "mocha t/*.js"}:                                   false,
		{"tap t/*.js", "borp t/a.js"}:                                    false,
		{"a && tap t/*.js", "a && tap t/*.js | cat"}:                     false,
		{"eslint --ext=js .", "eslint ."}:                                true,
		{"npx aud --production", "npx npm@'>=10.2' audit --production"}:  true,
		{"npm run lint && tape a", "npm run lint && tape a && tsc"}:      true,
		{"tape a b", "tape a"}:                                           false,
		{"tape a", "true"}:                                               false,
		{"eslint . && tape a", "eslint ."}:                               false,
		{"eslint .", "eslint . || true"}:                                 false,
		{"npm run tests", "npm run nothing"}:                             false,
		{"jest", "jest -t easy"}:                                         false,
		{"", "rm -rf test"}:                                              false,
		{"", "tsc && attw -P"}:                                           true,
		{"", "node fix.js"}:                                              false,
	} {
		if got := noWeakerScript(scripts[0], scripts[1]); got != want {
			t.Errorf("%q: %v", scripts, got)
		}
	}
}

// Continuous integration may prove the same in other words; what it proved must stay.
func TestContinuousIntegrationProvesTheSame(t *testing.T) {
	t.Parallel()
	const was = `on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    strategy:
      matrix:
        go: [1.20.x, 1.21.x]
        os: [ubuntu-latest, windows-latest]
    steps:
      - name: Install
        uses: actions/setup-go@v3
      - name: Test
        run: |
          go vet ./...
          go test -race ./...
      - uses: golangci/golangci-lint-action@v3
        with:
          args: --timeout=5m
  gitlab:
    script:
      - make check
`
	const install = "      - name: Install"
	for _, edit := range []struct {
		old, new string
		need     bool
	}{
		{"setup-go@v3", "setup-go@v4", false},
		{"- name: Install", "- name: Set Go up", false},
		{"[1.20.x, 1.21.x]", "[1.21.x, stable]", false},
		{"go test -race ./...", "go test -race -coverprofile=c.out ./...", false},
		{"on:\n  push:\n    branches: [main]\n  pull_request:", "on: [push, pull_request]", false},
		{"  gitlab:", "    timeout-minutes: 5\n  gitlab:", false},
		{install, "      - name: Quick\n        if: matrix.go == 'stable'\n        run: go test -run A .\n" + install,
			false},
		{"  gitlab:", "  review:\n    if: github.event_name == 'pull_request'\n    steps:\n" +
			"      - uses: a/review@v4\n" +
			"  gitlab:", false},
		{"  test:", "  test:\n    if: false", true},
		{"  test:", "  test:\n    continue-on-error: true", true},
		{"  test:", "  other:\n    if: false", true},
		{"  gitlab:", "    if: false\n  gitlab:", true},
		{"- name: Test", "- name: Test\n        if: matrix.go == 'stable'", true},
		{"- name: Test", "- name: Test\n        continue-on-error: true", true},
		{"go test -race ./...", "go test -race -run A ./...", true},
		{"go test -race ./...", "go test -race ./... || true", true},
		{"          go vet ./...\n", "", true},
		{", windows-latest", "", true},
		{"  pull_request:\n", "", true},
		{"branches: [main]", "branches: [none]", true},
		{"        go: ", "        exclude:\n          - os: ubuntu-latest\n        go: ", true},
		{"          args:", "          only-new-issues: true\n          args:", true},
		{"          go vet", "          rm -rf hard\n          go vet", true},
		{"      - make check\n", "", true},
		{"      - make check", "      - export GOFLAGS=-run=A\n      - make check", true},
	} {
		now := strings.Replace(was, edit.old, edit.new, 1)
		if now == was {
			t.Fatalf("%q is not there", edit.old)
		}
		w := weakening{path: ".github/workflows/a.yml", was: was, now: now}
		alarms, err := Find(w.change())
		got := slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman })
		if err != nil || got != edit.need {
			t.Errorf("%+v: %v, %v, %v", edit, got, alarms, err)
		}
	}
}

func changeOf(text string) Change { return change(text, "go test ./...") }

// A comment that ends before code hides none.
func TestCodeBehindAComment(t *testing.T) {
	t.Parallel()
	for _, w := range []weakening{
		{path: "lib/a.go", was: "package lib\n", now: "package lib\n/* fast */ func init() { os.Exit(0) }\n"},
		{path: "src/a.js", was: "x\n", now: "x\n * done */ process.exit(0)\n"},
		{path: "src/a.js", was: "x\n", now: "x\n#end = process.exit(0)\n"},
	} {
		alarms, err := Find(w.change())
		if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool { return a.Rule == "ends-process" }) {
			t.Errorf("%q: %+v, %v", w.now, alarms, err)
		}
	}
}

// A line that does not show all that a program reads needs the human, and so do settings
// that were not read.
func TestWhatIsNotShownNeedsTheHuman(t *testing.T) {
	t.Parallel()
	c := weakening{path: "lib.py", was: "x\n", now: "x\ny\n"}.change()
	lines := c.Lines
	c.Lines = func(f func(checks.LineChange)) error {
		return lines(func(l checks.LineChange) { l.Odd = "odd"; f(l) })
	}
	if alarms, err := Find(c); err != nil || len(alarms) != 1 || alarms[0].Rule != "text-hidden" {
		t.Errorf("%+v, %v", alarms, err)
	}
	c = weakening{path: "pyproject.toml", was: "x\n", now: "x\ny\n"}.change()
	c.Unread = func(path string) bool { return path == "pyproject.toml" }
	alarms, err := Find(c)
	if err != nil || len(alarms) != 1 || alarms[0].Rule != "test-settings" || !alarms[0].NeedsHuman {
		t.Errorf("%+v, %v", alarms, err)
	}
}

// What the commands wrote, and that they failed before, is for the human.
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
		t.Errorf("%q, %v", got, err)
	}
}
