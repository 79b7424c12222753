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
			`|\bignoreTest\w*|\bexpectFail\w*|\$\s*pending\w*`),
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
}
