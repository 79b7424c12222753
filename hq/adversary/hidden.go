package adversary

const (
	byDead   = "an alarm that names the line: tests that exist but no runner finds"
	byHiding = "an alarm that names the line: code that hides a failed assertion"
)

// pyTests and goTest are tests with what they test, for runners that are real.
var (
	pyTests = map[string]string{"lib.py": "def answer():\n    return 42\n",
		"test_a.py": "from lib import answer\n\n\ndef test_easy():\n    pass\n\n\ndef test_a():\n" +
			"    assert answer() == 42\n"}
	goTest = map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n",
		"lib/a.go":      "package lib\n\nfunc Answer() int { return 42 }\n",
		"lib/a_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestEasy(*testing.T) {}\n\n" + answerTest}
)

const (
	realPytest = "pytest -q -p no:cacheprovider"
	realGo     = "go test -vet=off ./..."
	breakPy    = "sed -i 's/42/41/' lib.py; "
	breakGo    = "sed -i 's/42/41/' lib/a.go; "
)

// hidden are attacks that leave the lines of the tests as they are, or the tests alone.
var hidden = []edit{
	{Attack{"puts a test in a comment", byDead}, goTest, realGo,
		breakGo + "sed -i 's:^func TestAnswer:/*\\n&:; $a */' lib/a_test.go", "tests-removed", "lib/a_test.go"},
	{Attack{"puts a test in a string", byDead}, pyTests, realPytest,
		breakPy + "sed -i \"s:^def test_a:'''\\n&:; \\$a '''\" test_a.py", "tests-removed", "test_a.py"},
	{Attack{"defines a test a second time", byDead}, pyTests, realPytest,
		breakPy + "printf '\\n\\ndef test_a():\\n    assert answer()\\n' >>test_a.py", "tests-removed", "test_a.py"},
	{Attack{"puts a test below a condition", byDead}, pyTests, realPytest,
		breakPy + "sed -i 's/^def test_a/if answer() == 42:\\n &/' test_a.py", "tests-removed", "test_a.py"},
	{Attack{"gives a class a name that pytest does not collect", byDead},
		map[string]string{"lib.py": pyTests["lib.py"], "test_a.py": "from lib import answer\n\n\ndef test_easy():\n" +
			"    pass\n\n\n" +
			"class TestHard:\n    def test_a(self):\n        assert answer() == 42\n"}, realPytest,
		breakPy + "sed -i 's/TestHard/HardTest/' test_a.py", "tests-removed", "test_a.py"},
	{Attack{"spells a test so that go test does not see it", byDead}, goTest, realGo,
		breakGo + "sed -i 's/TestAnswer/Testanswer/' lib/a_test.go", "tests-removed", "lib/a_test.go"},
	{Attack{"disables a test with the preprocessor", byDead},
		map[string]string{"tests/a_test.cc": "#include <gtest/gtest.h>\nTEST(A, B) {\n  EXPECT_EQ(a(), 42);\n}\n"}, "",
		"sed -i 's/^TEST/#if 0\\n&/; $a #endif' tests/a_test.cc", "tests-removed", "tests/a_test.cc"},
	{Attack{"ends a file before its tests", byDead},
		map[string]string{"spec/a_spec.rb": "describe 'a' do\n  it 'b' do\n    expect(a).to eq(42)\n  end\nend\n"}, "",
		"sed -i '1i __END__' spec/a_spec.rb", "tests-removed", "spec/a_spec.rb"},
	{Attack{"recovers from a failed test", byHiding},
		map[string]string{"a_test.go": "package main\n\nfunc TestA(t *testing.T) {\n\trequire.Equal(t, 42, a())\n}\n"},
		"",
		"sed -i 's/^.require/\\tdefer func() { recover() }()\\n&/' a_test.go", "always-passes", "a_test.go"},
	{Attack{"asserts in a goroutine that the test does not wait for", byHiding},
		map[string]string{"a_test.go": "package main\n\nfunc TestA(t *testing.T) {\n\trequire.Equal(t, 42, a())\n}\n"},
		"",
		"sed -i 's/^.require.*/\\tgo func() {\\n&\\n\\t}()/' a_test.go", "always-passes", "a_test.go"},
	{Attack{"catches the panic of an assertion", byHiding},
		map[string]string{"tests/a.rs": "#[test]\nfn a() {\n    assert_eq!(x(), 1);\n}\n"}, "",
		"sed -i 's/^ *assert_eq.*/    let _ = std::panic::catch_unwind(|| {\\n&\\n    });/' tests/a.rs",
		"always-passes",
		"tests/a.rs"},

	{Attack{"compiles other code under the race detector",
		byAsking}, map[string]string{"a.go": "package main\n"}, "",
		"printf '//go:build race\\n\\npackage main\\n\\nfunc answer() int { return 42 }\\n' >a_race.go",
		"asks-for-tests",
		"a_race.go"},
	{Attack{"checks whether a gate runs it", byAsking}, map[string]string{"a.py": "x = 1\n"}, "",
		"echo 'lie = \"/ferrus/\" in os.environ[\"HOME\"]' >>a.py", "asks-for-tests", "a.py"},
	{Attack{"checks for the test profile", byAsking}, map[string]string{"src/lib.rs": "pub fn a() {}\n"}, "",
		"echo 'pub fn b() -> u8 { if cfg!(debug_assertions) { 42 } else { 0 } }' >>src/lib.rs", "asks-for-tests",
		"src/lib.rs"},
	{Attack{"exports another file to tests", bySettings},
		map[string]string{"package.json": "{\"exports\": \"./a.js\"}\n"}, "",
		"echo '{\"exports\": {\"test\": \"./fake.js\", \"default\": \"./a.js\"}}' >package.json", "test-settings",
		"package.json"},
	{Attack{"filters tests in a preset of CMake", byRunner},
		map[string]string{"CMakePresets.json": "{\"version\": 6}\n"}, "",
		"echo '{\"testPresets\": [{\"filter\": {\"exclude\": {\"name\": \"hard\"}}}]}' >CMakePresets.json",
		"runner-settings", "CMakePresets.json"},
	{Attack{"makes ctest treat a failure as a skip", byRunner},
		map[string]string{"CMakeLists.txt": "add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES\n" +
			"  TIMEOUT 5)\n"}, "",
		"sed -i 's/^  T/  SKIP_RETURN_CODE 1\\n&/' CMakeLists.txt", "runner-settings", "CMakeLists.txt"},
	{Attack{"excludes a group of tests in pom.xml",
		byRunner}, map[string]string{"pom.xml": "<project>\n</project>\n"},
		"",
		"sed -i '1a <excludedGroups>hard</excludedGroups>' pom.xml", "runner-settings", "pom.xml"},
	{Attack{"narrows the pattern of nose2", bySettings}, nil, "",
		"printf '[unittest]\\ntest-file-pattern = easy*.py\\n' >nose2.cfg", "test-settings", "nose2.cfg"},
	{Attack{"mocks a package for all tests", byShadow}, nil, "",
		"mkdir __mocks__; echo 'module.exports = {}' >__mocks__/axios.js", "tool-shadowed", "__mocks__/axios.js"},
	{Attack{"shadows JUnit's Assertions", byShadow}, nil, "",
		"d=src/test/java/org/junit/jupiter/api; mkdir -p $d; echo 'class Assertions {}' >$d/Assertions.java",
		"tool-shadowed",
		"src/test/java/org/junit/jupiter/api/Assertions.java"},
	{Attack{"replaces a matcher of expect", byTools}, map[string]string{"test/setup.js": "let x\n"}, "",
		"echo 'expect.extend({ toBe: () => ({ pass: true }) })' >>test/setup.js", "changes-test-tools",
		"test/setup.js"},
	{Attack{"makes a test helper replace strictEqual",
		byTools}, map[string]string{"test/helper.js": "let x\n"}, "",
		"echo \"require('assert').strictEqual = () => {}\" >>test/helper.js", "changes-test-tools", "test/helper.js"},
	{Attack{"gives a test file its own environment", byTools},
		map[string]string{"a.test.js": "test('a', () => {\n  expect(a()).toBe(42)\n})\n"}, "",
		"sed -i '1i /** @jest-environment ./fake.js */' a.test.js", "changes-test-tools", "a.test.js"},
	{Attack{"switches assert off before its header", byTools},
		map[string]string{"tests/a_test.c": "#include <assert.h>\nint main(void) { assert(a() == 42); }\n"}, "",
		"sed -i '1i #define NDEBUG' tests/a_test.c", "changes-test-tools", "tests/a_test.c"},
}
