package tamper

import (
	"slices"
	"strconv"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// weaker are the forms of an assertion that hold for more values than an exact comparison, by what they leave open.
// What is only near to a value is another one.
var weaker = []*lazyregexp.Regexp{
	anyValue, anyOrder, allBut, oneSide, someOf, partOf, anyFailure,
	// What is called with few values, or with one.
	lazyregexp.New(`@given\(.*(?:\bst\.just\(|\bmax_size\s*=\s*[01]\b|\bmax_value\s*=\s*[01]\b|\.filter\(|\bsampled_from\(\[[^,\]]*\]\))`),
	// What the code returned when the test ran for the first time.
	lazyregexp.New(`\btoMatch(?:Inline)?Snapshot\(|\bassert_(?:\w+_)?snapshot!\(|==\s*snapshot\b`),
}

var (
	// anyValue is true of any value, or of any of one type.
	anyValue = lazyregexp.New(`\bis not None\b|\bisinstance\(|\bhasattr\(|\b[aA]ssert(?:_?[iI]s_?)(?:Not_?(?:None|Null)|Instance(?:Of)?|Int|String|Array|Bool|Float|Numeric|Object)\b` +
		`|\bassert(?:NotNull|InstanceOf|DoesNotThrow|_not_nil|_instance_of|_kind_of)\b|\b(?:Not)?Nil\(|\bIs(?:Type|AssignableFrom)\b|\bNotNull\b|\bNot\.Null\b` +
		`|\btoBe(?:Defined|InstanceOf|TypeOf)\(|\bnot\.toBe(?:Null|Undefined|Falsy)\(|\bexpect\.any(?:thing)?\(|\bnot(?:_to|To)? be_nil\b|\bto be_(?:present|an?|kind_of|instance_of)\b` +
		`|\bnot_to raise_error\b|\b(?:isNotNull|isNotEmpty|anything|findsAny|findsWidgets)\b|\bis_not_nil\(|\bshouldNotBe null\b|!=\s*(?:null|nil|NULL|nullptr)\b` +
		`|\bIS NOT NULL\b|\bis\.(?:numeric|character|list|function)\(|\{_(?:,\s*_)*\}\s*=|!= ""`)
	// anyOrder is true of any elements in another order.
	anyOrder = lazyregexp.New(`\bassertCountEqual\(|\bsorted\(|\bElementsMatch\(|\bConsistOf\(|\bcontain_exactly\b|\bmatch_array\b|\bcontainsInAnyOrder\b|\bcontainsExactlyInAnyOrder\b` +
		`|\bcmpopts\.(?:SortSlices|IgnoreSliceElements|EquateEmpty)\b`)
	// allBut is true of all values but one, and oneSide of all on one side of it, or between two.
	allBut = lazyregexp.New(`^assert\s+not\s+.*==|^assert\s.*[^=<>!]!=|\b(?:[aA]ssert)?(?:\.|_)?(?:Not_?Equals?|not_equal|NotSame|isnt)\(|(?:\b|EXPECT|ASSERT)_NE\(|\bNotEqual\(` +
		`|\bisNot[A-Z]\w*\(|\.not\.to(?:Be|Equal|StrictEqual|Match\w*|Have\w*|Contain\w*)\(|\bnot_to eq\b|\bshouldNotBe\b`)
	oneSide = lazyregexp.New(`^assert\s.*\s[<>]=?\s|\b(?:assert|XCTAssert|Assert\.|assert_?)(?:Greater|Less)\w*\(|\btoBe(?:Greater|Less)Than\w*\(|(?:EXPECT|ASSERT)_[GL][TE]\(` +
		`|\b(?:Assert\.)?InRange\(|\s-[gl][te]\s|\bis(?:Between|Greater\w*|Less\w*|Positive|Negative)\(|\bby_at_(?:least|most)\(`)
	// someOf is true of several values.
	someOf = lazyregexp.New(`^assert\s.*\bin\s*[(\[{]|\bassertIn\([^,]+,\s*[(\[{]|\btoBeOneOf\(|\bexpect\.arrayContaining\(\s*\[\s*\]|\bobjectContaining\(\s*\{\s*\}` +
		`|^assert\s.*\sor\s|\bassert\w*!?\(.*\|\||\bassert\s+.*\|\|`)
	// partOf is true of what has a part of a value, or its size, or what is left of it after rounding.
	partOf = lazyregexp.New(`\.keys\(\)|\bassertIn\(|\b(?:round|floor|ceil|trunc)\(|\.(?:length|size)\b.*(?:[<>]=?|Greater|Less)|\blen\(.*[<>]|\bcmp\.Comparer\(.*return true` +
		`|\bIgnore(?:Fields|Types|Unexported|MapEntries|SliceElements)\(|\btoHaveBeenCalled\(\s*\)|\bcmp\.Diff\(len\(`)
	// near is true of what is near to a value.
	near = lazyregexp.New(`(?i)\bapprox\(|almost_?equal|\btoBeCloseTo\(|\bInDelta\b|in_?(?:delta|epsilon)\b|\bbe_within\(|(?:EXPECT|ASSERT)_NEAR\(|\bis_?close\(|\ball_?close\(|\baccuracy:` +
		`|\btolerance\s*=|\b[ar]tol\s*=|\batol\b|≈|\b(?:assertEquals|Assert\.(?:Equal|AreEqual))\(.*,\s*\d[\d_.]*\)`)
	// anyFailure is true of any exception.
	anyFailure = lazyregexp.New(`\b(?:raises|assertRaises|assertThrows\w*|Throws(?:Any)?(?:Async)?|expectException|assert_raises?|raise_error|toThrow\w*|test_throws|has_error|isInstanceOf|hasCauseInstanceOf)\b` +
		`(?:\(|<|\s)\s*\\?(?:(?:Base)?Exception|Throwable|Error|StandardError|\))`)
)

var (
	// alreadyOpen is an assertion whose other forms demand as much: of a truth value, or of nothing.
	alreadyOpen = lazyregexp.New(`(?i)(?:==|\bis\b|\bto(?:be|equal|strictequal)\(|\beq\(?|equals?\w*\(.*,|same\(.*,|\bbe)\s*\(?\s*(?:true|false|none|nil|null|undefined|0|""|''|\[\]|\{\})\s*[,);]*\s*$` +
		`|\b[eE]quals?\w*\(\s*(?:t,\s*|self,\s*)?(?:true|false|none|nil|null|0|""|\[\]|\{\})\s*,`)
	// quotedText is a string, and wordOf a name.
	quotedText = lazyregexp.New("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
	wordOf     = lazyregexp.New(`[A-Za-z_]\w*`)
	// vocabulary are the words of assertions themselves.
	vocabulary = lazyregexp.New(`^(?i:assert\w*|expect\w*|require|check|self|this|t|is|in|not|or|and|to\w*|be\w*|eq\w*|equals?|same|must|should\w*|xct\w*|await|return|if|class|given` +
		`|with|pytest|ok|is_deeply|none|null|nil|true|false|len|str|int|var|let|const|val|new)$`)
)

// nearby is how many lines from an assertion that went another one is that came in its place.
const nearby = 12

// weakened returns the assertions that came in place of one that went, and hold for more values.
func (t *testFile) weakened(gone []checks.LineChange) (all []checks.LineChange) {
	_, unmoved := t.asserts.unmoved()
	var came []checks.LineChange
	for _, l := range t.came {
		if slices.Contains(unmoved, strings.TrimSpace(l.Text)) {
			came = append(came, l)
		}
	}
	for _, was := range gone {
		var found []checks.LineChange
		for _, l := range came {
			if distance := l.Number - was.Number; max(distance, -distance) > nearby || !sameSubject(was.Text, l.Text) {
				continue
			}
			if !holdsForMore(was.Text, l.Text) {
				found = nil
				break
			}
			found = append(found, l)
		}
		all = append(all, found...)
	}
	return all
}

// holdsForMore reports whether an assertion is of a form that holds for more values than another one demands.
func holdsForMore(was, now string) bool {
	was, now = strings.TrimSpace(was), strings.TrimSpace(now)
	if alreadyOpen.MatchString(was) || partial.MatchString(was) || isTruth(was) || fitsAny(weaker, withoutTexts(was)) {
		return false
	}
	if isTruth(now) && len(without(subjects(now), subjects(was))) == 0 || fitsAny(weaker, withoutTexts(now)) ||
		saysLess(was, now) {
		return true
	}
	return near.MatchString(withoutTexts(now)) && !near.MatchString(withoutTexts(was))
}

// isTruth reports whether an assertion demands only that something is true.
func isTruth(assertion string) bool {
	plain := quotedText.ReplaceAllString(assertion, "x")
	for i := 0; i < 4; i++ {
		plain = inBrackets.ReplaceAllString(plain, "x")
	}
	return truth.MatchString(plain) || truthOf.MatchString(assertion)
}

var (
	inBrackets = lazyregexp.New(`\([^()]*\)|\[[^\[\]]*\]`)
	// truth is an assertion of one value, without what is in brackets, and truthOf one by its name.
	truth   = lazyregexp.New(`^assert\s+(?:await\s+)?@?[\w.@]+\s*(?:,.*)?$`)
	truthOf = lazyregexp.New(`\btoBeTruthy\(|\bto be_truthy\b|\bassert(?:True)?\(\s*[\w.]+(?:\([^()=<>!]*\))?\s*[,)]|\(is \([^=<>()]+\)\)|^ok\([^=]*,` +
		`|\b(?:SELECT )?ok\(`)
	// partial is an assertion of a part of a value, by its words.
	partial = lazyregexp.New(`(?i)^assert\s.*\sin\s|contain|includ|match\(|regex|starts_?with|ends_?with|has_?prefix|has_?suffix`)
)

// saysLess reports whether an assertion has only names and values of another one, and not all of its values.
func saysLess(was, now string) bool {
	if !isComplete(was) || !isComplete(now) || demandsNothing.MatchString(now) {
		return false
	}
	before, after := valuesIn(was), valuesIn(now)
	known := func(value string) bool {
		return slices.Contains(before, value) || strings.Trim(value, "-.0123456789") != "" &&
			slices.ContainsFunc(before, func(b string) bool { return strings.Contains(b, value) })
	}
	names := subjects(was)
	added := func(word string) bool { return !matcher.MatchString(word) && !slices.Contains(names, word) }
	return len(without(before, after)) > 0 && !slices.ContainsFunc(after, not(known)) &&
		!slices.ContainsFunc(subjects(now), added)
}

// isComplete reports whether a line closes all brackets that it opens, and only those.
func isComplete(line string) bool {
	plain := quotedText.ReplaceAllString(line, "")
	even := func(begin, end string) bool { return strings.Count(plain, begin) == strings.Count(plain, end) }
	return even("(", ")") && even("[", "]") && even("{", "}") && !strings.HasSuffix(strings.TrimRight(plain, " "), "\\")
}

var (
	// demandsNothing is an assertion that needs no value to be exact: that something is empty, absent or false.
	demandsNothing = lazyregexp.New(`(?i)empty|null|nil\b|none\b|zero|false|undefined|\bnan\b|no_?error|\bassert not\b|refute|\blen\b|length|\.size\b|count|!\w`)
	// matcher is the name of what an assertion demands, in a library of assertions.
	matcher = lazyregexp.New(`^(?:is|to|has|have|be|contains?|includes?|match\w*|type|any|all|callable|by)(?:[A-Z_]\w*)?$`)
)

// sameSubject reports whether two assertions name something in common, or demand that something fails.
func sameSubject(was, now string) bool {
	names := subjects(was)
	return slices.ContainsFunc(subjects(now), func(word string) bool { return slices.Contains(names, word) }) ||
		failure.MatchString(was) && failure.MatchString(now)
}

// subjects returns the names in an assertion, without those in strings.
func subjects(assertion string) []string {
	words := wordOf.FindAllString(withoutTexts(assertion), -1)
	return slices.DeleteFunc(words, vocabulary.MatchString)
}

// withoutTexts returns a line with empty strings, but for the variables of a shell.
func withoutTexts(line string) string {
	return quotedText.ReplaceAllStringFunc(line, func(text string) string {
		if strings.HasPrefix(text, `"$`) {
			return text
		}
		return `""`
	})
}

// failure is an assertion that something fails.
var failure = lazyregexp.New(`(?i)raises?\b|throws?\b|toThrow|expectException|has_error`)

// bound is a comparison with a number: below it, or above it.
var bound = lazyregexp.New(`(?:(<=?|\b(?i:\w*less\w*|at_?most)\(|_L[TE]\(|\s-l[te]\s)|(>=?|\b(?i:\w*greater\w*|at_?least)\(|_G[TE]\(|\s-g[te]\s))[^<>]*?(-?\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?)[^\d]*$`)

// movesBound reports whether an assertion came to hold for more numbers.
func movesBound(was, now string) bool {
	before, after := bound.FindStringSubmatch(was), bound.FindStringSubmatch(now)
	if before == nil || after == nil {
		return false
	}
	number := func(text string) float64 {
		value, _ := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64) // It is one, or out of range.
		return value
	}
	if before[1] != "" {
		return number(after[3]) > number(before[3])
	}
	return number(after[3]) < number(before[3])
}

// lowers reports whether the first number of a line got less.
func lowers(was, now string) bool {
	value := func(text string) float64 {
		value, _ := strconv.ParseFloat(strings.ReplaceAll(number.FindString(text), "_", ""), 64) // or out of range
		return value
	}
	return value(now) < value(was)
}

// compared returns the sides of the comparisons in an assertion: arguments of its call, and of its operators.
func compared(line string) (all [][2]string) {
	if m := operators.FindStringSubmatch(line); m != nil {
		for i := 1; i+1 < len(m); i += 2 {
			if m[i] != "" {
				all = append(all, [2]string{m[i], m[i+1]})
			}
		}
	}
	if at := callOf.FindStringIndex(line); at != nil {
		arguments := splitArguments(line[at[1]:])
		for i := 1; i < len(arguments); i++ {
			all = append(all, [2]string{arguments[i-1], arguments[i]})
		}
	}
	return all
}

var (
	// operators are the forms of comparisons that have both sides around a word.
	operators = lazyregexp.New(`^\s*assert\s+(.+?)\s*===?\s*(.+?)\s*$|\bexpect\((.+)\)\.(?:to\.)?\w+\((.+)\)\s*;?\s*$|\bexpect\((.+)\)\.to\s+\w+[( ](.+?)\)?\s*$` +
		`|^\s*assert_equal\s+(.+?),\s+(.+?)\s*$` + "|^\\s*(\\S.*?)\\s+`?should(?:Be|Equal)`?\\s+(.+?)\\s*$|\\bassert!\\((.+?)\\s*==\\s*(.+?)\\)\\s*;?\\s*$")
	// callOf is a call that compares its arguments.
	callOf = lazyregexp.New(`(?:\b(?:assert|XCTAssert|expect_?)(?:_?(?i:equals?|eq|same|identical|array_equal|deep_equal)\w*)!?|\b(?:assert|require|t|Assert|cmp|is)\.` +
		`(?:[eE]qual\w*|[sS]trictEqual|[dD]eepEqual|[sS]ame|AreEqual|Diff|is)|\b(?:EXPECT|ASSERT)_(?:STR)?EQ|\bis_deeply|\bis)\(`)
)

// splitArguments returns the arguments of a call whose text begins behind its bracket.
func splitArguments(text string) (all []string) {
	depth, from := 0, 0
	quote := rune(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.ContainsRune("\"'`", c):
			quote = c
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			if depth--; depth < 0 {
				return append(all, strings.TrimSpace(text[from:i]))
			}
		case c == ',' && depth == 0:
			all, from = append(all, strings.TrimSpace(text[from:i])), i+1
		}
	}
	return nil
}

// comparesItself reports whether an assertion has the same on both sides: the same name, or, where another assertion
// went, the same expression, maybe by the name of a variable.
func (t *testFile) comparesItself(lines []string, l checks.LineChange) bool {
	return slices.ContainsFunc(compared(l.Text), func(sides [2]string) bool {
		a, b := strings.TrimSpace(sides[0]), strings.TrimSpace(sides[1])
		for _, or := range []string{"&& ", "|| ", "?? ", "or "} {
			if strings.HasSuffix(a, or+b) || strings.HasSuffix(b, or+a) {
				return true
			}
		}
		if a == b {
			return len(t.asserts.removed) > 0 || !strings.Contains(a, "(")
		}
		return len(t.asserts.removed) > 0 && (valueOf(lines, l.Number, a) == b || valueOf(lines, l.Number, b) == a)
	})
}

// assignedAt is how many lines above an assertion its variables get their values.
const assignedAt = 10

// assigns is a line that gives a variable its value.
var assigns = lazyregexp.New(`^\s*(?:const |let |var |val |auto |my |final )?(\$?\w+)\s*:?=\s*([^=].*?);?\s*$`)

// valueOf returns what a variable got above a line; empty: it is none.
func valueOf(lines []string, at int, name string) string {
	for i := at - 2; i >= 0 && i > at-2-assignedAt && i < len(lines); i-- {
		if m := assigns.FindStringSubmatch(lines[i]); m != nil && m[1] == name {
			return m[2]
		}
	}
	return ""
}

// valuesIn returns the strings and numbers in a text, as tests may write them.
func valuesIn(text string) (all []string) {
	for _, quoted := range quotedText.FindAllString(text, -1) {
		if inside := quoted[1 : len(quoted)-1]; inside != "" {
			all = append(all, inside)
		}
	}
	for _, m := range aNumber.FindAllStringSubmatch(quotedText.ReplaceAllString(text, `""`), -1) {
		all = append(all, strings.TrimSuffix(strings.ReplaceAll(m[1], "_", ""), ".0"))
	}
	return all
}

// aNumber is a number that stands alone.
var aNumber = lazyregexp.New(`(?:^|[^\w.])(-?\d[\d_]*(?:\.\d+)?)[fFmMuUlLdD]?\b`)

func not(f func(string) bool) func(string) bool { return func(value string) bool { return !f(value) } }
