package tamper

import "ferrus/ui/text/lazyregexp"

// furtherLanguages are languages whose runners name no tests to ferrus: the rules for their text are all there is.
var furtherLanguages = []language{
	{
		name: "f#", path: lazyregexp.New(`Tests?\.fs$|(?:^|/)[tT]ests?/.*\.fs$`),
		test:   lazyregexp.New(`\[<(?:Fact|Theory|Test|TestCase|Property)\b|\btest(?:Case|Property)?\w*\s+"`),
		skip:   lazyregexp.New(`\bSkip\s*=|\[<(?:Ignore|Explicit)\b|\b[pf]test(?:Case|List|Property)\w*\b|\bskiptest\b`),
		assert: lazyregexp.New(`\bAssert\.|\|>\s*should\b|\bExpect\.\w+|\btest\s*<@`),
	},
	{
		name: "lua", path: lazyregexp.New(`_(?:spec|test)\.lua$|(?:^|/)(?:spec|tests?)/.*\.lua$`),
		test:   lazyregexp.New(`^\s*(?:it|test|specify)\s*\(?\s*["'\[]|^\s*function\s+(?:\w+[.:])?test`),
		skip:   lazyregexp.New(`^\s*(?:pending|xit|xdescribe|xtest)\s*\(?\s*["'\[]|\blu\.skip\w*\(`),
		assert: lazyregexp.New(`\bassert\w*\b|\blu\.fail\w*\(`),
	},
	{
		name: "julia", path: lazyregexp.New(`(?:^|/)test/.*\.jl$`),
		test:   lazyregexp.New(`@testset\b`),
		skip:   lazyregexp.New(`@test_(?:skip|broken)\b|@test\b.*\b(?:skip|broken)\s*=`),
		assert: lazyregexp.New(`@test(?:_throws|_logs|_warn|_nowarn|_deprecated)?\s`),
	},
	{
		name: "r", path: lazyregexp.New(`(?:^|/)(?:tests/testthat|inst/tinytest)/.*\.[rR]$`),
		test:   lazyregexp.New(`\btest_that\(|^\s*it\(`),
		skip:   lazyregexp.New(`\bskip(?:_\w+)?\(|\bexit_file\(`),
		assert: lazyregexp.New(`\bexpect_\w+\(`),
	},
	{
		name: "haskell", path: lazyregexp.New(`(?:Spec|Tests?)\.hs$|(?:^|/)tests?/.*\.hs$`),
		test: lazyregexp.New(`\b(?:it|specify|prop|testCase|testProperty)\s+"`),
		skip: lazyregexp.New(`^\s*(?:x(?:it|describe|context|specify|prop)|f(?:it|describe|context|specify)|pending\w*)\b` +
			`|\bwithMaxSuccess [01]\b|\bignoreTest\w*|\bexpectFail\w*|\$\s*pending\w*`),
		assert: lazyregexp.New(`\bshould\w+\b|\bassert\w+\b|@\?=|@=\?|@\?|===`),
	},
	{
		name: "erlang", path: lazyregexp.New(`_(?:tests?|SUITE)\.erl$`),
		test:   lazyregexp.New(`^\w+_test_?\(\)\s*->|^\w+\(_?Config\)\s*->`),
		skip:   lazyregexp.New(`\{skip(?:ped)?\s*,|\bskip_(?:suites|cases|groups)\b`),
		assert: lazyregexp.New(`\?_?assert\w*\(|\bct:fail\(`),
	},
	{
		name: "clojure", path: lazyregexp.New(`_test\.clj[cs]?$|(?:^|/)test/.*\.clj[cs]?$`),
		test:   lazyregexp.New(`\(\s*(?:deftest|defspec|facts?)\b`),
		skip:   lazyregexp.New(`\^:(?:kaocha/)?(?:skip|pending)\b|#_\s*\((?:deftest|is|are|testing)\b|^\s*\(comment\b`),
		assert: lazyregexp.New(`\((?:is|are)\s`),
	},
	{
		name: "zig", path: lazyregexp.New(`\.zig$`), mixed: lazyregexp.New(`(?:^|/)(?:src/|build\.zig$)`),
		test:   lazyregexp.New(`^\s*test\s+["\w]`),
		skip:   lazyregexp.New(`\berror\.SkipZigTest\b`),
		assert: lazyregexp.New(`\bexpect\w*\(|\bassert\(`),
	},
	{
		name: "ocaml", path: lazyregexp.New(`(?:^|/)(?:tests?/.*|test_[^/]*|[^/]*_test)\.ml$`),
		test:   lazyregexp.New(`\btest_case\b|\blet%(?:expect_)?test|>::`),
		skip:   lazyregexp.New(`\bskip_if\b|\bAlcotest\.skip\b|\[@tags?\s+"disabled"`),
		assert: lazyregexp.New(`\bassert\w*\b|\bcheck\b|\[%expect`),
	},
	{
		name: "nim", path: lazyregexp.New(`(?:^|/)tests?/.*\.nim$`),
		test:   lazyregexp.New(`^\s*test\s+"`),
		skip:   lazyregexp.New(`^\s*skip\(\)|^\s*disabled:`),
		assert: lazyregexp.New(`^\s*(?:check|doAssert\w*|assert|require|expect)\b`),
	},
	{
		name: "solidity", path: lazyregexp.New(`\.t\.sol$|(?:^|/)tests?/.*\.sol$`),
		test:   lazyregexp.New(`\bfunction (?:test|invariant_?|check_|prove_)\w*\(`),
		skip:   lazyregexp.New(`\bvm\.(?:skip|assume)\(`),
		assert: lazyregexp.New(`\bassert\w*\(|\bvm\.expect\w+\(|\brequire\(`),
	},
	{
		name: "powershell", path: lazyregexp.New(`(?i)\.tests?\.ps1$`),
		test:   lazyregexp.New(`(?i)^\s*It\s+['"]`),
		skip:   lazyregexp.New(`(?i)^\s*(?:It|Describe|Context)\b.*\s-(?:Skip|Pending)\b|\bSet-ItResult\b.*-(?:Skipped|Inconclusive|Pending)`),
		assert: lazyregexp.New(`(?i)\|\s*Should\b|^\s*Should\b`),
	},
	{
		name: "robot", path: lazyregexp.New(`\.robot$`),
		test:   lazyregexp.New(`^[^\s*#.\[$&@](?: ?[^ \t])*$`),
		skip:   lazyregexp.New(`(?i)robot:(?:skip|exclude)\S*|^\s+(?:Skip|Pass Execution)\b`),
		assert: lazyregexp.New(`(?i)\bShould\b|^\s+Fail\b`),
	},
	{
		name: "sql", path: lazyregexp.New(`(?:^|/)(?:tests?|t)/.*\.(?:sql|pg)$`),
		test:   lazyregexp.New(`^\s*CREATE (?:OR REPLACE )?FUNCTION test`),
		skip:   lazyregexp.New(`\bskip(?:_all)?\(|\btodo\w*\(`),
		assert: lazyregexp.New(`(?i)^\s*SELECT (?:\* FROM )?(?:is|isnt|ok|matches|results_\w+|set_\w+|bag_\w+|throws_\w+|lives_ok|has_\w+|hasnt_\w+|is_\w+|cmp_ok|performs_ok)\(`),
	},
	{
		name: "terraform", path: lazyregexp.New(`\.(?:tf|tofu)test\.(?:hcl|json)$`),
		test:   lazyregexp.New(`^\s*run\s+"`),
		skip:   lazyregexp.New(`^\s*expect_failures\s*=`),
		assert: lazyregexp.New(`^\s*assert\s*\{|\bcondition\s*=`),
	},
	{
		name: "rego", path: lazyregexp.New(`_test\.rego$`),
		test:   lazyregexp.New(`^test_\w*\b`),
		skip:   lazyregexp.New(`^todo_test_`),
		assert: lazyregexp.New(`^\s*(?:not\s+)?\w[\w.]*\b.*\bwith\b|==|!=`),
	},
	{
		name: "objective-c", path: lazyregexp.New(`Tests?\.mm?$|(?:^|/)\w*Tests?/.*\.mm?$`),
		test:   lazyregexp.New(`^\s*-\s*\(void\)\s*test`),
		skip:   lazyregexp.New(`\bXCT(?:Skip\w*|ExpectFailure\w*)\(|^\s*#\s*if 0\b`),
		assert: lazyregexp.New(`\bXCT(?:Assert\w*|Fail)\(`),
	},
	{
		name: "elm", path: lazyregexp.New(`(?:Tests?\.elm|(?:^|/)tests/.*\.elm)$`),
		test:   lazyregexp.New(`\b(?:test|fuzz\d?)\s+(?:\S+\s+)?"`),
		skip:   lazyregexp.New(`\b(?:skip|only)\s*(?:<\||\()|\bTest\.(?:skip|only|todo)\b|\btodo\s+"`),
		assert: lazyregexp.New(`\bExpect\.\w+`),
	},
	{
		name: "gleam", path: lazyregexp.New(`_test\.gleam$`),
		test:   lazyregexp.New(`^pub fn \w+_test\(`),
		skip:   lazyregexp.New(`^\s*(?:use\s*<-\s*)?skip\(`),
		assert: lazyregexp.New(`\bshould\.\w+|^\s*(?:let )?assert\b`),
	},
	{
		name: "crystal", path: lazyregexp.New(`_spec\.cr$`),
		test:   lazyregexp.New(`^\s*it\s+"`),
		skip:   lazyregexp.New(`^\s*pending\b|\bfocus:\s*true`),
		assert: lazyregexp.New(`\.should(?:_not)?\b|\bexpect_raises\b`),
	},
	{
		name: "d", path: lazyregexp.New(`\.d$`), mixed: lazyregexp.New(`\.d$`),
		test:   lazyregexp.New(`^(?:@\S+\s+)*unittest\b`),
		skip:   lazyregexp.New(`^\s*version\s*\(\s*none\s*\)`),
		assert: lazyregexp.New(`^(?:@\S+\s+)*unittest\b.*\bassert`),
	},
	{
		name: "lisp", path: lazyregexp.New(`(?:^|/)tests?/.*\.(?:el|rkt|scm|lisp)$|[-_]tests?\.(?:el|rkt|scm|lisp)$`),
		test:   lazyregexp.New(`\((?:ert-deftest|test-case|test-suite|deftest|test|def-test)\s`),
		skip:   lazyregexp.New(`\((?:skip-unless|skip-when|ert-skip|skip)\b|:expected-result\s+:failed|^\s*#;\s*\(|^\s*#\+\(?(?:nil|or)\)?`),
		assert: lazyregexp.New(`\((?:should\S*|check-\S+|is|test-(?:equal|assert|eqv?)\S*)\s`),
	},
	{
		name: "gdscript", path: lazyregexp.New(`(?:^|/)test_[^/]*\.gd$|(?:^|/)tests?/.*\.gd$`),
		test:   lazyregexp.New(`^func test_?\w*\(`),
		skip:   lazyregexp.New(`\bpending\(|\bshould_skip_script\b`),
		assert: lazyregexp.New(`\bassert_\w+\(|\bassert\(`),
	},
	{
		name: "move", path: lazyregexp.New(`(?:^|/)tests?/.*\.(?:move|cairo)$|(?:^|/)test_[^/]*\.cairo$`),
		test:   lazyregexp.New(`#\[test\b`),
		skip:   lazyregexp.New(`#\[.*\b(?:expected_failure|ignore|should_panic)\b`),
		assert: lazyregexp.New(`\bassert\w*!?\s*\(`),
	},
}
