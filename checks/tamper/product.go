package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/testnames"
	"ferrus/ui/text/lazyregexp"
)

// The files of code, by language.
var (
	goCode     = lazyregexp.New(`\.go$`)
	pythonCode = lazyregexp.New(`\.pyi?$`)
	scriptCode = lazyregexp.New(`\.(?:[cm]?[jt]sx?|vue|svelte)$`)
	rustCode   = lazyregexp.New(`\.rs$`)
	cCode      = lazyregexp.New(`\.(?:c|cc|cpp|cxx|h|hh|hpp)$`)
	javaCode   = lazyregexp.New(`\.(?:java|kt|kts|groovy|scala)$`)
	rubyCode   = lazyregexp.New(`\.rb$`)
	sharpCode  = lazyregexp.New(`\.cs$`)
	phpCode    = lazyregexp.New(`\.php$`)
	elixirCode = lazyregexp.New(`(?:^|/)lib/.*\.ex$`)
	swiftCode  = lazyregexp.New(`\.swift$`)
	dartCode   = lazyregexp.New(`\.dart$`)
	anyCode    = lazyregexp.New(`\.(?:go|pyi?|[cm]?[jt]sx?|vue|svelte|rs|c|cc|cpp|cxx|h|hh|hpp|java|kt|kts|groovy` +
		`|scala|rb|php|cs|swift|exs?|lua|pl|pm|dart|zig|sh|bash)$`)
	// configCode are settings that are written in a language of code.
	configCode = lazyregexp.New(`(?:^|/)[\w-]+\.config\.[cm]?[jt]s$|(?:^|/)\.?eslintrc\.[cm]?js$|(?:^|/)noxfile\.py$`)
	installer  = lazyregexp.New(`(?:^|/)setup\.py$`) // it names packages, and no test imports it
	program    = lazyregexp.New(`(?:^|/)(?:bin|cli|cmd|scripts?|tools?|examples?)(?:/|\.)|(?:^|/)(?:__main__|main|cli)\.\w+$`)
)

// support matches where code that only tests use may be: such code may ask whether
// tests run, and the reviewer judges it.
var support = lazyregexp.New(`(?i)(?:^|/)(?:[a-z]*tests?|testing|test[-_]?(?:util|utils|helper|helpers|support|lib|env)` +
	`|fixtures|mocks?|__mocks__|e2e|spec|bench\w*|conftest)(?:/|\.\w+$)`)

// productRule is raised by a line that comes into code that is no test.
type productRule struct {
	rule string
	path *lazyregexp.Regexp
	line *lazyregexp.Regexp
	not  *lazyregexp.Regexp // a path that it is quiet for; nil: none
}

var productRules = []productRule{
	{rule: asksForTests, path: goCode, line: lazyregexp.New(
		`\btesting\.(?:Testing|Short|Verbose|CoverMode|Init|Main\w*|RunTests|Benchmark)\b|\b\w+\.Testing\b|^\s*(?:import\s+)?(?:[^i\s]|i[^m])\S*\s+"testing"$` +
			`|"-?test\.\w*"|"\.test"|\btRunner\b|[(,=]\s*"testing[."]|_test(?:\.go)?"` +
			`|(?:HasSuffix|HasPrefix|Contains|Base)\(\s*os\.Args|runtime\.(?:Caller|FuncForPC).*[Tt]est|os\.Executable\(.*(?:test|go-build)`)},
	{rule: asksForTests, path: pythonCode, not: installer, line: lazyregexp.New(
		`\bPYTEST_|sys\.modules\b.*(?:test|nose)|["'](?:_?pytest|unittest|nose2?|doctest|py\.test)["']` +
			`|^\s*(?:import|from)\s+(?:_?pytest|unittest|nose|hypothesis)\b|sys\.argv\b.*test` +
			`|\b(?:inspect\.(?:stack|currentframe)|sys\._getframe)\(.*test|["']_?test_["']|["']PYTEST["']` +
			`|["']_?test\w*["'].*\b(?:inspect\.(?:stack|currentframe)|sys\._getframe|traceback\.(?:format|extract)_stack)\(`)},
	{rule: asksForTests, path: scriptCode, line: lazyregexp.New(
		"NODE_ENV['\"\\]]*\\s*[!=]==?\\s*['\"`]test|['\"`]test['\"`]\\s*[!=]==?\\s*process\\.env|JEST_WORKER_ID" +
			"|\\bVITEST\\w*|\\bMOCHA_|NODE_TEST_CONTEXT|npm_lifecycle_|NODE_V8_COVERAGE" +
			"|typeof\\s+(?:(?:\\(?globalThis(?: as any\\))?|global|window)\\.)?(?:jest|vi|vitest|describe|it" +
			"|test|expect" +
			"|beforeEach|afterEach)\\b" +
			"|\\b(?:global|globalThis)(?: as \\w+\\))?\\.(?:__vitest\\w*|__jest\\w*|jest|describe" +
			"|it|test|expect)\\b|import\\.meta\\.(?:vitest" +
			"|env\\.(?:TEST|VITEST))" +
			"|import\\.meta\\.env\\.MODE\\s*[!=]==?\\s*['\"`]test" +
			"|['\"`](?:node:test|@jest/globals|vitest|mocha|chai|ava|tape)['\"`]|process\\.argv.*(?:jest|vitest" +
			"|mocha|test)" +
			"|\\.stack\\b.*(?:jest|vitest|mocha|test)")},
	{rule: asksForTests, path: rustCode, line: lazyregexp.New(
		`\bcfg!\(.*\btest\b|#!?\[cfg\((?:not|any|all)\(.*\btest\b|\bNEXTEST|\bRUST_TEST_|thread::current\(\)\.name|current_exe\(\).*\b(?:deps|test)`)},
	{rule: asksForTests, path: javaCode, not: gradleScript, line: lazyregexp.New(
		`"(?:org\.)?(?:junit|testng)|surefire|(?:[Gg]etStackTrace\(\)|\bStackWalker\b).*(?i:test|junit)|forName\(.*(?i:junit|test)` +
			`|sun\.java\.command|java\.class\.path.*(?i:test)`)},
	{rule: asksForTests, path: rubyCode, line: lazyregexp.New(
		`defined\?\(?\s*(?:RSpec|Minitest|Test::Unit)|Rails\.env\.test\?|(?:RAILS|RACK)_ENV.*test|\$(?:PROGRAM_NAME|0)\b.*(?:test|spec)`)},
	{rule: asksForTests, path: rubyCode, line: lazyregexp.New(
		`\bcaller(?:_locations)?\b.*(?i:r?spec|test)|\$(?:LOADED_FEATURES|")\W.*(?i:r?spec|test)|ObjectSpace.*(?:RSpec|Minitest)`)},
	{rule: asksForTests, path: sharpCode, line: lazyregexp.New(
		`"(?:xunit|nunit|testhost|mstest|vstest|Microsoft\.VisualStudio\.TestPlatform)|GetAssemblies\(\).*(?i:test|xunit)` +
			`|ProcessName\b.*(?i:test)|VSTEST_\w+|StackTrace\(.*(?i:test|xunit)`)},
	{rule: asksForTests, path: phpCode, line: lazyregexp.New(
		`(?:class_exists|interface_exists|defined|function_exists)\(\s*\\?['"\\]*(?:PHPUnit|Pest|__PHPUNIT)|runningUnitTests\(` +
			`|get_(?:included|required)_files\(\).*(?i:test|phpunit)|debug_backtrace\(.*(?i:test|phpunit)|\$argv\b.*(?i:phpunit|pest)`)},
	{rule: asksForTests, path: elixirCode, line: lazyregexp.New(
		`Mix\.env\b.*:test\b|:test\b.*Mix\.env\b|Code\.ensure_loaded\?*\(\s*ExUnit|whereis\(\s*ExUnit|ExUnit\.Server`)},
	{rule: asksForTests, path: swiftCode, line: lazyregexp.New(`NSClassFromString\(\s*"XCTest|"XCTest\w*"|"XCInjectBundle|processName\b.*xctest`)},
	{rule: asksForTests, path: cCode, line: lazyregexp.New(`\bprogram_invocation_(?:short_)?name\b.*test|\bgetprogname\(\).*test` +
		`|\bdlsym\(.*"(?:cmocka|_?check_|cu_|unity|UnityBegin|testing|_ZN7testing)`)},
	{rule: asksForTests, path: cCode, line: lazyregexp.New(`^\s*#\s*(?:el)?if(?:n?def)?\b.*\b(?:UNIT_?TESTS?|TESTING|IN_TEST|\w+_(?:UNIT_)?TEST(?:ING)?)\b`)},
	{rule: asksForTests, path: lazyregexp.New(`\.zig$`), line: lazyregexp.New(`\bis_test\b`)},
	{rule: asksForTests, path: dartCode, line: lazyregexp.New(`\bFLUTTER_TEST\b|package:(?:test|flutter_test)/`)},
	{rule: asksForTests, path: lazyregexp.New(`(?:^|/)build\.rs$`), line: lazyregexp.New(`"(?:PROFILE|OPT_LEVEL|DEBUG)"|rustc-cfg=\w*(?:test|skip|mock|fake|debug_assertions)|allow-multiple-definition`)},
	{rule: asksForTests, path: rustCode, line: lazyregexp.New(`#!?\[cfg_attr\(.*\btest\b.*\bpath\b|CARGO_(?:BIN_EXE|TARGET_TMPDIR)`)},
	{rule: asksForTests, path: goCode, line: lazyregexp.New(`^//go:build\s.*\b(?:race|msan|asan|cover|testing|tests?)\b`)},
	{rule: asksForTests, path: rustCode, line: lazyregexp.New(`\bcfg!\(.*\bdebug_assertions\b|#\[cfg\(.*\bdebug_assertions\b`)},
	{rule: asksForTests, path: anyCode, line: lazyregexp.New(`(?i)(?:environ|getenv|process\.env|env::var|getcwd|Getwd|cwd\(\)|homedir)` +
		`.*["'/.](?:ferrus|gates|tree["'])|["'/.]ferrus["'/].*(?:environ|getenv|process\.env|env::var|getcwd|Getwd|cwd\(\)|homedir)`)},
	{rule: asksForTests, path: anyCode, line: lazyregexp.New(
		`\b(?:BATS_TEST\w*|CTEST_\w+|GTEST_\w+|PYTEST_\w+|FERRUS_GATE|GO_TEST\w*|GOTEST\w*|TEST_TMPDIR|HARNESS_ACTIVE` +
			`|XCTestConfigurationFilePath|PHPUNIT_\w+)\b|/proc/(?:self|thread-self|\d+|%d|\$\$)/(?:cmdline|exe|comm|environ|stat)`)},

	{rule: "prints-results", path: anyCode, line: lazyregexp.New(
		"--- (?:PASS|FAIL|SKIP)\\b|=== (?:RUN|PAUSE|CONT)\\b|\\\\?[\"']Action\\\\?[\"']\\s*:|\\bok\\s*(?:\\\\t|\t)" +
			"|[\"'`](?:not )?ok (?:\\d|%|\\{|\\$)|[\"'`]1\\.\\.(?:\\d|%|\\{|\\$)|\\btest result: |\\.\\.\\." +
			" ok\\b|\\bPASSED\\b" +
			"|(?:\\d|%d|\\}) passed\\b|\\bpassed in |[\"'`]Tests:\\s|Test Suites:|<testsuites?\\b|<testcase\\b" +
			"|##teamcity\\[" +
			"|[\"'`](?:PASS|FAIL)(?:\\\\n|[ \\t]\\S*\\.(?:test|spec)\\.|[\"'`]\\s*\\))|\\d% tests passed|[✓✔√]" +
			" .*\\btest")},

	{rule: "ends-process", path: goCode, not: program, line: lazyregexp.New(
		`\b(?:os|syscall|unix)\.Exit\((?:0|syscall\.\w+)?\)|\bruntime\.Goexit\(|\b(?:syscall|unix)\.(?:Exec\(|SYS_EXIT)`)},
	{rule: "ends-process", path: pythonCode, line: lazyregexp.New(`\bos\._exit\b|\bos\.kill\(os\.getpid`)},
	{rule: "ends-process", path: pythonCode, not: program, line: lazyregexp.New(
		`^(?:sys\.exit|exit|quit)\(\s*0?\s*\)|^raise SystemExit|\bos\.exec[lv]p?e?\(`)},
	{rule: "ends-process", path: scriptCode, not: program, line: lazyregexp.New(
		`\bprocess\.(?:exit\(\s*0?\s*\)|exitCode\s*=\s*0|reallyExit\(|execve\(|abort\()`)},
	{rule: "ends-process", path: rustCode, not: program, line: lazyregexp.New(`\bprocess::exit\(\s*0\s*\)|libc::_?exit\(`)},
	{rule: "ends-process", path: cCode, not: program, line: lazyregexp.New(
		`\b(?:_exit|_Exit|quick_exit|exit)\(\s*(?:0|EXIT_SUCCESS)\s*\)`)},
	{rule: "ends-process", path: javaCode, not: program, line: lazyregexp.New(
		`\bSystem\.exit\(\s*0\s*\)|\bRuntime\b.*\bhalt\(|\bexitProcess\(\s*0`)},
	{rule: "ends-process", path: rubyCode, not: program, line: lazyregexp.New(
		`\bexit!|\bat_exit\b.*\bexit\b|\b(?:Kernel|Process)\.exit!?\(?\s*(?:0|true)\b`)},
	{rule: "ends-process", path: sharpCode, not: program, line: lazyregexp.New(`\bEnvironment\.Exit(?:Code\s*=\s*0|\(\s*0\s*\))`)},
	{rule: "ends-process", path: phpCode, not: program, line: lazyregexp.New(
		`\bexit\(\s*0\s*\)|\bregister_shutdown_function\(|\bpcntl_exec\(|\bposix_kill\(\s*(?:getmypid|posix_getpid)`)},
	{rule: "ends-process", path: elixirCode, line: lazyregexp.New(`\bSystem\.(?:halt|stop)\(\s*(?:0|:normal)?\s*\)|:erlang\.halt\(|:init\.stop\(`)},
	{rule: "ends-process", path: swiftCode, not: program, line: lazyregexp.New(`\b_?exit\(\s*(?:0|EXIT_SUCCESS)\s*\)`)},
	{rule: "ends-process", path: dartCode, not: program, line: lazyregexp.New(`\bexit\(\s*0\s*\)|\bexitCode\s*=\s*0\b`)},

	{rule: changesTestTools, path: goCode, line: lazyregexp.New(
		`^//go:linkname\b|\bgomonkey\.|\bmonkey\.Patch|"bou\.ke/monkey"|\bos\.(?:Stdout|Stderr|Args)\s*=[^=]` +
			`|\bflag\.(?:Set|CommandLine)\b.*test|\b(?:syscall|unix)\.(?:Dup[23]|Mprotect)\(`)},
	{rule: changesTestTools, path: pythonCode, line: lazyregexp.New(
		`\b(?:unittest|_?pytest)(?:\.\w+)+\s*=[^=]|setattr\(\s*(?:builtins|__builtins__|unittest|_?pytest)` +
			`|\bbuiltins\.\w+\s*=[^=]|\b__builtins__\b|\bsys\.(?:settrace|setprofile|excepthook|meta_path|path_hooks)\b` +
			`|\bctypes\.pythonapi|\bgc\.get_(?:objects|referrers)\(|\bf_locals\b|\.__code__\s*=[^=]|\bctypes\.\w+\(\s*id\(|\bpytest_(?:runtest|collection|configure|sessionfinish|pyfunc|report)\w*` +
			`|class AssertionError\b|\bsys\.exit\s*=[^=]|\bos\._?exit\s*=[^=]|\bTestCase\.\w+\s*=[^=]` +
			`|^\s*(?:(?:time|random|math|json|operator|datetime|functools)\.\w+|(?:np|numpy|torch|pandas|pd|jax|tf)(?:\.\w+)*` +
			`\.(?:allclose|isclose|array_\w+|equal|assert\w*|synchronize))\s*=[^=]`)},
	{rule: changesTestTools, path: scriptCode, line: lazyregexp.New(
		`\b(?:global|globalThis|window)(?:\.(?:expect|assert|it|test|describe|jest|vi|before\w*|after\w*)` +
			`|\[['"](?:expect|assert|it|test|describe)['"]\])\s*=[^=]|\bexpect\.extend\(|\bassert(?:\.\w+)+\s*=[^=]` +
			`|\b(?:Array|Object|String|Number|Boolean|Function|Promise|Error|Set|Map)\.prototype(?:\.\w+|\[[^\]]+\])\s*=[^=]` +
			`|Object\.defineProperty\(\s*(?:global|globalThis|(?:Object|Array|String|Number)\.prototype)` +
			`|\b(?:Object|Math|JSON|Reflect|Number|Array|Date|performance|Promise)\.\w+\s*=[^=>]|\$\$jest-` +
			`|^\s*(?:(?:global|globalThis|window)\.)?(?:set(?:Timeout|Interval|Immediate)|queueMicrotask|Date)\s*=[^=>]|\brequire\.cache\b|\bModule\._(?:load|resolveFilename|extensions)` +
			`|require\(['"](?:node:)?assert['"]\)(?:\.\w+)+\s*=[^=]|\bprocess\.(?:stdout|stderr)\.write\s*=[^=]`)},
	{rule: changesTestTools, path: rustCode, line: lazyregexp.New(
		`\bmacro_rules!\s+(?:assert\w*|debug_assert\w*|panic|unreachable|test)\b|\bpanic::set_hook\(` +
			`|\bextern "C" fn (?:abort|_?exit|str(?:n)?cmp|memcmp|bcmp|raise)\b`)},
	{rule: changesTestTools, path: cCode, line: lazyregexp.New(
		`#\s*(?:define|undef)\s+(?:assert|NDEBUG|EXPECT_\w+|ASSERT_\w+|CHECK|REQUIRE|main)\b` +
			`|^\s*(?:(?:extern "C"|static|_Noreturn)\s+)*(?:int|void)\s+(?:strn?cmp|memcmp|bcmp|abort|_?exit|__assert_\w+|raise)\(` +
			`[^;]*(?:$|\{)`)},
	{rule: changesTestTools, path: rubyCode, line: lazyregexp.New(
		`\b(?:module|class)\s+(?:RSpec|Minitest|Test::Unit)\b|\b(?:RSpec|Minitest)(?:::\w+)*\.\w+\s*=[^=]|class_eval.*(?:RSpec|Minitest)|\bTracePoint\b` +
			`|^\s*def (?:Time|Process|Kernel|Date)\.|\bKernel\.(?:class_eval|prepend|define_method)` +
			`|^\s*class (?:Basic)?Object\b|\b(?:Basic)?Object\.(?:class_eval|prepend|define_method)`)},

	{rule: changesTestTools, path: javaCode, line: lazyregexp.New(
		`\b(?:clear|set\w*)AssertionStatus\(|\bIntegerCache\b|\b(?:Integer|Long|Boolean|String)\.class\.getDeclaredField\(`)},
	{rule: changesTestTools, path: phpCode, line: lazyregexp.New(
		`\bnamespace\s+(?:PHPUnit|Pest)\b|['"](?:zend\.assertions|assert\.(?:active|exception|bail))['"]`)},
	{rule: changesTestTools, path: elixirCode, line: lazyregexp.New(`\bdefmodule ExUnit\b|\(:ex_unit\b|\bExUnit\.(?:configure|start)\b`)},
	{rule: changesTestTools, path: sharpCode, line: lazyregexp.New(
		`\bnamespace\s+(?:Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)\b|\b(?:Debug|Trace)\.Listeners\.(?:Clear|Remove)`)},
	{rule: changesTestTools, path: anyCode, line: lazyregexp.New(
		`\b(?:def|func|fun|function|fn|static\s+\w+)\s+(?:XCTAssert\w*|assert(?:_?[eE]quals?|[ST]\w+|_that|_true|_raises)|expect)\s*[(<]`)},

	{rule: "reads-tests", path: anyCode, line: lazyregexp.New(
		"[\"'`](?:[^\"'`]*/)?(?:testdata|__tests__|__snapshots__|__fixtures__|golden|goldens)(?:/[^\"'`]*)?[\"'`]" +
			"|[\"'`][^\"'`\\s]*(?:_test\\.(?:go|py)|\\.(?:test|spec)\\.[cm]?[jt]sx?|_spec\\.rb|\\.snap" +
			"|conftest\\.py)[\"'`]" +
			"|[\"'`](?:\\.\\.?/|/)*(?:tests?|spec|fixtures)/[^\"'`\\s]+\\.\\w+[\"'`]" +
			"|[\"'`]\\*?\\*?/?test_\\*?[^\"'`\\s]*\\.py[\"'`]" +
			"|^//go:embed\\s.*\\b(?:testdata|golden|fixtures|tests?/)" +
			"|\\b(?:open|join|ReadFile|readFile\\w*|Path|glob\\w*|listdir|walk|File|read_dir|ReadDir|readdir\\w*" +
			"|scandir|remove\\w*|unlink)\\(.*[\"'](?:tests?" +
			"|fixtures|spec)(?:/[\\w/]+)?[\"']")},

	{rule: "reads-tests", path: pythonCode, line: lazyregexp.New(
		`^\s*(?:from|import)\s+\.*(?:[\w.]+\.)?(?:tests|conftest|test_\w+|\w+_test)(?:[.\s]|$)|^\s*from\s+\.+(?:\w+\.)*test[.\s]` +
			`|import_module\(.*\b(?:tests?\b|test_)`)},
	{rule: "reads-tests", path: scriptCode, line: lazyregexp.New(
		"(?:from|require\\(|import\\(?)\\s*[\"'`](?:\\.\\.?/)+(?:[^\"'`]*/)?" +
			"(?:(?:tests?|spec|__tests__|__mocks__)(?:/|[\"'`])|[^\"'`]*[.-](?:test|spec)[\"'`])")},
	{rule: "reads-tests", path: goCode, line: lazyregexp.New(`^\s*(?:import\s+)?(?:[\w.]+\s+)?"[\w-]+\.\w+/[^"]+/(?:tests?|testdata)(?:/[^"]*)?"$`)},
	{rule: "reads-tests", path: rubyCode, line: lazyregexp.New(`\brequire(?:_relative)?[\s(]+['"](?:(?:[^'"]*/)?(?:tests?|spec)/|[^'"]*_(?:spec|test)['"])`)},
	{rule: "reads-tests", path: rustCode, line: lazyregexp.New(`\b(?:crate|super|self)::tests?::`)},
	{rule: "reads-tests", path: cCode, line: lazyregexp.New(`^\s*#\s*include\s*"(?:[^"]*/)?tests?/`)},

	{rule: "depends-on-date", path: anyCode, line: lazyregexp.New(
		`(?:time\.Now\(\)|Date\.now\(\)|new Date\(\)|(?:datetime|date)\.(?:now|today|utcnow)\(|time\.time\(\)|SystemTime::now\(\)` +
			`|Time\.now|LocalDate(?:Time)?\.now\(\)|Instant\.now\(\)|Utc::now\(\)|\bdate \+%)[^;]*` +
			`(?:[<>]|[=!]=|\b(?:After|Before|Compare|isAfter|isBefore|Sub|-gt|-lt|-ge|-le)\b)[^;]*\b(?:20\d\d|1[6-9]\d{8}(?:\d{3})?)\b`)},
}

// Code that behaves differently from a given day on: the day, and what asks for today's
// date.
var (
	dayWords = lazyregexp.New(`\b(?:1[6-9]\d{8}(?:\d{3})?|20[2-9]\d-[01]\d-[0-3]\d` +
		`|(?:[Dd]ate(?:time)?|Date\.UTC|time\.Date|from_ymd\w*|LocalDate\.of)\(\s*20[2-9]\d)\b`)
	todayWords = lazyregexp.New(`\btime\.(?:Now|Since|Until)\(|\bDate\.now\(|\bnew Date\(\)|\b(?:datetime|date)\.(?:now|today|utcnow)\(` +
		`|\btime\.time\(|\b(?:SystemTime|Instant|Utc|LocalDate|LocalDateTime)(?:::|\.)now\(|\bTime\.now\b|\bdate \+%`)
)

// checkDate counts both words of a file; it is raised where both came.
func (f *finder) checkDate(l checks.LineChange) {
	if !l.Added {
		return
	}
	d := f.dates[l.Path]
	if dayWords.MatchString(l.Text) {
		d.day = l
	}
	if todayWords.MatchString(l.Text) {
		d.today = l
	}
	f.dates[l.Path] = d
}

// dateLines are lines of a file that came: one with a day, one that asks for today.
type dateLines struct{ day, today checks.LineChange }

// raiseDates raises code that asks for today and has a day, in two lines.
func (f *finder) raiseDates() {
	for _, file := range f.change.Files {
		d := f.dates[file.Path]
		if d.day.Path != "" && d.today.Path != "" && d.day != d.today {
			f.raise("depends-on-date", file.Path).quotes([]checks.LineChange{d.day, d.today})
		}
	}
}

// isProduct reports whether a file is code that is no test, as far as its path and text tell.
func (f *finder) isProduct(name string) bool {
	if !anyCode.MatchString(name) || configCode.MatchString(name) {
		return false
	}
	if hasTestName(name) {
		return f.isNoTest(name)
	}
	lang, test := f.languageOf(name)
	return !test || lang.mixed != nil && lang.mixed.MatchString(name) || f.becameTest(name)
}

// Code that is built into a program whatever its name says, and directories of tests and of code.
var (
	builtByName = lazyregexp.New(`\.(?:java|kt|groovy|scala|cs|swift|php|rs|c|cc|cpp)$`)
	testDir     = lazyregexp.New(`(?i)(?:^|/)(?:[\w.-]*tests?|spec|testdata|testing|bench\w*|fuzz|e2e)/`)
	codeDir     = lazyregexp.New(`(?:^|/)(?:src/main|Sources)/`)
)

func hasTestName(name string) bool { return testnames.IsTestFile(name) || testPath.MatchString(name) }

// isNoTest reports whether a file with the name of a test holds none, and is where it may become a
// part of the program.
func (f *finder) isNoTest(name string) bool {
	if !hasTestName(name) || !builtByName.MatchString(name) ||
		testDir.MatchString(name) && !codeDir.MatchString(name) {
		return false
	}
	text, ok := f.change.Present(name)
	lang, _ := f.languageOf(name)
	return ok && textLanguage(name, text) == nil &&
		(lang == nil || !slices.ContainsFunc(strings.Split(text, "\n"), lang.test.MatchString))
}

// becameTest reports whether only the newer text of a file says that it is a test. Other code still
// imports it.
func (f *finder) becameTest(name string) bool {
	if _, test := languageOf(name); test {
		return false
	}
	was, ok := f.change.Base(f.olderName(name))
	return ok && textLanguage(name, was) == nil
}

// comment begins a line that no program runs. Directives are none.
var comment = lazyregexp.New(`^\s*(?://(?:[^g]|g[^o]|$)|#(?:[^!\[d u]|\s+[^du\s]|$)|\*|/\*|<!--|--\s)`)

// Where # begins no comment, and the end of one that has code behind it.
var (
	noHash     = lazyregexp.New(`\.(?:go|[cm]?[jt]sx?|vue|svelte|java|kts?|groovy|scala|dart|zig|[ch]|cc|cpp|cxx|hh|hpp|cs|swift)$`)
	codeBehind = lazyregexp.New(`^\s*(?:/\*|\*|<!--).*(?:\*/|-->)\s*[^\s/*]`)
)

// isComment reports whether no program runs a line.
func isComment(l checks.LineChange) bool {
	return comment.MatchString(l.Text) && !codeBehind.MatchString(l.Text) &&
		!(strings.HasPrefix(strings.TrimSpace(l.Text), "#") && noHash.MatchString(l.Path))
}

// checkProduct passes a line of code to the rules for it.
func (f *finder) checkProduct(l checks.LineChange) {
	k := f.kind(l.Path)
	if !k.product || f.inTests(l) {
		return
	}
	if m := inRemark.FindStringSubmatch(l.Text); m != nil && fitsAny(admits, m[1]) {
		f.product.count(answersTests, l)
	}
	if isComment(l) {
		return
	}
	f.checkDate(l)
	f.keepLine(l)
	if expectedTable.MatchString(l.Text) {
		f.product.count(answersTests, l)
	}
	for _, r := range k.rules {
		if r.line.MatchString(l.Text) && !(r.rule == asksForTests && importsItself(l)) {
			f.product.count(r.rule, l)
		}
	}
}

// importsItself reports whether a line of Python imports from the package that its file is in.
func importsItself(l checks.LineChange) bool {
	m := importFrom.FindStringSubmatch(l.Text)
	return m != nil && strings.Contains("/"+path.Dir(l.Path)+"/", "/"+m[1]+"/")
}

// importFrom is an import of Python, with the name of the package.
var importFrom = lazyregexp.New(`^\s*(?:import|from)\s+(\w+)`)

// ruleLines are the lines that fit rules: lines that came, and how often each text went.
type ruleLines struct {
	rules []string
	added map[string][]checks.LineChange
	went  map[string]map[string]int
}

func (r *ruleLines) count(rule string, l checks.LineChange) {
	if r.added == nil {
		r.added, r.went = map[string][]checks.LineChange{}, map[string]map[string]int{}
	}
	text := strings.Join(strings.Fields(l.Text), " ")
	switch {
	case !l.Added:
		if r.went[rule] == nil {
			r.went[rule] = map[string]int{}
		}
		r.went[rule][text]++
	case len(r.added[rule]) < kept:
		if r.added[rule] == nil {
			r.rules = append(r.rules, rule)
		}
		if all := r.added[rule]; len(all) == 0 || all[len(all)-1] != l { // Two forms of a rule may fit.
			r.added[rule] = append(all, l)
		}
	}
}

// raiseLines raises the lines that came and had not only moved, one alarm for each file.
func (f *finder) raiseLines(r *ruleLines) {
	for _, rule := range r.rules {
		byPath := map[string]*Alarm{}
		for _, l := range r.added[rule] {
			text := strings.Join(strings.Fields(l.Text), " ")
			if r.went[rule][text] > 0 {
				r.went[rule][text]--
				continue
			}
			a := byPath[l.Path]
			if a == nil {
				a = f.raise(rule, l.Path)
				byPath[l.Path] = a
				a.NeedsHuman = a.NeedsHuman && !f.isSupport(rule, l)
			}
			a.quote(l)
		}
	}
}

// isSupport reports whether a line is in code that helps tests, where the rule is for the
// reviewer.
func (f *finder) isSupport(rule string, l checks.LineChange) bool {
	if rule == "ends-process" && goCode.MatchString(l.Path) {
		text, _ := f.change.Present(l.Path)
		return mainPackage.MatchString(text) && !strings.Contains(text, "func init()")
	}
	return (rule == asksForTests || rule == "reads-tests" || rule == "prints-results") &&
		support.MatchString(path.Clean(l.Path)) && !f.isNoTest(l.Path)
}

var mainPackage = lazyregexp.New(`(?m)^package main\b`)
