package tamper

import (
	"path"
	"slices"

	"ferrus/ui/text/lazyregexp"
)

// language is how the tests of one language look.
type language struct {
	name   string
	path   *lazyregexp.Regexp // files that may hold tests
	test   *lazyregexp.Regexp // a line that begins a test
	skip   *lazyregexp.Regexp // a line that keeps tests from running
	assert *lazyregexp.Regexp // a line that demands something
	mixed  *lazyregexp.Regexp // of path: files that hold other code too
}

var languages = slices.Concat([]language{
	{
		name: "go", path: lazyregexp.New(`_test\.go$`),
		test: lazyregexp.New(`^func (?:Test|Fuzz|Example)(?:[^a-z\W]\w*)?\(`),
		skip: lazyregexp.New(`\b\w+\.Skip(?:f|Now)?\(|\btesting\.Short\(|^\s*//go:build\b|^\s*// \+build\b`),
		assert: lazyregexp.New(
			`\b[A-Za-z]\w*\.(?:Error|Fatal|Fail)(?:f|Now)?\(|\b(?:require|assert|qt|check)\.[A-Z]\w*\(` +
				`|^\s*// (?:Unordered o|O)utput:`),
	},
	{
		name: "python",
		path: lazyregexp.New(`(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|(?:^|/)tests?/.*\.py$`),
		test: lazyregexp.New(`^\s*(?:async\s+)?def test\w*\(`),
		skip: lazyregexp.New(
			`@(?:pytest\.mark|unittest|mark)\.(?:skip|xfail|expectedFailure)\w*|\bpytest\.(?:skip|xfail` +
				`|importorskip)\(|\.skipTest\(|\bcollect_ignore|\bpytestmark\s*=|\bSkipTest\b|\bmarks=pytest\.mark\.(?:skip|xfail)\b|\bassume\(\s*\w+ == [\w"']+\s*\)|\b(?:applymarker|add_marker)\(\s*pytest\.mark\.(?:skip|xfail)|\bphases\s*=\s*\[\s*\]|\b__test__\s*=\s*False` +
				`|\bdef load_tests\(|\b__unittest_skip__\b|parametrize\([^\[\]]*,\s*\[\s*\]`),
		assert: lazyregexp.New(`^\s*assert\b|^\s*@given\(|\bself\.(?:assert\w+|fail)\(|\bpytest\.(?:raises|fail|warns)\(`),
	},
	{
		name: "javascript",
		path: lazyregexp.New(`[.-](?:test|spec)\.[cm]?[jt]sx?$|\.cy\.[jt]sx?$|(?:^|/)(?:__tests__|tests?|spec|cypress)/.*\.[cm]?[jt]sx?$`),
		test: lazyregexp.New("\\b(?:it|test|specify)(?:\\.each)?\\s*\\(\\s*[\"'`]|\\b(?:it|test)\\.each\\b"),
		skip: lazyregexp.New(
			`\b(?:it|test|describe|suite|context|specify)\.(?:skip|todo|only|fixme|fails|failing|skipIf|runIf)\b` +
				`|\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|only|todo|failing)\b|\b(?:it|test|describe)\[\s*['"](?:skip|only|todo)['"]\s*\]` +
				`|\b[xf](?:it|describe|test|context)\s*\(|\b(?:this|t|context|ctx)\.skip\(|\b(?:skip|todo|only|fails):\s*(?:true|['"])|\bfc\.pre\(\s*\w+ === [\w"']+\s*\)` +
				`|^\s*test\.fail\(\s*(?:\)|true\b)`),
		assert: lazyregexp.New(
			`\bexpect\s*\(|\bassert\w*\s*[.(]|\.should\b|\bt\.(?:equal|is|true|false|deepEqual|throws|ok)\(`),
	},
	{
		name: "rust", path: lazyregexp.New(`\.rs$`), mixed: lazyregexp.New(`^(?:.*/)?(?:src/|build\.rs$)`),
		test: lazyregexp.New(`^\s*#\[(?:\w+::)*(?:test|rstest|quickcheck|proptest)\b`),
		skip: lazyregexp.New(
			`#\[ignore\b|\bprop_assume!\(\s*\w+ == [\w"']+\s*\)|#\[cfg\((?:any\(\)|not\(test\)|(?:all|any)\(.*\btest\b)|cfg_attr\(.*\bignore\b|^\s*#\[should_panic\b`),
		assert: lazyregexp.New(`\b(?:debug_|prop_)?assert(?:_\w+)?!\s*[({]|#\[should_panic`),
	},
	{
		name: "java",
		path: lazyregexp.New(`(?:Test|Tests|IT|Spec)\.(?:java|kt|kts|groovy|scala)$|(?:^|/)src/test/`),
		test: lazyregexp.New(`@(?:Parameterized|Repeated)?Test\b|^\s*def\s+["']|^\s*(?:test|it|should)\s*\(\s*"|^\s*"[^"]+"(?:\s+in)?\s*\{`),
		skip: lazyregexp.New(`@(?:Disabled\w*|Enabled\w*|Ignore\w*|PendingFeature\w*)\b|@Requires\(\s*\{` +
			`|^\s*x(?:test|it|describe|context|should|given|when|then|feature|scenario|expect)\s*\(|^\s*(?:!\s*"|"!)` +
			`|^\s*ignore\s*[({]|\btest\(\s*"(?:!|f:)|"\.(?:ignore|fail|only|flaky)\)|"\s+ignore\b|\bin\s+pending\b|\bassume\w*\(|\benabled\s*=\s*false|@Test\b.*\bprivate\b` +
			`|\babstract\s+class\s+\w*(?:Tests?|IT|Spec)\b|\bexpected\s*=\s*(?:AssertionError|Error|Exception|Throwable)\b`),
		assert: lazyregexp.New(`\bassert\w*\s*\(|\b(?:verify|fail|expectThrows)\s*\(|\bshould\w*\b`),
	},
	{
		name: "ruby", path: lazyregexp.New(`_(?:spec|test)\.rb$`),
		test: lazyregexp.New(`^\s*(?:it|specify|test|scenario)\b|^\s*def test_`),
		skip: lazyregexp.New(
			`^\s*(?:skip|pending|xit|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext)\b|\b(?:skip|pending` +
				`|focus):\s*|\b(?:if:\s*(?:false|nil|ENV)|unless:\s*true)\b|,\s*:(?:focus|skip|pending)\b`),
		assert: lazyregexp.New(`\bexpect\b|\bassert\w*\b|\brefute\w*\b|\.should\b|\.must_`),
	},
	{
		name: "c#", path: lazyregexp.New(`Tests?\.cs$`),
		test: lazyregexp.New(`\[(?:Fact|Theory|Test|TestMethod|TestCase)\b`),
		skip: lazyregexp.New(`\bSkip\s*=|\[(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive|Skip\w*)\(` +
			`|^\s*#\s*if\s+!?(?:[^N!\s]|N[^E]|NE[^T])|\b(?:abstract|internal)\s+class\s+\w*Tests?\b|\basync void \w+\(\)`),
		assert: lazyregexp.New(`\bAssert\.|\.Should\(`),
	},
	{
		name: "shell", path: lazyregexp.New(`\.(?:bats|t)$`),
		test:   lazyregexp.New(`^\s*@test\b`),
		skip:   lazyregexp.New(`^\s*skip\b|#\s*(?:SKIP|TODO)\b|\bskip_all\b`),
		assert: lazyregexp.New(`^\s*(?:\[\[?\s|assert\w*\b|refute\w*\b|(?:is|ok|is_deeply|like)\b)`),
	},
	{
		name: "c", path: lazyregexp.New(
			`_test\.(?:c|cc|cpp|cxx)$|(?:^|/)test_[^/]*\.(?:c|cc|cpp|cxx)$|(?:^|/)tests?/.*\.(?:c|cc|cpp|cxx|h|hpp)$`),
		test: lazyregexp.New(
			`^\s*(?:TYPED_)?(?:TEST|TEST_F|TEST_P|TEST_CASE|SCENARIO|SECTION|BOOST_\w*TEST_CASE)\s*\(|^\s*(?:static )?void test_?\w+\(|^\s+test_\w+\(\);|^\s*RUN_TEST\(`),
		skip:   lazyregexp.New(`\bGTEST_SKIP\b|\bDISABLED_|^\s*#\s*if 0\b|"\[(?:\.|!mayfail|!shouldfail)|\bSKIP\(`),
		assert: lazyregexp.New(`\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_\w+)\w*\s*\(|\bassert\w*\s*\(|\bTEST_ASSERT\w*`),
	},
	{
		name: "php", path: lazyregexp.New(`Test\.php$|\.phpt$`),
		test: lazyregexp.New(`function test\w*\(|@test\b|#\[Test\b|^\s*(?:it|test)\(['"]`),
		skip: lazyregexp.New(`markTest(?:Skipped|Incomplete)|@(?:group|requires|doesNotPerformAssertions)\b|->(?:skip|todo|only)\(|expectNotToPerformAssertions\(` +
			`|#\[(?:Requires\w*|Group|DoesNotPerformAssertions)\b|\babstract\s+class\s+\w*Test\b|\b(?:private|protected) function test\w`),
		assert: lazyregexp.New(`\bassert\w+\(|\bexpect\w*\(`),
	},
	{
		name: "elixir", path: lazyregexp.New(`_test\.exs$`),
		test:   lazyregexp.New(`^\s*(?:test|property) "`),
		skip:   lazyregexp.New(`@(?:module)?tag :?(?:skip|pending)|ExUnit\.configure.*exclude`),
		assert: lazyregexp.New(`^\s*(?:assert|refute)\w*\b`),
	},
	{
		name: "swift", path: lazyregexp.New(`Tests?\.swift$|(?:^|/)Tests/.*\.swift$`),
		test:   lazyregexp.New(`func test\w*\(|@Test\b`),
		skip:   lazyregexp.New(`XCTSkip|\bclass\s+\w*Tests?(?::\s*NSObject)?\s*\{|XCTExpectFailure|\bwithKnownIssue\b|\.disabled\(|\.enabled\(if:`),
		assert: lazyregexp.New(`\bXCT\w+\(|#(?:expect|require)\(`),
	},
	{
		name: "dart", path: lazyregexp.New(`_test\.dart$`),
		test:   lazyregexp.New(`^\s*(?:test|testWidgets)\(`),
		skip:   lazyregexp.New(`\bskip:\s*(?:true|['"])|@Skip\b`),
		assert: lazyregexp.New(`\bexpect\w*\(|\bverify\w*\(`),
	},
	{
		name: "gherkin", path: lazyregexp.New(`\.feature$`),
		test:   lazyregexp.New(`^\s*(?:Scenario(?: Outline| Template)?|Example):`),
		skip:   lazyregexp.New(`^\s*@(?:skip|wip|ignore|disabled|pending|manual|todo)\b`),
		assert: lazyregexp.New(`^\s*(?:Then|And|But)\b`),
	},
}, furtherLanguages)

// languageOf returns the language of a file of tests, as far as its path tells.
func languageOf(name string) (*language, bool) {
	for i := range languages {
		if languages[i].path.MatchString(name) {
			return &languages[i], true
		}
	}
	return nil, false
}

// testText is a text that is a test, by the ends of its names and what it imports.
type testText struct {
	name string
	path *lazyregexp.Regexp
	text *lazyregexp.Regexp
}

var testTexts = []testText{
	{"python", pythonCode, lazyregexp.New(`(?m)^(?:import|from) (?:pytest|unittest)\b[^\n]*$[\s\S]*^\s*(?:async )?def test`)},
	{"javascript", scriptCode, lazyregexp.New(
		`(?m)(?:from|require\(|import)\s*['"](?:vitest|@jest/globals|node:test|bun:test|ava|tape?|mocha|chai|uvu|jasmine|@playwright/test)['"]` +
			`|^\s*describe\(\s*['"]`)},
	{"c", cCode, lazyregexp.New(`#\s*include\s*[<"](?:gtest|gmock|catch2?|doctest|boost/test|cmocka|unity|check|criterion|CppUTest)\b`)},
	{"java", javaCode, lazyregexp.New(`import (?:static )?(?:org\.junit|org\.testng|kotlin\.test|org\.scalatest)\b`)},
	{"ruby", rubyCode, lazyregexp.New(`require ['"](?:minitest\S*|rspec\S*|test/unit)['"]|RSpec\.describe`)},
	{"c#", lazyregexp.New(`\.cs$`), lazyregexp.New(`(?m)^\s*(?:global )?using (?:static )?(?:Xunit|NUnit|TUnit|Microsoft\.VisualStudio\.TestTools)\b`)},
	{"php", lazyregexp.New(`\.php$`), lazyregexp.New(`extends\s+\\?(?:\w+\\)*\w*TestCase\b|(?m)^\s*(?:it|test)\(['"]`)},
	{"elixir", lazyregexp.New(`\.exs?$`), lazyregexp.New(`\buse ExUnit\.Case\b`)},
	{"swift", lazyregexp.New(`\.swift$`), lazyregexp.New(`(?m)^\s*(?:@testable )?import (?:XCTest|Testing)\b`)},
	{"shell", lazyregexp.New(`\.(?:sh|bash)$`), lazyregexp.New(`(?m)^#!.*\bbats\b|^@test `)},
}

// languageOf returns the language of a file of tests: by its path or by what it
// imports.
func (f *finder) languageOf(name string) (*language, bool) {
	if known, ok := f.known[name]; ok {
		return known, known != nil
	}
	if lang, ok := languageOf(name); ok {
		f.known[name] = lang
		return lang, true
	}
	was, _ := f.change.Base(f.olderName(name))
	lang := textLanguage(name, was)
	if lang == nil {
		now, _ := f.change.Present(name)
		lang = textLanguage(name, now)
	}
	f.known[name] = lang
	return lang, lang != nil
}

// textLanguage returns the language of a file whose text says that it is a test; nil: it does not.
func textLanguage(name, text string) (lang *language) {
	for _, t := range testTexts {
		if t.path.MatchString(name) && t.text.MatchString(text) {
			lang = languageNamed(t.name)
		}
	}
	return lang
}

func languageNamed(name string) *language {
	for i := range languages {
		if languages[i].name == name {
			return &languages[i]
		}
	}
	return nil
}

// olderName returns what a file was called in the older tree.
func (f *finder) olderName(name string) string {
	for _, file := range f.change.Files {
		if file.Path == name {
			return file.Was()
		}
	}
	return path.Clean(name)
}
