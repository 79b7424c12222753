package tamper

import (
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// vacuousForms are lines of a test with a condition that decides nothing, or a part of a list.
var vacuousForms = []*lazyregexp.Regexp{decided, asserted, emptyHandler, emptyLoop, ignoresAll, otherThread, hidesPanic}

var (
	decided = lazyregexp.New(`&&\s*false\b|\|\|\s*true\b|\bif\s*\(?\s*(?:false|0)\s*[){]|\bif False\b|\band False\b|\bor True\b|\|\| True\b|\bassert\b.*\bif .* else True\b|\bany\(\[.*\bTrue\b|^\s*(?:want|expected)\s*:?=\s*(?:got|actual|result)\s*;?$`)
	// asserted is an assertion of what is true by itself.
	asserted = lazyregexp.New(`^\s*assert\s+(?:True|1)\s*(?:,|$)|^\s*assert\s*\(.+,\s*f?["'][^"']*["']\s*\)\s*$|\bassertTrue\(\s*[Tt]rue\s*[,)]` +
		`|\bassert!\(\s*true\s*\)|^\s*condition\s*=\s*true\b|\bconst True\b|^\s*(?:SELECT )?pass\(`)
	emptyHandler = lazyregexp.New(`\btry\s*\{.*(?i:assert|expect).*\}\s*catch\s*(?:\([^)]*\))?\s*\{\s*(?:/\*[^*]*\*/\s*)?\}|(?:expect|assert)\b.*\brescue (?:nil|true)\b` +
		`|\b(?:runCatching|(?:util\.)?Try)\s*[({].*(?:should|assert)|\.catch\(\(\)\s*=>\s*[\["'\d]`)
	emptyLoop = lazyregexp.New(`\brange\s+[\w.]+\[\d*:\d*\]|\brange \[\]\w+\{\} |^\s*for .* in [^:]+\[\d*:-?\d*\]:|^\s*for .* in (?:\[\]|\(\)|range\(0\)):` +
		`|\bof \[\]\)|\binitializer_list<[^{}]*>\{\}|\.slice\(\s*\d+\s*(?:,\s*\d+\s*)?\)\.(?:forEach|map)\(|\.each\(\s*\[\s*\](?:\s+as\b[^)]*)?\)`)
	// otherThread runs assertions where their failure is lost.
	// ignoresAll compares nothing of what it is given.
	ignoresAll  = lazyregexp.New(`\bcmp\.Comparer\(.*return true|\bcmpopts\.Ignore\w+\(func.*return true|\.filter\(lambda \w+: \w+ == `)
	otherThread = lazyregexp.New(`^\s*go t\.Run\(|\bnew Thread\(.*(?i:assert)|\bThread\.new\b.*(?:assert|expect)|\bif \(?fork\(\)`)
	hidesPanic  = lazyregexp.New(`\bdefer func\(\) \{ (?:_ = )?recover\(\) \}\(\)`)
)

// openForms are assertions that hold for every value, whatever they call.
var openForms = []*lazyregexp.Regexp{otherwise, anyText, noMatcher}

var (
	otherwise = lazyregexp.New(`(?:\|\||\?\?|\bor\b)\s*(?:[1-9]\d*|"[^"]+"|'[^']+')\s*[);]*\s*$`)
	anyText   = lazyregexp.New(`(?i)\b(?:starts_?with|ends_?with|has_?prefix|contains?|includes?|toContain)\(\s*(?:""|'')\s*\)|\bContains\([^()]*,\s*""\)` +
		`|/\.\*/\)|\(\s*r?["']\.\*["']\s*\)|==\s*\*\*|-ge 0\b|\.length\)?\.toBeGreaterThanOrEqual\(0\)|\blen\([^()]*\) >= 0\b`)
	noMatcher = lazyregexp.New(`^\s*(?:await\s+)?expect\(.*\)\.(?:not\.)?to[A-Z]\w*;?\s*$|^\s*expect\((?:[^()]|\([^()]*\))*\)\s*;?\s*$`)
)

var (
	bareReturn = lazyregexp.New(`^\s*(?:return|next)\s*;?\s*$`)
	// asksWhere is a condition on where tests run, and leavesThere one that ends the test.
	asksWhere   = lazyregexp.New(`\bif\b.*(?:[gG]etenv|LookupEnv|environ|process\.env|env::var|GOOS|GOARCH|platform|[hH]ostname|\bCI\b|RUBY_VERSION|sys\.version|process\.version)`)
	leavesThere = lazyregexp.New(`^\s*if\b.*\breturn;?\s*\}?\s*$|^\s*(?:return|next)\s+if\b`)
	swallows    = lazyregexp.New(`^\s*except\s*(?:\(?\s*(?:AssertionError|Exception|BaseException)\b[^:]*)?:|\bsuppress\((?:AssertionError|Exception` +
		`|BaseException)|\bcatch\s*(?:\([^)]*\))?\s*\{\s*(?:\}|$)|\.catch\(\s*\(\w*\)\s*=>\s*\{\s*\}\s*\)|\brescue\b`)
	// around hides the failure of what comes after it.
	around = lazyregexp.New(`\blet _ = (?:std::)?(?:panic::)?catch_unwind\(` +
		`|\bwith (?:contextlib\.)?suppress\((?:AssertionError|Exception|BaseException)|^\s*go func\(\) \{\s*$|\brescue nil\b` +
		`|^\s*(?:local\s+[\w, ]+=\s*)?x?pcall\(function|\brunCatching \{\s*$`)
	// unawaited is an assertion on a promise that its test does not wait for; later is one in a handler of it.
	unawaited = lazyregexp.New(`^\s*expect\(.*\)\.`)
	promised  = lazyregexp.New(`^\s*expect\(.*\)\.(?:resolves|rejects)\b|^\s*[\w.]+\(.*\)\.then\(.*\bexpect\(`)
	// guard is a condition of its own line, and defines a function.
	guard   = lazyregexp.New(`^\s*(?:if\s*\(?(.*[=<>(].*?)\)?\s*[:{]|(?:assume|prop_assume!|fc\.pre)\((.*[=<>(].*)\);?)\s*$`)
	defines = lazyregexp.New(`^\s+(?:def|function|fun)\s+(\w+)\(|^\s+(?:const|let|val|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\(\)\s*=>|function\b)`)
	// fuzzed begins the body of a test that is called with many values.
	fuzzed = lazyregexp.New(`\.Fuzz\(func|\bfc\.property\(|\bfc\.assert\(`)
	// retries run a failing test again, until it passes.
	retries = lazyregexp.New(`\b(?:this|test|describe|it|jest)(?:\.\w+)*\.(?:retries|retryTimes)\(\s*[1-9]` +
		`|(?:\b(?:test|describe|it)(?:\.\w+)*\(\s*["'].*|^\s*\},\s*)\{[^}]*\bretr(?:y|ies):\s*[1-9]` +
		`|@(?:pytest\.mark\.)?flaky\b|@Retr(?:y|ies|yingTest)\b|\bretryAnalyzer\s*=|\bsuccessPercentage\s*=|\[Retry(?:Fact|Theory)?\b`)
	tries = lazyregexp.New(`^\s*(?:\}?\s*try\b|begin\b)`)
	// leaves is what ends all tests of a file with success; inMain is where it does in Go.
	leaves = lazyregexp.New(`\b(?:os|syscall)\.Exit\(\s*0\s*\)|\bos\._exit\(|\bpytest\.exit\(|^(?:sys\.exit|exit|quit)\(\s*0?\s*\)` +
		`|^\s*process\.(?:exit\(\s*0?\s*\)|exitCode\s*=\s*0)|\bunittest\.main\(.*\bexit\s*=\s*False`)
	inMain = lazyregexp.New(`^func (?:TestMain|init)\(`)
	// alwaysLeaves does so in a file that is new, too, whatever its tests found.
	alwaysLeaves = lazyregexp.New(`^\tos\.Exit\(0\)`)
)

// replacesTools are lines that change how all tests run or compare, by language or runner.
var replacesTools = []*lazyregexp.Regexp{replacesPython, replacesScript, replacesMacros, replacesMethods, forgives}

var (
	replacesPython = lazyregexp.New(`\bdef pytest_(?:runtest|collection|pyfunc|ignore|collect|report_teststatus|sessionfinish)\w*` +
		`|\bunittest\.TestCase\.\w+\s*=[^=]|\bbuiltins\.AssertionError\s*=|\bself\.assert\w+\s*=[^=]|^time\.\w+\s*=[^=]` +
		`|^\s+def (?:assert(?:Equals?|True|False|Raises|In|Is|IsNone|DictEqual|ListEqual)|run|debug)\(self\b`)
	replacesScript = lazyregexp.New(`\b(?:global|globalThis|window)(?: as any\))?(?:\.(?:expect|assert|it|test|describe)|\[['"](?:expect|assert|it|test|describe)['"]\])\s*=[^=]` +
		`|\bassert(?:['"]\))?(?:\.\w+)+\s*=[^=>]|\bexpect\.extend\(\s*\{.*\bto(?:Be|Equal|StrictEqual|Match|Throw|Contain|Have)\w*\b` +
		`|@(?:jest|vitest)-environment\s+[./]`)
	replacesMacros = lazyregexp.New(`^\s*#\s*define\s+NDEBUG\b|^\s*#\s*(?:undef\s+(?:assert|(?:EXPECT|ASSERT|CHECK|REQUIRE)\w*|TEST\w*)|define\s+(?:assert|(?:EXPECT|ASSERT)_(?:EQ|NE|TRUE|FALSE|[LG][TE]|STREQ)|TEST))\b` +
		`|\bsignal\(\s*SIGABRT\b|\bdefmacrop?\s+(?:assert|refute)\b|\bimport (?:ExUnit\.Assertions|Kernel), except:`)
	replacesMethods = lazyregexp.New(`\bflag\.Set\(\s*"test\.|\bos\.Args\s*=\s*append|\b(?:cmp|assert|require)\s*:=\s*(?:struct|func)\b|\bt\s*:?=\s*(?:&testing\.T\{|new\(testing\.T\))` +
		`|\bfunction assert(?:Same|Equals|True|False|Count|Null|Contains)\(|\bfunc XCT\w+|\boverride func (?:invokeTest|run|perform|record)\(` +
		`|^\s*(?:run|assert\w*|refute\w*|fail)\(\)\s*\{`)
	// forgives is the part of a runner that decides whether a test failed.
	forgives = lazyregexp.New(`\bhandleTestExecutionException\(|\bsetStatus\(\s*ITestResult\.SUCCESS|\binstance_variable_set\(\s*:@exception`)
)

// fitsAny reports whether one of several forms fits a text.
func fitsAny(forms []*lazyregexp.Regexp, text string) bool {
	return slices.ContainsFunc(forms, func(form *lazyregexp.Regexp) bool { return form.MatchString(text) })
}

// swallowedAt is how many lines above a handler its block may begin.
const swallowedAt = 40

// vacuous raises lines that came into tests that were there, after which these pass whatever the
// code does.
func (f *finder) vacuous(t *testFile) {
	text, ok := f.change.Present(t.path)
	if !ok {
		return
	}
	came := f.status(t.path) == 'A'
	lines := strings.Split(text, "\n")
	quotes := func(rule string) ruleQuotes { return ruleQuotes{f, rule, t.path, nil} }
	passes, ends, replaces, repeats := quotes("always-passes"), quotes("ends-process"), quotes(changesTestTools),
		quotes(testSettings)
	for _, l := range t.came {
		switch {
		case l.Number > len(lines) || isComment(l) && !strings.Contains(l.Text, "-environment "):
		case came:
			if alwaysLeaves.MatchString(l.Text) && isInMain(lines, l.Number) {
				ends.quote(l)
			} else if forgives.MatchString(l.Text) {
				replaces.quote(l)
			}
		case leaves.MatchString(l.Text) && (t.lang.name != "go" || isInMain(lines, l.Number)):
			ends.quote(l)
		case fitsAny(replacesTools, l.Text):
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
	asserts := t.lang.assert.MatchString(l.Text)
	switch {
	case fitsAny(vacuousForms, l.Text), around.MatchString(l.Text) && t.wrapsAssertion(lines, l.Number),
		asserts && fitsAny(openForms, l.Text) && !continues(lines, l.Number),
		promised.MatchString(l.Text) && t.awaited(), unawaited.MatchString(l.Text) && t.wasAwaited(l.Text),
		t.comparesItself(lines, l), f.mocksSubject(t, lines, l), t.guardsItself(lines, l), t.isNeverCalled(lines, l),
		t.failsLess(lines, l), asksWhere.MatchString(l.Text) && leavesThere.MatchString(l.Text):
		return true
	case bareReturn.MatchString(l.Text):
		return endsHere(lines, l.Number) || t.leavesFirst(lines, l.Number)
	}
	return swallows.MatchString(l.Text) && t.swallowsAssertions(lines, l.Number) && !failsBelow(lines, l.Number)
}

// leavesFirst reports whether a return is the first that a test does, under a condition: or one that is called with
// many values.
func (t *testFile) leavesFirst(lines []string, at int) bool {
	if at < 3 || isForOtherSystem(lines, at) || !conditional.MatchString(lines[at-2]) {
		return false
	}
	return fuzzed.MatchString(lines[at-3]) || t.lang.test.MatchString(lines[at-3])
}

// continues reports whether the line below continues a line.
func continues(lines []string, at int) bool {
	return at < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[at]), ".")
}

// awaited reports whether an assertion went that the test waited for.
func (t *testFile) awaited() bool {
	return slices.ContainsFunc(t.went, func(was checks.LineChange) bool {
		return strings.Contains(was.Text, "await ") || strings.Contains(was.Text, "return ")
	})
}

// wasAwaited reports whether the test waited for an assertion before.
func (t *testFile) wasAwaited(assertion string) bool {
	return slices.ContainsFunc(t.asserts.removed, func(was checks.LineChange) bool {
		before, found := strings.CutSuffix(strings.TrimSpace(was.Text), strings.TrimSpace(assertion))
		return found && slices.Contains([]string{"await", "return", "return await"}, strings.TrimSpace(before))
	})
}

// guardsItself reports whether a line is a condition of the assertion below it, which demands the same.
func (t *testFile) guardsItself(lines []string, l checks.LineChange) bool {
	m := guard.FindStringSubmatch(l.Text)
	return m != nil && t.lang.name != "go" && l.Number < len(lines) && t.lang.assert.MatchString(lines[l.Number]) &&
		strings.Contains(lines[l.Number], m[1]+m[2])
}

// failsLess reports whether a line is the condition of a failure that was there, and holds in fewer cases.
func (t *testFile) failsLess(lines []string, l checks.LineChange) bool {
	if l.Number >= len(lines) || !t.lang.assert.MatchString(lines[l.Number]) {
		return false
	}
	now := failsIf.FindStringSubmatch(l.Text)
	return now != nil && slices.ContainsFunc(t.went, func(w checks.LineChange) bool {
		was := failsIf.FindStringSubmatch(w.Text)
		if was == nil || was[1] != now[1] {
			return false
		}
		if strings.Contains(was[2], "!=") && onlyBounds.MatchString(now[2]) && sameSubject(was[2], now[2]) {
			return true
		}
		before, after := operandsOf(was[2], "||"), operandsOf(now[2], "||")
		return len(after) < len(before) && len(without(after, before)) == 0 ||
			len(before) > 1 && slices.Equal(operandsOf(now[2], "&&"), before)
	})
}

// onlyBounds is a comparison with a number.
var onlyBounds = lazyregexp.New(`^[^!=]*\s[<>]=?\s*\d+$`)

// failsIf is a condition in Go: what is called before it, and the condition itself.
var failsIf = lazyregexp.New(`^\s*if ([^;]*; )?(.*) \{\s*$`)

// operandsOf returns what an operator joins.
func operandsOf(condition, operator string) (all []string) {
	for part := range strings.SplitSeq(condition, operator) {
		all = append(all, strings.TrimSpace(part))
	}
	return all
}

// isNeverCalled reports whether a line begins a function inside a test that has assertions of it, and that nothing
// calls.
func (t *testFile) isNeverCalled(lines []string, l checks.LineChange) bool {
	m := defines.FindStringSubmatch(l.Text)
	if m == nil || t.lang.test.MatchString(l.Text) || !t.wrapsAssertion(lines, l.Number) {
		return false
	}
	return !slices.ContainsFunc(lines, func(line string) bool {
		return line != lines[l.Number-1] && strings.Contains(line, m[1]+m[2])
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

// conditional begins what runs only sometimes.
var conditional = lazyregexp.New(`\b(?:if|elif|else|case|when|except|catch|rescue|default|switch|match)\b`)
