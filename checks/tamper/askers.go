package tamper

import (
	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

var (
	// asksCaller asks who calls, or which program runs.
	asksCaller = lazyregexp.New(`\binspect\.(?:stack|currentframe)\(|\bsys\._getframe\(|\btraceback\.(?:extract|format)_stack\(|\bEnvironment\.StackTrace\b|\bStack(?:Frame|Trace)\(` +
		`|\bcallStackSymbols\b|\bdebug_backtrace\(|\bcurrent_stacktrace\b|\bError\(\)\.stack\b|\bgetStackTrace\(\)|\bStackWalker\b|\bruntime\.(?:Caller|FuncForPC)\(|\bcaller(?:_locations)?\b` +
		`|\b__progname\b|\bprogram_invocation_\w*name\b|\bgetprogname\(|\bProcess\.GetCurrentProcess\(|\bpsutil\.|\bf_code\b`)
	// namesTest is a text that names a test, and comparesName a comparison with a name.
	namesTest    = lazyregexp.New("[\"'`/][^\"'`]*(?i:test|spec\\b|_spec)[^\"'`]*[\"'`/]")
	comparesName = lazyregexp.New(`(?:==|\bequals\(|\beq\b|(?i:ends_?with)\w*[( ])\s*["'][\w.]{4,}["']`)
	// asksWhereBuilt asks for what is so where programs are tested, and elsewhere, too.
	asksWhereBuilt = lazyregexp.New(`["'\[.](?:CI|GITHUB_ACTIONS|GITLAB_CI|TOX_\w+|NOX_\w+|CARGO_MANIFEST_DIR|NODE_ENV)\b|\bNODE_ENV\b|\bPHP_SAPI\b|\bphp_sapi_name\(|\b(?:getcwd|cwd)\(\)|\bgettrace\(|\brequire\.main\b|\bgetName\(\)\.equals\(|\bReadBuildInfo\(|\bsetTimeout\.name\b|\bin setTimeout\b` +
		`|\b(?:MODE|APP_ENV|ENV|Env)\b.*["']test`)
)

// apart is how many lines may be between a question and what is done with its answer.
const apart = 4

// askers raises code that asks who calls it, or where it runs, and then for a test, or that returns a fixed result
// there.
func (f *finder) askers() {
	for _, file := range f.change.Files {
		c := f.lines[file.Path]
		if c == nil {
			continue
		}
		for i, l := range c.came {
			caller := asksCaller.MatchString(l.Text)
			if !caller && !asksWhereBuilt.MatchString(l.Text) {
				continue
			}
			if next, found := answered(c.came[i:], caller); found {
				f.product.count(asksForTests, l)
				if next != l {
					f.product.count(asksForTests, next)
				}
			}
		}
	}
}

// answered returns the line that makes a question one for tests: the first of some, or one directly below.
func answered(came []checks.LineChange, caller bool) (checks.LineChange, bool) {
	for _, l := range came[:min(apart+1, len(came))] {
		if l.Number-came[0].Number > apart {
			break
		}
		if caller && (namesTest.MatchString(l.Text) || comparesName.MatchString(l.Text)) {
			return l, true
		}
		for _, value := range fixedResult(l.Text) {
			if !caller && (isTelling(value) || len(fixedResult(l.Text)) > 1) {
				return l, true
			}
		}
	}
	return checks.LineChange{}, false
}
