package tamper

import (
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

var (
	// alwaysPasses is a line of a test with a condition that decides nothing, or a part of a list.
	alwaysPasses = lazyregexp.New(`&&\s*false\b|\|\|\s*true\b|\bif\s*\(?\s*(?:false|0)\s*[){]|\bif False\b|\band False\b|\bor True\b` +
		`|^\s*assert\s+(?:True|1)\s*(?:,|$)|^\s*assert\s*\(.+,\s*f?["'][^"']*["']\s*\)\s*$|\bassertTrue\(\s*[Tt]rue\s*[,)]` +
		`|\bassert!\(\s*true\s*\)|\btry\s*\{.*(?i:assert|expect).*\}\s*catch\s*(?:\([^)]*\))?\s*\{\s*\}|\brange\s+[\w.]+\[\d*:\d*\]|^\s*for .* in [\w.]+\[\d*:-?\d*\]:|\.slice\(\s*\d+\s*(?:,\s*\d+\s*)?\)\.(?:forEach|map)\(`)
	// compares has both sides of an assertion.
	compares = lazyregexp.New(`^\s*assert\s+(.+?)\s*==\s*(.+?)\s*$|\bexpect\((.+)\)\.to\w+\((.+)\)\s*;?\s*$|\b(?:assertEqual|assert_eq!` +
		`|(?:assert|require|t)\.(?:[eE]qual|strictEqual|deepEqual|is))\(\s*(?:t,\s*)?([^,()]+),\s*([^,()]+)[,)]`)
	bareReturn = lazyregexp.New(`^\s*(?:return|next)\s*;?\s*$`)
	// asksWhere is a condition on where tests run.
	asksWhere = lazyregexp.New(`\bif\b.*(?:[gG]etenv|LookupEnv|environ|process\.env|env::var|GOOS|GOARCH|platform|[hH]ostname|\bCI\b)`)
	swallows  = lazyregexp.New(`^\s*except\s*(?:\(?\s*(?:AssertionError|Exception|BaseException)\b[^:]*)?:|\bsuppress\((?:AssertionError|Exception` +
		`|BaseException)|\bcatch\s*(?:\([^)]*\))?\s*\{\s*(?:\}|$)|\.catch\(\s*\(\w*\)\s*=>\s*\{\s*\}\s*\)|\brescue\b`)
	// around hides the failure of what comes after it.
	around = lazyregexp.New(`\bdefer func\(\) \{ (?:_ = )?recover\(\) \}\(\)|\blet _ = (?:std::)?(?:panic::)?catch_unwind\(` +
		`|\bwith (?:contextlib\.)?suppress\((?:AssertionError|Exception|BaseException)|^\s*go func\(\) \{\s*$|\brescue nil\b` +
		`|^\s*(?:local\s+[\w, ]+=\s*)?x?pcall\(function`)
	// unawaited is an assertion on a promise that its test does not wait for.
	unawaited = lazyregexp.New(`^\s*expect\(.*\)\.(?:resolves|rejects)\b`)
	// retries run a failing test again, until it passes.
	retries = lazyregexp.New(`\b(?:this|test|describe|it|jest)(?:\.\w+)*\.(?:retries|retryTimes)\(\s*[1-9]` +
		`|(?:\b(?:test|describe|it)(?:\.\w+)*\(\s*["'].*|^\s*\},\s*)\{[^}]*\bretr(?:y|ies):\s*[1-9]` +
		`|@(?:pytest\.mark\.)?flaky\b|@Retr(?:y|ies|yingTest)\b|\bretryAnalyzer\s*=|\bsuccessPercentage\s*=|\[Retry(?:Fact|Theory)?\b`)
	tries = lazyregexp.New(`^\s*(?:\}?\s*try\b|begin\b)`)
	// leaves is what ends all tests of a file with success; inMain is where it does in Go.
	leaves = lazyregexp.New(`\b(?:os|syscall)\.Exit\(\s*0\s*\)|\bos\._exit\(|\bpytest\.exit\(|^(?:sys\.exit|exit|quit)\(\s*0?\s*\)` +
		`|^\s*process\.(?:exit\(\s*0?\s*\)|exitCode\s*=\s*0)`)
	inMain = lazyregexp.New(`^func (?:TestMain|init)\(`)
	// replacesTools changes how all tests run or compare.
	replacesTools = lazyregexp.New(`\bdef pytest_(?:runtest|collection|pyfunc|ignore|collect|report_teststatus|sessionfinish)\w*` +
		`|\bunittest\.TestCase\.\w+\s*=[^=]|\bbuiltins\.AssertionError\s*=|\bflag\.Set\(\s*"test\.|\bos\.Args\s*=\s*append` +
		`|\b(?:global|globalThis|window)(?:\.(?:expect|assert|it|test|describe)|\[['"](?:expect|assert|it|test|describe)['"]\])\s*=[^=]` +
		`|\bassert(?:['"]\))?(?:\.\w+)+\s*=[^=>]|\bexpect\.extend\(\s*\{.*\bto(?:Be|Equal|StrictEqual|Match|Throw|Contain|Have)\w*\b` +
		`|@(?:jest|vitest)-environment\s+[./]|^\s*#\s*define\s+NDEBUG\b`)
)

// swallowedAt is how many lines above a handler its block may begin.
const swallowedAt = 40

// vacuous raises lines that came into tests that were there, after which these pass whatever the
// code does.
func (f *finder) vacuous(t *testFile) {
	text, ok := f.change.Present(t.path)
	if !ok || f.status(t.path) == 'A' {
		return
	}
	lines := strings.Split(text, "\n")
	quotes := func(rule string) ruleQuotes { return ruleQuotes{f, rule, t.path, nil} }
	passes, ends, replaces, repeats := quotes("always-passes"), quotes("ends-process"), quotes(changesTestTools),
		quotes(testSettings)
	for _, l := range t.came {
		switch {
		case l.Number > len(lines) || comment.MatchString(l.Text) && !strings.Contains(l.Text, "-environment "):
		case leaves.MatchString(l.Text) && (t.lang.name != "go" || isInMain(lines, l.Number)):
			ends.quote(l)
		case replacesTools.MatchString(l.Text):
			replaces.quote(l)
		case retries.MatchString(l.Text) && !f.isInNewTest(t, lines, l):
			repeats.quote(l)
		case f.isVacuous(t, lines, l) && !f.isInNewTest(t, lines, l):
			passes.quote(l)
		}
	}
}

// ruleQuotes raises one alarm for all its lines.
type ruleQuotes struct {
	f          *finder
	rule, path string
	alarm      *Alarm
}

func (q *ruleQuotes) quote(l checks.LineChange) {
	if q.alarm == nil {
		q.alarm = q.f.raise(q.rule, q.path)
	}
	q.alarm.quote(l)
}

// isVacuous reports whether a line makes a test pass whatever the code does.
func (f *finder) isVacuous(t *testFile, lines []string, l checks.LineChange) bool {
	if alwaysPasses.MatchString(l.Text) || around.MatchString(l.Text) && t.wrapsAssertion(lines, l.Number) {
		return true
	}
	if unawaited.MatchString(l.Text) && t.wasAwaited(l.Text) {
		return true
	}
	if sides := compares.FindStringSubmatch(l.Text); len(t.asserts.removed) > 0 && sides != nil {
		for i := 1; i < len(sides); i += 2 {
			if sides[i] != "" && sides[i] == sides[i+1] {
				return true
			}
		}
	}
	if bareReturn.MatchString(l.Text) {
		return endsHere(lines, l.Number)
	}
	return swallows.MatchString(l.Text) && t.swallowsAssertions(lines, l.Number) && !failsBelow(lines, l.Number)
}

// wasAwaited reports whether the test waited for an assertion before.
func (t *testFile) wasAwaited(assertion string) bool {
	return slices.ContainsFunc(t.asserts.removed, func(was checks.LineChange) bool {
		before, found := strings.CutSuffix(strings.TrimSpace(was.Text), strings.TrimSpace(assertion))
		return found && slices.Contains([]string{"await", "return", "return await"}, strings.TrimSpace(before))
	})
}

// endsHere reports whether a return leaves out all behind it, here or where tests run.
func endsHere(lines []string, at int) bool {
	indent := func(l string) string { return l[:len(l)-len(strings.TrimLeft(l, " \t"))] }
	if at >= 2 && asksWhere.MatchString(lines[at-2]) {
		return true
	}
	for _, next := range lines[at:] {
		if strings.TrimSpace(next) != "" {
			return indent(next) == indent(lines[at-1]) && strings.Trim(next, " \t})];") != ""
		}
	}
	return false
}

// swallowsAssertions reports whether the block that a handler belongs to asserts anything.
func (t *testFile) swallowsAssertions(lines []string, at int) bool {
	for i := at - 2; i >= 0 && i > at-swallowedAt; i-- {
		if t.lang.assert.MatchString(lines[i]) {
			return true
		}
		if tries.MatchString(lines[i]) || t.lang.test.MatchString(lines[i]) {
			return false
		}
	}
	return false
}

// fails is a line that fails a test.
var fails = lazyregexp.New(`^\s*(?:(?:[\w$]+\.)*fail\w*\(|throw\b|raise\b)`)

// failsBelow reports whether the first thing that a handler does is to fail the test.
func failsBelow(lines []string, at int) bool {
	return at < len(lines) && fails.MatchString(lines[at])
}

// wrapsAssertion reports whether an assertion that was there is directly below a line.
func (t *testFile) wrapsAssertion(lines []string, at int) bool {
	for _, line := range lines[at:min(at+3, len(lines))] {
		if t.lang.assert.MatchString(line) {
			return !slices.ContainsFunc(t.came, func(c checks.LineChange) bool {
				return strings.TrimSpace(c.Text) == strings.TrimSpace(line)
			}) || slices.ContainsFunc(t.asserts.removed, func(c checks.LineChange) bool {
				return strings.TrimSpace(c.Text) == strings.TrimSpace(line)
			})
		}
	}
	return false
}

// isInMain reports whether a line in Go is in a function that runs before all tests.
func isInMain(lines []string, at int) bool {
	for i := at - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "func ") {
			return inMain.MatchString(lines[i])
		}
	}
	return false
}
