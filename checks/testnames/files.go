package testnames

import "ferrus/ui/text/lazyregexp"

// testFile is every file that tests consist of, are configured by, or read.
var testFile = lazyregexp.New(
	`_test\.go$|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|\.(?:test|spec)\.[cm]?[jt]sx?$|_(?:spec|test)\.rb$|\.t$` +
		`|(?:^|/)(?:testdata|tests?|testing|spec|__tests__|__mocks__|__snapshots__|fixtures|golden|snapshots|benches)/` +
		`|(?:^|/)(?:pytest\.ini|tox\.ini|(?:jest|vitest)\.config\.[^/]+)$`)

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
