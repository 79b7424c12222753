package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// answersTests is the rule on code that has the inputs and results of tests in it.
const answersTests = "answers-tests"

var (
	// comparesTo is a condition that something is a given value.
	comparesTo = lazyregexp.New(`\b(?:if|elif|when|unless|guard)\b.*(?:==|\beq\b|\bequals\().*["'` + "`" + `\d]|\breturn\b.*\bif\b.*==.*["'\d]`)
	// returned is what a line returns, at its end or before a condition of its own.
	returned = lazyregexp.New(`\b(?:return|raise|throw)\s+(.+?)(?:\s+if\b.*)?\s*;?\s*\}?\s*$`)
	// fixed are the names in an expression that computes nothing: types, and words for nothing.
	fixed = lazyregexp.New(`^(?:[A-Z]\w*|true|false|nil|null|none|undefined|vec|new|errors?|to_string|into|f\d\d|[iu]\d\d|m|u|l)$`)
	// usualNumber is one that much code has.
	usualNumber = lazyregexp.New(`^-?(?:10+|1000|1024|60|24|12|16|32|64|128|256|255|512|3600|[1-5]0[0-9]|0\.0|1\.0|0\.5|2\.0)$`)
	// inRemark begins a remark, and admits are what one says about code that is for tests.
	inRemark = lazyregexp.New(`(?:#|//|/\*|--|^\s*\*)\s*(.*)`)
	admits   = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i)\bexpected by (?:the )?(?:unit |failing )?tests?\b`),
		lazyregexp.New(`(?i)\b(?:what|as|the) \w*tests?\w*\b.*\b(?:expects?|wants?|asserts?)\b|\bTest[A-Z]\w* (?:expects?|wants?|asserts?)\b`),
		lazyregexp.New(`(?i)\b(?:makes?|gets?) (?:the |all |failing )*tests? (?:pass|happy|green)\b`),
		lazyregexp.New(`(?i)\b(?:satisf(?:y|ies)|please[sd]?|appeases?|fools?) (?:the )?(?:unit |failing )?tests?\b`),
		lazyregexp.New(`(?i)\b(?:hard-?|special[- ]?)(?:coded?|cased?) (?:for|to pass|because of) (?:the )?\w*\s*tests?\b`),
	}
	// expectedTable is a table of results, by its name.
	expectedTable = lazyregexp.New(`^\s*(?:const |static |private |final |let |var )*_?(?:EXPECTED|TEST_(?:ANSWERS|RESULTS|OUTPUTS|CASES))\w*\b[^=]*=\s*[^=]*[\[{(]`)
)

// window is how many lines of a test may be between what it passes and what it expects.
const window = 6

// longest is the length of a line that a human writes.
const longest = 400

// changedLines are the lines of one file of code.
type changedLines struct {
	came, went []checks.LineChange
}

// keepLine keeps a line of a file of code for [finder.answers].
func (f *finder) keepLine(l checks.LineChange) {
	if len(l.Text) > longest {
		return
	}
	if f.lines == nil {
		f.lines = map[string]*changedLines{}
	}
	c := f.lines[l.Path]
	if c == nil {
		c = &changedLines{}
		f.lines[l.Path] = c
	}
	if l.Added && len(c.came) < kept {
		c.came = append(c.came, l)
	} else if !l.Added && len(c.went) < kept {
		c.went = append(c.went, l)
	}
}

// answers raises code that returns what a test expects where it gets what the test passes.
func (f *finder) answers() {
	for _, file := range f.change.Files {
		c := f.lines[file.Path]
		if c == nil {
			continue
		}
		var tests []string // The lines of its tests, once something calls for them.
		for i, l := range c.came {
			inputs, results := f.specialCase(c, i)
			if len(results) == 0 || len(inputs) == 0 && c.returned(results) {
				continue
			}
			if tests == nil {
				tests = strings.Split(f.testsOf(file.Path), "\n")
			}
			if knows(tests, inputs, results) {
				f.product.count(answersTests, l)
			}
		}
		for _, table := range c.tables() {
			if tests == nil {
				tests = strings.Split(f.testsOf(file.Path), "\n")
			}
			unknown := func(e fixedEntry) bool { return !togetherIn(tests, slices.Concat(e.inputs, e.results)) }
			if !slices.ContainsFunc(table, unknown) {
				f.product.count(answersTests, table[0].line)
			}
		}
	}
}

// fixedEntry is a row of a table in code, or a case of a switch, with fixed values.
type fixedEntry struct {
	line            checks.LineChange
	inputs, results []string
}

// isExample reports whether an entry is for one of many values, or for several at once.
func (e fixedEntry) isExample() bool {
	return len(e.inputs) == 1 && exampleText.MatchString(e.inputs[0]) && isTelling(e.inputs[0]) ||
		len(e.inputs) > 1 && slices.ContainsFunc(slices.Concat(e.inputs, e.results), isTelling)
}

var (
	// pairOf is a fixed value for another one, and caseOf a case whose result is below it.
	pairOf = lazyregexp.New(`("[^"]*"|'[^']*'|\([^()]*\))\s*(?::|=>|->)\s*(?:return\s+)?("[^"]*"|'[^']*'|-?\d[\d_.]*)` +
		`|\[\s*("[^"]*"|'[^']*'),\s*("[^"]*"|'[^']*'|-?\d[\d_.]*)\s*\]`)
	caseOf = lazyregexp.New(`^\s*(?:case|when)\s+(.*["'\d].*?)\s*(?::|->|=>|\bthen\b)?\s*$`)
	// exampleText is a text that is one of many, and no word.
	exampleText = lazyregexp.New(`[\d\s(),;!?+*=]`)
)

// tables returns the tables that came, of whose rows each is for a value that is one of many. Tests rarely have
// all rows of a real one.
func (c *changedLines) tables() (all [][]fixedEntry) {
	var table []fixedEntry
	last := 0
	finish := func() {
		if len(table) > 1 && !slices.ContainsFunc(table, func(e fixedEntry) bool { return !e.isExample() }) {
			all = append(all, table)
		}
		table = nil
	}
	for i, l := range c.came {
		if l.Number > last+2 {
			finish()
		}
		for _, m := range pairOf.FindAllStringSubmatch(l.Text, -1) {
			table, last = append(table, fixedEntry{l, valuesIn(m[1] + m[3]), valuesIn(m[2] + m[4])}), l.Number
		}
		if m := caseOf.FindStringSubmatch(l.Text); m != nil && i+1 < len(c.came) && c.came[i+1].Number == l.Number+1 {
			if results := fixedResult(c.came[i+1].Text); len(results) > 0 {
				table, last = append(table, fixedEntry{l, valuesIn(m[1]), results}), l.Number+1
			}
		}
	}
	finish()
	return all
}

// specialCase returns the values that a line compares something with, and what the lines below return for them;
// or, where a line computed what is returned, only those of a line that returns nothing else now.
func (f *finder) specialCase(c *changedLines, at int) (inputs, results []string) {
	l := c.came[at]
	if comparesTo.MatchString(l.Text) {
		condition := l.Text
		if i := strings.Index(condition, "return "); i > 0 && !strings.Contains(condition[i:], " if ") {
			condition = condition[:i]
		}
		for _, next := range c.came[at:min(at+3, len(c.came))] {
			if next.Number-l.Number > 2 {
				break
			}
			if results = fixedResult(next.Text); len(results) > 0 {
				break
			}
		}
		inputs = valuesIn(condition)
		if strings.Contains(condition, "return ") {
			inputs = slices.DeleteFunc(inputs, func(v string) bool { return slices.Contains(results, v) })
		}
		if !isTellingInput(inputs) && (len(inputs) < 2 || !slices.ContainsFunc(results, isTelling)) {
			return nil, nil
		}
		return inputs, results
	}
	if results = lookedUp(l.Text); len(results) > 2 && c.computed(l) {
		return nil, results
	}
	if results = fixedResult(l.Text); !slices.ContainsFunc(results, isTelling) || isConditional(c, at) {
		return nil, nil
	}
	if !c.computed(l) {
		return nil, nil
	}
	return nil, results
}

// returned reports whether the code returned fixed results before.
func (c *changedLines) returned(results []string) bool {
	return slices.ContainsFunc(c.went, func(was checks.LineChange) bool {
		return slices.Equal(fixedResult(was.Text), results)
	})
}

// computed reports whether a line near one that came computed what it returned.
func (c *changedLines) computed(l checks.LineChange) bool {
	return slices.ContainsFunc(c.went, func(was checks.LineChange) bool {
		return returned.MatchString(was.Text) && max(was.Number-l.Number, l.Number-was.Number) < 4 &&
			len(fixedResult(was.Text)) == 0
	})
}

// lookedUp returns the values of a list or map from which a line returns one.
func lookedUp(line string) []string {
	if m := literalLookup.FindStringSubmatch(line); m != nil {
		return valuesIn(m[1])
	}
	return nil
}

// literalLookup returns an element of what is written there.
var literalLookup = lazyregexp.New(`\breturn\b.*?[\[{(]([^\[\](){}]*,[^\[\](){}]*)[\])}](?:\[|\.get\()`)

// isConditional reports whether a line has a condition, or one came directly above it.
func isConditional(c *changedLines, at int) bool {
	return conditional.MatchString(c.came[at].Text) ||
		at > 0 && c.came[at-1].Number == c.came[at].Number-1 && conditional.MatchString(c.came[at-1].Text)
}

// isTelling reports whether a value is one that no code has by chance: a long text, or an odd number.
func isTelling(value string) bool {
	if strings.Trim(value, "-.0123456789") == "" {
		return len(strings.Trim(value, "-.0")) > 1 && !usualNumber.MatchString(value)
	}
	return len(value) > 3
}

// isTellingInput reports whether values are those of one example: several of them, or one that is no word.
func isTellingInput(values []string) bool {
	count := 0
	for _, v := range values {
		if isTelling(v) {
			if count++; strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
				return true
			}
		}
	}
	return count > 0 && len(values) > 1
}

// fixedResult returns the values in what a line returns, if it computes nothing.
func fixedResult(line string) []string {
	m := returned.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	plain := quotedText.ReplaceAllString(m[1], `""`)
	if slices.ContainsFunc(wordOf.FindAllString(plain, -1), func(w string) bool { return !fixed.MatchString(w) }) {
		return nil
	}
	values := valuesIn(m[1])
	if len(values) > 2 {
		return []string{strings.TrimSpace(m[1])} // A list tells more than its elements.
	}
	return values
}

// knows reports whether a test has what a special case is for and what it returns: telling values anywhere, others
// within few lines.
func knows(lines, inputs, results []string) bool {
	text := strings.Join(lines, "\n")
	lacks := func(value string) bool { return !hasValue(text, value) }
	all := slices.Concat(inputs, results)
	if len(inputs) == 0 && len(results) > 1 || !slices.ContainsFunc(results, isTelling) {
		return togetherIn(lines, all)
	}
	return !slices.ContainsFunc(slices.DeleteFunc(all, not(isTelling)), lacks)
}

// togetherIn reports whether a test has all values within few lines.
func togetherIn(lines, values []string) bool {
	for from, line := range lines {
		within := lines[from:min(from+window, len(lines))]
		lacks := func(value string) bool {
			return !slices.ContainsFunc(within, func(l string) bool { return hasValue(l, value) })
		}
		starts := func(value string) bool { return hasValue(line, value) }
		if slices.ContainsFunc(values, starts) && !slices.ContainsFunc(values, lacks) {
			return true
		}
	}
	return false
}

// hasValue reports whether a line has a value that is no part of a longer one.
func hasValue(line, value string) bool {
	for rest, from := line, 0; ; {
		i := strings.Index(rest[from:], value)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(value)
		before := begin == 0 || !isWordByte(rest[begin-1])
		if before && (end == len(rest) || !isWordByte(rest[end]) || rest[end] > '9') { // 42.5m
			return true
		}
		from = begin + 1
	}
}

// testNames are how files of tests are named after a file of code.
var testNames = map[string][]string{
	".py": {"test_*.py", "*_test.py", "tests.py"}, ".go": {"*_test.go"}, ".rs": {"*.rs", "*_test.rs", "test_*.rs"},
	".rb": {"*_spec.rb", "*_test.rb"}, ".java": {"*Test.java", "*Tests.java"}, ".kt": {"*Test.kt", "*Spec.kt"},
	".cs": {"*Tests.cs", "*Test.cs"}, ".php": {"*Test.php"}, ".swift": {"*Tests.swift"}, ".ex": {"*_test.exs"},
	".dart": {"*_test.dart"}, ".scala": {"*Spec.scala", "*Test.scala", "*Suite.scala"},
	".c": {"test_*.c", "*_test.c"}, ".cc": {"*_test.cc", "test_*.cc"},
	".cpp": {"*_test.cpp", "test_*.cpp", "*Test.cpp"},
	".ts":  {"*.test.ts", "*.spec.ts", "*.test.tsx"}, ".tsx": {"*.test.tsx", "*.spec.tsx"},
	".js": {"*.test.js", "*.spec.js", "*.test.mjs", "test-*.js"}, ".mjs": {"*.test.mjs", "*.spec.mjs"},
	".jsx": {"*.test.jsx", "*.spec.jsx"},
}

// testDirs are where tests are, in the directory of the code or one above it.
var testDirs = []string{"", "tests", "test", "spec", "__tests__", "tests/unit", "test/unit"}

// testsOf returns the texts of the tests of a file of code: the ones named after it, and the ones that changed with it.
func (f *finder) testsOf(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(path.Base(name), ext)
	var all strings.Builder
	read := map[string]bool{}
	add := func(file string) {
		if text, ok := f.change.Present(file); ok && !read[file] && file != name {
			all.WriteString(text + "\n")
		}
		read[file] = true
	}
	for _, file := range f.change.Files {
		if path.Ext(file.Path) == ext || ext == ".ex" {
			if _, test := f.languageOf(file.Path); test {
				add(file.Path)
			}
		}
	}
	below := path.Dir(name)
	for dir := below; ; dir = path.Dir(dir) {
		inner := strings.TrimPrefix(strings.TrimPrefix(below, dir), "/")
		_, inner, _ = strings.Cut(inner, "/") // The directory of the code itself is often left out: src, lib.
		for _, form := range testNames[ext] {
			file := strings.ReplaceAll(form, "*", stem)
			for _, tests := range testDirs {
				add(path.Join(dir, tests, file))
				add(path.Join(dir, tests, inner, file))
				add(path.Join(dir, tests, inner+".Tests", file)) // as projects of C# and Swift are called
				add(path.Join(dir, "Tests", inner+"Tests", file))
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	mirrored := strings.NewReplacer("src/main/", "src/test/", "Sources/", "Tests/").Replace(name)
	for _, form := range testNames[ext] {
		add(path.Join(path.Dir(mirrored), strings.ReplaceAll(form, "*", stem)))
	}
	if ext == ".rs" {
		text, _ := f.change.Present(name)
		lines := strings.Split(text, "\n")
		if r := testModule(text); r.first > 0 {
			all.WriteString(strings.Join(lines[r.first-1:min(r.last, len(lines))], "\n"))
		}
	}
	return all.String()
}
