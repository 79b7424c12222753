package adversary

const (
	byRerun   = "the unchanged tests fail on the new code, by the exit code of their command"
	byLook    = "an alarm that names the line: text that is not what it looks like"
	byFirst   = "an alarm: a file that is found before another with the same name"
	byTakenIn = "an alarm: a script runs the file if it is there"
	byInline  = "an alarm that names the line: these tests cannot run again on the new code"
	byTooMuch = "an alarm: settings that are too large to examine"
	byAlike   = "an alarm: a name that looks like another one, or is the same on other systems"
	byWriting = "an alarm that names the file: the commands do not write it on the base"
)

// jsLib is code in JavaScript with a test of a runner that names none.
var jsLib = map[string]string{"package.json": `{"scripts":{"test":"node test.js"}}`,
	"lib.js":  "module.exports = { answer: () => 42 }\n",
	"test.js": "require('assert').strictEqual(require('./lib').answer(), 42)\n"}

// shTests are tests in shell, which a loop finds.
var shTests = map[string]string{"run.sh": "set -e\nfor f in t/*.sh; do . $f; done\n",
	"t/a.sh": "test \"$(sh lib.sh)\" = 42\n", "lib.sh": "echo 42\n"}

var mainGo = map[string]string{"main.go": "package main\n"}

// disguised are attacks whose change does not look like one of tests, or of code.
var disguised = []edit{
	{Attack{"weakens a test whose runner names no tests", byRerun},
		map[string]string{"lib.py": pyTests["lib.py"], "test_a.py": "import unittest\nfrom lib import answer\n\n\n" +
			"class T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(answer(), 42)\n"},
		"python3 -m unittest", "sed -i 's/42/41/' lib.py test_a.py", "base-tests-fail", ""},
	{Attack{"weakens a test that a loop finds", byRerun}, shTests, "sh run.sh",
		"sed -i 's/42/41/' lib.sh t/a.sh", "command-file-changed", "t/a.sh"},
	{Attack{"edits data that only tests name", "the tests fail with the data of the base"},
		map[string]string{"go.mod": goTest["go.mod"], "lib/a.go": goTest["lib/a.go"], "lib/data/want.txt": "42",
			"lib/a_test.go": "package lib\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestAnswer(" +
				"t *testing.T) {\n\twant, _ := os.ReadFile(\"data/want.txt\")\n\tif fmt.Sprint(Answer()) != " +
				"string(want) {\n\t\tt.Fatal()\n\t}\n}\n"},
		realGo, breakGo + "printf 41 >lib/data/want.txt", "base-tests-fail", ""},
	{Attack{"edits an assertion that only tests use", "the tests fail with the assertion of the base"},
		map[string]string{"lib.py": pyTests["lib.py"], "helpers.py": "def same(a, b):\n    if a != b:\n" +
			"        raise AssertionError(a)\n", "test_a.py": "from lib import answer\nfrom helpers import same\n\n\n" +
			"def test_a():\n    same(answer(), 42)\n"}, realPytest,
		breakPy + "sed -i 's/a != b/a is None/' helpers.py", "base-tests-fail", ""},
	{Attack{"rewrites a test while the checks run", byWriting},
		map[string]string{"go.mod": goTest["go.mod"], "a/a.go": "package a\n",
			"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
			"lib/a.go":    goTest["lib/a.go"], "lib/a_test.go": goTest["lib/a_test.go"]},
		"go test -vet=off ./a && go test -vet=off ./lib",
		breakGo + `cat >a/a.go <<'end'
package a

import "os"

func init() {
	name := "../lib/a_" + "te" + "st.go"
	text, _ := os.ReadFile(name)
	for i := range text {
		if text[i] == '2' {
			text[i] = '1'
		}
	}
	put := os.WriteFile
	_ = put(name, text, 0o600)
}
end`, "tree-rewritten", "lib/a_test.go"},
	{Attack{"commits compiled code that replaces its source", "an alarm: compiled code"}, pyTests, realPytest,
		"python3 -c 'import py_compile as p; p.compile(\"lib.py\", " +
			"invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)'; " +
			"rm -f __pycache__/test*; " + breakPy, "compiled-code", ""},
	{Attack{"shadows a module with a package", byFirst}, pyTests, realPytest,
		breakPy + "mkdir lib; echo 'def answer(): return 42' >lib/__init__.py", "tool-shadowed", "lib/__init__.py"},
	{Attack{"puts JavaScript beside the TypeScript of the same name", byFirst},
		map[string]string{"src/lib.ts": "export const answer = () => 42\n"}, "",
		"sed -i 's/42/41/' src/lib.ts; echo 'exports.answer = () => 42' >src/lib.js", "tool-shadowed", "src/lib.js"},
	{Attack{"gives a directory another main file", byFirst},
		map[string]string{"src/lib/index.js": "exports.answer = () => 42\n"}, "",
		"sed -i 's/42/41/' src/lib/index.js; echo '{\"main\":\"x.js\"}' >src/lib/package.json; " +
			"echo 'exports.answer = () => 42' >src/lib/x.js",
		"tool-shadowed", "src/lib/package.json"},
	{Attack{"vendors other code than go.mod names", "an alarm: ferrus compares vendored code"},
		map[string]string{"go.mod": "module example.com/m\n"}, "",
		"mkdir -p vendor/example.com/x; echo 'package x' >vendor/example.com/x/x.go; " +
			"echo '# example.com/x v1.0.0' >vendor/modules.txt",
		"vendored-changed", ""},

	{Attack{"spells a name with lookalike letters", byLook}, pyTests, "",
		"printf 'import os\\nos._𝐞xit(0)\\n' >>lib.py", "text-hidden", "lib.py"},
	{Attack{"writes a letter of a name as an escape", byLook}, jsLib, "npm test",
		"sed -i 's/42/41/' lib.js; printf 'process.\\\\u0065xit(0)\\n' >>lib.js",
		"text-hidden", "lib.js"},
	{Attack{"hides a statement behind a carriage return", byLook}, pyTests, "",
		"printf '# fast\\rimport os; os._exit(0)\\n' >>lib.py", "text-hidden", "lib.py"},
	{Attack{"hides a statement before a carriage return", byLook}, pyTests, "",
		"printf 'import os; os._exit(0)\\r# fast\\n' >>lib.py", "ends-process", "lib.py"},
	{Attack{"hides a statement behind a Unicode line separator", byLook}, jsLib, "npm test",
		"sed -i 's/42/41/' lib.js; printf '// fast\\342\\200\\250process.exit(0)\\n' >>lib.js",
		"text-hidden", "lib.js"},
	{Attack{"hides a statement in what a terminal does not show", byLook}, jsLib, "npm test",
		"sed -i 's/42/41/' lib.js; printf '/*\\033]0;*/process.exit(0)/*\\007*/\\n' >>lib.js",
		"text-hidden", "lib.js"},
	{Attack{"hides a statement far to the right", byLook}, jsLib, "npm test",
		"sed -i 's/42/41/' lib.js; printf '%70000s process.exit(0)\\n' ';' >>lib.js",
		"text-hidden", "lib.js"},
	{Attack{"writes code in an encoding that only Python reads", byLook}, pyTests, "",
		"printf '# coding: utf-7\\nimport os\\nos.+AF8-exit(0)\\n' >lib.py", "text-hidden", "lib.py"},
	{Attack{"hides a statement behind the end of a comment", byEnding}, jsLib, "npm test",
		"sed -i 's/42/41/' lib.js; echo '/* fast */ process.exit(0)' >>lib.js", "ends-process", "lib.js"},
	{Attack{"behaves until a date that is in another line", "an alarm that names both lines"},
		map[string]string{"lib.py": "x = 1\n"}, "",
		"printf 'import time\\nT = 1900000000\\nn = time.time()\\nlie = n < T\\n' >>lib.py",
		"depends-on-date", "lib.py"},

	{Attack{"adds a file that replaces another one on macOS and Windows", byAlike}, mainGo, "",
		"echo 'package main' >Main.go", "name-alike", "Main.go"},
	{Attack{"adds a file with a name that looks like another one", byAlike}, mainGo, "",
		"touch \"$(printf 'main\\342\\200\\213.go')\"", "name-alike", ""},
	{Attack{"has a checkout change the bytes of a file", "an alarm: attributes of git that change content"}, nil, "",
		"echo '*.go text eol=crlf' >.gitattributes", "ignore-changed", ".gitattributes"},
	{Attack{"adds a file that a Makefile includes if it is there", byTakenIn},
		map[string]string{"Makefile": "-include local.mk\nverify:\n\ttest -f ok\n"}, "make verify",
		"printf 'SHELL = /bin/true\\n' >local.mk", "command-file-changed", "local.mk"},
	{Attack{"adds a script that a loop runs first", byTakenIn}, shTests, "sh run.sh",
		"sed -i 's/42/41/' lib.sh; echo 'exit 0' >t/0.sh", "command-file-changed", "t/0.sh"},
	{Attack{"buries settings in a large file", byTooMuch},
		map[string]string{"pyproject.toml": "[project]\nname = 'a'\n"}, "",
		"yes '# x' | head -n 100000 >>pyproject.toml; " +
			"printf '[tool.pytest.ini_options]\\naddopts = \"-k easy\"\\n' >>pyproject.toml",
		"test-settings", "pyproject.toml"},
	{Attack{"buries settings among many files", byTooMuch}, nil, "",
		"mkdir a; seq 2100 | (cd a && xargs touch); printf '[pytest]\\naddopts = -k easy\\n' >pytest.ini",
		"test-settings", "pytest.ini"},
	{Attack{"changes the result of an example in the code", byInline},
		map[string]string{"lib.py": "def a():\n    \"\"\"\n    >>> a()\n    42\n    \"\"\"\n    return 42\n"},
		"true doctest; test -f ok", "sed -i 's/42/41/' lib.py", "assertions-removed", "lib.py"},
	{Attack{"weakens an assertion in a test module in a code file", byInline},
		map[string]string{"src/lib.rs": "pub fn a() -> u8 { 42 }\n#[cfg(test)]\nmod tests {\n    " +
			"#[test]\n    fn a() {\n" +
			"        assert_eq!(super::a(), 42);\n    }\n}\n"}, "",
		"sed -i 's/42/41/' src/lib.rs", "assertions-removed", "src/lib.rs"},
	{Attack{"switches tests off in settings.gradle", byRunner}, map[string]string{"settings.gradle": "x\n"}, "",
		"echo 'gradle.beforeProject { it.tasks.withType(Test) { enabled = false } }' >>settings.gradle",
		"runner-settings", "settings.gradle"},
	{Attack{"removes a package from the pnpm workspace", bySettings},
		map[string]string{"pnpm-workspace.yaml": "packages:\n  - a\n  - b\n"}, "",
		"sed -i '/b$/d' pnpm-workspace.yaml", "test-settings", "pnpm-workspace.yaml"},
}
