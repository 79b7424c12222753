package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// answers are lines that give a function of the code a fixed result, with its name.
var answers = []*lazyregexp.Regexp{
	// Python
	lazyregexp.New(`\b(?:monkeypatch\.setattr|(?:mocker\.|mock\.|\b)patch(?:\.object)?)\(\s*["'][\w.]*?(\w+)["']\s*,`),
	lazyregexp.New(`\b(?:monkeypatch\.setattr|(?:mocker\.|mock\.|\b)patch\.object)\(\s*[\w.]+\s*,\s*["'](\w+)["']\s*,`),
	lazyregexp.New(`^\s*(\w+)\s*=\s*(?:mock\.|mocker\.)?(?:Magic|Async)?Mock\(.*\breturn_value\b`),
	// JavaScript
	lazyregexp.New(`\b(?:vi|jest|sinon)\.(?:spyOn|stub)\(\s*[\w.]+\s*,\s*["'](\w+)["']\s*\)\.(?:mock(?:Resolved|Return|Implementation)|returns|resolves|callsFake)`),
	// Ruby
	lazyregexp.New(`\ballow(?:_any_instance_of)?\(.*\)\.to receive\(:(\w+)\)\.and_return|\b\w+\.stubs?\(:(\w+)`),
	// Java, Kotlin, PHP, Clojure
	lazyregexp.New(`\bwhen\(.*\b\w+\.(\w+)\(.*\.thenReturn|\bevery \{.*\.(\w+)\(.*\} returns|->method\(['"](\w+)['"]\)->willReturn|\bwith-redefs \[[\w.-]+/([\w?!-]+)`),
	// R and the shell define it themselves.
	lazyregexp.New(`^\s*(\w+) <- function\(`),
	lazyregexp.New(`^\s*(\w+)\(\) \{`),
}

// standIns are lines that put something else in the place of what a file of tests is named after.
var standIns = lazyregexp.New(`\b(?:createMock|createStub|createConfiguredMock|mock)\((\w+)(?:::class|\.class)|\bmockStatic\((\w+)\.class|\b(?:instance|class)_double\(["']?(\w+)` +
	`|\b(?:vi|jest)\.(?:mock|doMock|unstable_mockModule)\(\s*["'](?:[^"']*/)?([\w-]+)(?:\.\w+)?["']|^class (\w+)\s*$`)

var (
	imports = lazyregexp.New(`^\s*(?:import|from|use|using|alias|require\w*|#\s*include|const .*require\()\b`)
	// fake is a word in the name of what takes the place of code.
	fake = lazyregexp.New(`(?i)fake|stub|mock|dummy|double|\btests?\.(?:helpers?|support|utils?)\b`)
	// ofTests is the package of assertions that a library has.
	ofTests      = lazyregexp.New(`\b(?:org\.(?:junit|testng|assertj|hamcrest)|kotlin\.test|io\.kotest|com\.google\.common\.truth|junit\.framework)\.[\w.]*\b(?:Assert\w*|Truth)`)
	ownAssertion = lazyregexp.New(`\w*Assert\w*`)
	// testAffix is a part of the name of a file of tests that the name of the code does not have.
	testAffix = lazyregexp.New(`(?i)^tests?[_-]|[._-]?(?:tests?|spec)$`)
	// assignsCall gives a variable what a call returns.
	assignsCall = lazyregexp.New(`^\s*(?:const |let |var |val |auto |my |\$)?\w+(?:,\s*\w+)*\s*:?=[^=]`)
	// onlyCalls asks whether something was called, not what it returned.
	onlyCalls = lazyregexp.New(`(?i)called|toHaveBeen|verify|receive|assert_(?:any_call|awaited)`)
)

// mocksSubject reports whether a line, in a test that was there, replaces what the test is about.
func (f *finder) mocksSubject(t *testFile, lines []string, l checks.LineChange) bool {
	for _, form := range answers {
		for _, name := range groupsOf(form, l.Text) {
			if t.asksFor(lines, l.Number, name) {
				return true
			}
		}
	}
	for _, name := range groupsOf(standIns, l.Text) {
		if sameName(name, subjectOf(t.path)) {
			return true
		}
	}
	return f.importsFake(t, l)
}

// groupsOf returns what the groups of a form caught in a text.
func groupsOf(form *lazyregexp.Regexp, text string) []string {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return slices.DeleteFunc(m[1:], func(group string) bool { return group == "" })
}

// asksFor reports whether an assertion, or a value for one, below a line calls a function by its name.
func (t *testFile) asksFor(lines []string, at int, name string) bool {
	inTest := t.isInTest(lines, at)
	for i, line := range lines[min(at-1, len(lines)):] {
		if i > 0 && inTest && t.lang.test.MatchString(line) {
			return false
		}
		plain := quotedText.ReplaceAllString(line, `""`)
		if (t.lang.assert.MatchString(line) || assignsCall.MatchString(line) || strings.Contains(line, "run "+name)) &&
			!onlyCalls.MatchString(line) && callsNamed(plain, name, t.lang.name == "ruby") {
			return true
		}
	}
	return false
}

// isInTest reports whether a line is in a test, and not in what is done before all of them.
func (t *testFile) isInTest(lines []string, at int) bool {
	for i := min(at, len(lines)) - 1; i >= 0; i-- {
		if beforeTests.MatchString(lines[i]) {
			return false
		}
		if t.lang.test.MatchString(lines[i]) {
			return indentOf(lines[i]) < indentOf(lines[at-1])
		}
	}
	return false
}

// beforeTests begins what runs before tests.
var beforeTests = lazyregexp.New(`(?i)\b(?:before|set_?up|fixture)(?:_?(?:each|all|class|module))?\b`)

// callsNamed reports whether a text calls a function, or names it where calls may have no brackets.
func callsNamed(text, name string, bare bool) bool {
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(name):]
		rest = after
		if before != "" && isWordByte(before[len(before)-1]) {
			continue
		}
		if strings.HasPrefix(after, "(") || strings.HasSuffix(before, "/") || strings.HasSuffix(before, "run ") ||
			bare && strings.HasSuffix(before, ".") && (after == "" || !isWordByte(after[0])) {
			return true
		}
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// subjectOf returns what a file of tests is about, by its name: test_cart.py, cart.test.ts and CartTest.java are of
// cart.
func subjectOf(name string) string {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	return testAffix.ReplaceAllString(stem, "")
}

// sameName reports whether two names differ in nothing but how their words are joined.
func sameName(a, b string) bool {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	return plain(a) == plain(b)
}

// importsFake reports whether a line imports what the test imported before from a place of fakes, or defines it.
func (f *finder) importsFake(t *testFile, l checks.LineChange) bool {
	return slices.ContainsFunc(t.went, func(was checks.LineChange) bool {
		switch {
		case !imports.MatchString(was.Text):
			return false
		case !imports.MatchString(l.Text):
			name := defined.FindStringSubmatch(l.Text)
			return name != nil && slices.Contains(wordOf.FindAllString(was.Text, -1), name[1]+name[2]) &&
				!t.imports(name[1]+name[2])
		case ofTests.MatchString(was.Text):
			return ownAssertion.MatchString(l.Text) && !ofTests.MatchString(l.Text)
		}
		return fake.MatchString(l.Text) && !fake.MatchString(was.Text) && sharesName(was.Text, l.Text)
	})
}

// defined is a name that a file of tests gives a meaning of its own.
var defined = lazyregexp.New(`^(?:async )?(?:def|class|function|func)\s+(\w+)|^(?:const |let |var )?(\w+)\s*=[^=]`)

// imports reports whether a line that came imports a name.
func (t *testFile) imports(name string) bool {
	return slices.ContainsFunc(t.came, func(l checks.LineChange) bool {
		return imports.MatchString(l.Text) && slices.Contains(wordOf.FindAllString(l.Text, -1), name)
	})
}

// sharesName reports whether two imports are of something with the same name, but for a word that says that it is none.
func sharesName(was, now string) bool {
	names := map[string]bool{}
	for _, word := range wordOf.FindAllString(was, -1) {
		names[strings.ToLower(word)] = true
	}
	return slices.ContainsFunc(wordOf.FindAllString(now, -1), func(word string) bool {
		word = strings.ToLower(word)
		plain := strings.Trim(fake.ReplaceAllString(word, ""), "_")
		return len(plain) > 2 && names[plain] && !importWords.MatchString(word)
	})
}

// importWords are words of imports themselves.
var importWords = lazyregexp.New(`^(?:import|from|use|using|alias|require|require_relative|include|const|static|package|dart|src|lib|test|tests|spec|as)$`)
