package testnames

import "ferrus/ui/text/lazyregexp"

// testFile is every file that tests consist of, are configured by, or read.
var testFile = lazyregexp.New(
	`_test\.go$|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|[.-](?:test|spec)\.[cm]?[jt]sx?$|\.cy\.[jt]sx?$` +
		`|_(?:spec|test)\.(?:rb|cr|lua|rego|gleam|clj[cs]?|erl|ml|nim)$|[-_]tests?\.(?:el|rkt|scm|lisp)$|(?i:\.tests?\.ps1)$|Tests?\.(?:fs|hs|elm|mm?)$` +
		`|\.(?:t|bats|phpt|snap|golden|expected?|feature|robot|hurl|runsettings)$|\.(?:tf|tofu)test\.(?:hcl|json)$|\.(?:approved|verified)\.\w+$|\.t\.sol$` +
		`|(?:^|/)tests?\.[cm]?[jt]sx?$|_test\.(?:c|cc|cpp|exs?|dart|rs|sh|bash)$|(?:Test|Tests|IT|Spec)\.(?:java|kt|kts|groovy|scala|cs|php|swift)$` +
		`|(?:^|/)(?:testdata|tests?|testing|spec|__tests__|__mocks__|__snapshots__|__fixtures__|fixtures|goldens?|snapshots|benches|cypress|cassettes|pacts|__approvals__)/` +
		// Projects of .NET, the source sets of Gradle, and the targets of Swift.
		`|(?:^|/)(?:[\w.-]+\.(?:[A-Z]\w*)?(?:Tests?|Specs?)|Tests|(?:integration|functional|android|acceptance|unit)Test|testFixtures)/` +
		`|(?:^|/)(?:pytest\.ini|tox\.ini|(?:jest|vitest|ava|playwright|cypress)\.config\.[^/]+|karma\.conf\.[^/]+|vitest\.workspace\.[^/]+` +
		`|\.mocharc[^/]*|\.rspec|phpunit\.xml[^/]*)$`)

// goFile is a file in Go; package directories of any name have other code than tests.
var (
	goFile     = lazyregexp.New(`\.go$`)
	goTestFile = lazyregexp.New(`_test\.go$|(?:^|/)testdata/`)
)

// IsTestFile reports whether tests consist of a file, or read it, as far as its path tells.
func IsTestFile(path string) bool {
	if goFile.MatchString(path) {
		return goTestFile.MatchString(path)
	}
	return testFile.MatchString(path)
}
