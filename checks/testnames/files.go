package testnames

import "regexp"

// testFile is every file that tests consist of, are configured by, or read.
var testFile = regexp.MustCompile(
	`_test\.go$|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|\.(?:test|spec)\.[cm]?[jt]sx?$|_(?:spec|test)\.rb$|\.t$` +
		`|(?:^|/)(?:testdata|tests?|testing|spec|__tests__|__snapshots__|fixtures|golden|snapshots|benches)/` +
		`|(?:^|/)(?:pytest\.ini|tox\.ini|(?:jest|vitest)\.config\.[^/]+)$`)

// IsTestFile reports whether tests consist of a file, or read it, as far as its path tells.
func IsTestFile(path string) bool { return testFile.MatchString(path) }
