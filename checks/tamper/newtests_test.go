package tamper

import (
	"slices"
	"testing"
)

// What leaves out, or hides the failure of, a test that came with it leaves out nothing that ran; the
// same around a test that was there does.
func TestNewTestsMayBeSkipped(t *testing.T) {
	t.Parallel()
	const old = "def test_a():\n    assert a()\n"
	const skip = "@pytest.mark.skipif(sys.version_info < (3, 11), reason='old')\n"
	const oldJS = "const test = require('tape')\ntest('a', (t) => {\n  t.equal(1, a())\n})\n"
	for _, c := range []struct {
		name string
		weakening
		rule string // that needs you; empty: none
	}{
		{"decorator", weakening{path: "test_a.py", was: old,
			now: old + "\n" + skip + "def test_b():\n    assert b()\n"}, ""},
		{"brackets", weakening{path: "test_a.py", was: old,
			now: old + "\n@pytest.mark.skipif(\n    no_yaml,\n    reason='none',\n)\n" +
				"def test_b():\n    assert b()\n"}, ""},
		{"moved line beside it", weakening{path: "test_a.py", was: old + "x = 1\n",
			now: "x = 1\n" + old + skip + "def test_b():\n    pass\n"}, ""},
		{"in its body", weakening{path: "test_a.py", was: old,
			now: old + "\ndef test_b():\n    pytest.importorskip('yaml')\n    assert b()\n"}, ""},
		{"alone, in a new file", weakening{path: "b.test.js",
			now: "test.only('b', () => {\n  assert(b())\n})\n"}, "skip-added"},
		{"alone, in a new test", weakening{path: "a.test.js", was: oldJS,
			now: oldJS + "test('b', () => {\n  test.only('c', () => {})\n})\n"}, "skip-added"},
		{"decorator of a test that was there", weakening{path: "test_a.py", was: old,
			now: skip + old}, "skip-added"},
		{"of a class", weakening{path: "test_a.py", was: "class TestA:\n    def test_a(self):\n        assert a()\n",
			now: "@pytest.mark.skip\nclass TestA:\n    def test_b(self):\n        assert b()\n\n" +
				"    def test_a(self):\n        assert a()\n"}, "skip-added"},
		{"below the new test, of the file", weakening{path: "test_a.py", was: old,
			now: old + "\ndef test_b():\n    assert b()\npytestmark = pytest.mark.skip\n"}, "skip-added"},
		{"of a test that moved", weakening{path: "test_a.py", was: old + "x = 1\n",
			now: "x = 1\n" + skip + old}, "skip-added"},
		{"in place of another", weakening{path: "test_a.py", was: old,
			now: skip + "def test_b():\n    assert a()\n"},
			"skip-added"},
		{"of a test with other parameters", weakening{path: "test_a.py", was: "def test_a(x):\n    assert a(x)\n",
			now: skip + "def test_a(x, y):\n    assert a(x)\n\ndef test_b():\n    assert b()\n"}, "skip-added"},
		{"nested functions", weakening{path: "test_a.py", was: old,
			now: old + "\ndef test_b():\n    def test():\n        pass\n    test()\n\n" +
				"def test_c():\n    def test():\n        pass\n    test()\n"}, ""},
		{"another of the same name", weakening{path: "test_a.py", was: old,
			now: old + "\ndef test_a():\n    pass\n"},
			"tests-removed"},
		{"a handler that fails", weakening{path: "a.test.js", was: "test('a', () => {\n  try {\n    assert.ok(a())\n" +
			"  } catch (e) {\n    assert.fail()\n  }\n})\n",
			now: "test('a', () => {\n  try {\n    assert.ok(a())\n" +
				"  } catch {\n    assert.fail()\n  }\n})\n"}, ""},
		{"a handler that does not", weakening{path: "a.test.js",
			was: "test('a', () => {\n  try {\n    assert.ok(a())\n" +
				"  } catch (e) {\n    assert.fail()\n  }\n})\n",
			now: "test('a', () => {\n  try {\n    assert.ok(a())\n" +
				"  } catch {\n    log()\n  }\n})\n"}, "always-passes"},
		{"a file of tests that a command names", weakening{path: "test.js", was: oldJS, commands: "tape test.js",
			now: oldJS + "test('b', (t) => {\n  t.equal(2, b())\n})\n"}, ""},
		{"the same with fewer", weakening{path: "test.js", was: oldJS, commands: "tape test.js",
			now: "const test = require('tape')\n"}, "tests-removed"},
		{"a script that a command names", weakening{path: "run.js", commands: "node run.js",
			was: "const Mocha = require('mocha')\nnew Mocha().addFile('a').run(process.exit)\n",
			now: "const Mocha = require('mocha')\nconst test = require('tape')\ntest('a', () => {})\n"},
			"command-file-changed"},
		{"a script that becomes a test", weakening{path: "run.js", was: "check()\n", commands: "node run.js",
			now: "const test = require('tape')\ntest('a', () => {})\n"}, "command-file-changed"},
	} {
		alarms, err := Find(c.change())
		var rules []string
		for _, a := range alarms {
			if a.NeedsHuman {
				rules = append(rules, a.Rule)
			}
		}
		if want := slices.DeleteFunc([]string{c.rule}, func(r string) bool { return r == "" }); err != nil ||
			!slices.Equal(rules, want) && (c.rule == "" || !slices.Contains(rules, c.rule)) {
			t.Errorf("%s: %q, %v; want %q", c.name, rules, err, want)
		}
	}
}

// Changes of settings that say the same in other words, and weaker ones that resemble them.
func TestSettingsThatSayTheSame(t *testing.T) {
	t.Parallel()
	mustNeedHuman(t, map[string][]weakening{
		"limit-changed": {
			{path: "test_a.py", was: "a(x, delta=1)\n", now: "a(x, delta=9)\n"},
			{path: "pyproject.toml", was: "addopts = [\n\"--cov-fail-under=90\",\n]\n",
				now: "addopts = [\n\"--cov-fail-under=10\",\n]\n"},
		},
		"ignore-changed": {{path: ".eslintignore",
			now: "src/\n"}, {path: ".gitignore", was: "a\n", now: "test_a.py\n"}},
		"dependency-replaced": {{path: "package.json", was: "{\n}\n",
			now: "{\n  \"dependencies\": {\n    \"url\": \"git+https://a/b.git\"\n  }\n}\n"}},
		runnerSettings: {
			{path: "Makefile", was: "test:\n\tgo test ./...\n",
				now: "SHELL = ./sh\ntest:\n\tgo test ./...\n", commands: "go vet"},
			{path: "tox.ini", was: "[testenv]\ncommands =\n  py3{9,10}: pytest\n",
				now: "[testenv]\ncommands =\n  py99: pytest\n"},
			{path: "tox.ini", was: "[testenv]\ncommands =\n  py3{9,10}: pytest\n",
				now: "[testenv]\ncommands =\n  py3{10,11}: pytest a\n"},
		},
		testSettings: {
			{path: "package.json", was: `{"scripts":{"lint":"standard"}}`, now: `{"scripts":{"lint":"true"}}`},
			{path: "package.json", was: `{"scripts":{"lint":"standard"}}`,
				now: `{"scripts":{"lint":"eslint . | cat"}}`},
		},
		"ci-changed": {
			{path: ".github/workflows/a.yml", was: "run: golangci-lint run\n", now: "run: echo lint\n"},
			{path: ".github/workflows/a.yml", was: "run: go test\n",
				now: "run: |\n  go test\n  cat a > b_test.go\n"},
			{path: ".github/workflows/a.yml", was: "run: go test | tee a\n", now: "run: go vet\n"},
		},
	})
	for _, w := range []weakening{
		{path: "pyproject.toml", was: "dev = [\n\"coverage>=7.0\",\n]\n",
			now: "dev = [\n\"coverage>=7.15\",\n]\n"},
		{path: "tox.ini", was: "[testenv]\ncommands =\n  py3{8,9},pypy3: pytest {posargs}\n",
			now: "[testenv]\ncommands =\n  py3{9,10}: pytest {posargs}\n"},
		{path: "package.json", was: `{"scripts":{"lint":"standard | snazzy"}}`,
			now: `{"scripts":{"lint":"eslint","lint:fix":"eslint --fix"}}`, commands: "tape a.js"},
		{path: "package.json", was: `{"scripts":{"test":"tape test.js | faucet"}}`,
			now: `{"scripts":{"test":"tape test.js"}}`, commands: "npm test"},
		{path: ".github/workflows/a.yml", was: "jobs:\n  a:\n    steps:\n      - run: go test -run=- -bench=. ./...\n",
			now: "jobs:\n  a:\n    if: a == b\n    steps:\n      - run: go test -run=- -bench=. -count=8 ./...\n"},
		{path: ".github/workflows/a.yml", was: "run: go tool cover -func=c.out | grep -v rl\n",
			now: "run: |\n  grep -v rl raw.out > c.out\n  go tool cover -func=c.out\n"},
		{path: ".github/workflows/a.yml", was: "run: diff -u <(echo -n) <(task lint)\n",
			now: "uses: golangci/golangci-lint-action@v9\n"},
		{path: "noxfile.py", now: "import nox\n\n@nox.session\ndef a(session):\n    session.run('ruff')\n"},
		{path: ".gitignore", was: "dist\n/build/\n", now: "/out/\npytest*.xml\n"},
		{path: ".eslintignore", now: "coverage/\n"},
		{path: "test_a.py", was: "a(timedelta(minutes=1, seconds=30))\n", now: "a(timedelta(minutes=1, seconds=29))\n"},
		{path: "setup.cfg", was: "  coverage>=5.0\n", now: "  coverage>=7.6.0\n"},
		{path: "Makefile", was: "test:\n\tgo test ./...\n", now: "SHELL = /bin/sh\n.SHELLFLAGS = -ec\n" +
			"test:\n\tgo test ./... -coverprofile=c.out\n", commands: "go vet"},
		{path: "pytest.ini", was: "[pytest]\naddopts = -x\n", now: "[pytest]\naddopts = -x --junitxml=j.xml\n"},
		{path: "package.json", was: `{"scripts":{"test":"npm run unit","unit":"tape a"}}`, commands: "npm test",
			now: `{"scripts":{"test":"npm run unit && npm run more","unit":"tape a","more":"nyc tape b.js"}}`},
		{path: "package.json", was: "{\n}\n",
			now: "{\n  \"repository\": {\n    \"type\": \"git\",\n    \"url\": \"git+https://a/b.git\"\n  }\n}\n"},
		{path: ".github/workflows/a.yml", was: "a:\n  py: [\"3.9\", \"3.12-dev\"]\n",
			now: "a:\n  py: [\"3.12\", \"3.13\"]\n"},
		{path: ".github/workflows/a.yml", was: "uses: pre-commit/action@v3\n", now: "uses: j178/prek-action@v1\n"},
	} {
		alarms, err := Find(w.change())
		if err != nil || slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman }) {
			t.Errorf("%s %q: %+v, %v; want no alarm for the human", w.path, w.now, alarms, err)
		}
	}
}
