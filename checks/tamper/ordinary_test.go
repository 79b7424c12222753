package tamper

import (
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
)

// ordinary lists ordinary changes that weaken nothing.
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
	for _, w := range slices.Concat(ordinary, ordinaryBuilds, ordinaryCheckers, ordinaryOrigins) {
		alarms, err := Find(w.change())
		if err != nil || slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman }) {
			t.Errorf("%s %q: %+v, %v; want no alarm for the human", w.path, w.now, alarms, err)
		}
	}
}

// Tests that moved to another file are left to the reviewer.
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
		"M .gitignore\n-1 /dist\n+1 /out":            {"(ignore-changed .gitignore) -1: /dist"},
		"M .gitignore\n-1 !/dist/a":                  {"ignore-changed .gitignore -1: !/dist/a"},
		"A .gitattributes\n+1 *.bat text eol=crlf":   {"(ignore-changed .gitattributes) +1: *.bat text eol=crlf"},
		// A checkout has other bytes than the checks read.
		"A .gitattributes\n+1 *.sh text eol=crlf": {"ignore-changed .gitattributes +1: *.sh text eol=crlf"},
		"A .gitattributes\n+1 a.txt ident":        {"ignore-changed .gitattributes +1: a.txt ident"},
		"A x\u200b.go":                            {"name-alike x\u200b.go"},
		"R x.go x\u0301.go":                       {"name-alike x\u0301.go"},
		"M x\u200b.go":                            nil,
		"M .github/workflows/a.yml\n+1 if: false": {"ci-changed .github/workflows/a.yml +1: if: false"},
	} {
		if got := alarmsOf(t, changeOf(change)); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", change, got, want)
		}
	}
}

// Scripts of package.json that still do everything they did are left to the reviewer.
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
			t.Errorf("%q: %v; want %v", scripts, got, want)
		}
	}
}

// Continuous integration may be reworded as long as it proves everything that it proved before.
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
			t.Errorf("%+v: %v, %v, %v; want %v", edit, got, alarms, err, edit.need)
		}
	}
}
