package testnames

import (
	"crypto/rand"
	"fmt"
	"path"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Canary is a pair of tests that is added to a test file, under names that nothing can know
// before: one passes, and one fails. A runner that does not report both that way does not
// report what its tests do. Code that searches its own process for the names can still forge
// the reports.
type Canary struct {
	Kind       Kind
	Path       string // of the file, in its tree
	Label      string // of its tests, as they are shown
	pass, fail string
}

// Kind is how tests are written.
type Kind string

// The kinds that a canary can be written in.
const (
	Go         Kind = "go"
	Python     Kind = "python"
	JavaScript Kind = "javascript"
	Rust       Kind = "rust"
)

// KindOf returns the kind of the test with a name; empty: unknown.
func KindOf(name string) Kind {
	first, rest, _ := strings.Cut(name, " ")
	switch {
	case strings.Contains(name, inSuite) || hasScript(name):
		return JavaScript
	case path.Ext(first) == ".rs" && rest != "":
		return Rust
	case goTest.MatchString(rest) && first != "tap" && first != "ctest":
		return Go
	case strings.Contains(name, inFile) && !strings.Contains(first, "/"):
		return Python
	}
	return ""
}

// NewCanary returns a canary in a file with tests of a label.
func NewCanary(kind Kind, file, label string) Canary {
	c := Canary{Kind: kind, Path: file, Label: label, pass: word(), fail: word()}
	switch kind {
	case Go:
		c.pass, c.fail = "Test"+strings.ToUpper(c.pass[:1])+c.pass[1:], "Test"+strings.ToUpper(c.fail[:1])+c.fail[1:]
		c.Path = path.Join(path.Dir(file), word()+"_test.go")
	case Python:
		c.pass, c.fail = "test_"+c.pass, "test_"+c.fail
	}
	return c
}

// word returns a word that looks like any other.
func word() string {
	letters := make([]byte, 9)
	_, _ = rand.Read(letters) // It never fails.
	for i := range letters {
		letters[i] = 'a' + letters[i]%26
	}
	return string(letters)
}

var (
	goClause   = lazyregexp.New(`(?m)^package (\w+)`)
	pythonTest = lazyregexp.New(`(?m)^(?:async )?def test|^class \w*Test|^\s+def test`)
	jsCall     = lazyregexp.New(`(?m)^\s*(test|it)(?:\.each\S*|\.skip|\.concurrent)?\s*\(`)
	jsOnly     = lazyregexp.New(`\b(?:describe|it|test)\.only\b|\bf(?:it|describe)\(`)
)

// Write returns the text of the canary's file, given the text of a file with tests: the same
// one, or in Go another one of the directory. It is empty where none can be added.
func (c Canary) Write(text string) string {
	switch c.Kind {
	case Go:
		if m := goClause.FindStringSubmatch(text); m != nil {
			return fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc %s(*testing.T) {}\n\nfunc %s(t"+
				" *testing.T) { t.Fail() }\n",
				m[1], c.pass, c.fail)
		}
	case Python:
		if pythonTest.MatchString(text) {
			return text + fmt.Sprintf("\n\ndef %s():\n    pass\n\n\ndef %s():\n    assert False\n", c.pass, c.fail)
		}
	case JavaScript:
		if m := jsCall.FindStringSubmatch(text); m != nil && !jsOnly.MatchString(text) {
			return text + fmt.Sprintf("\n;%s('%s', () => {});\n%[1]s('%[3]s', () => { throw new Error('no') });\n",
				m[1], c.pass, c.fail)
		}
	case Rust:
		return text + fmt.Sprintf("\n#[cfg(test)]\nmod %s {\n    #[test]\n    fn %s() {}\n\n    #[test]\n    fn"+
			" %s() {\n"+
			"        panic!();\n    }\n}\n", word(), c.pass, c.fail)
	}
	return ""
}

// Reported reports whether a runner reported both tests the way they end. Of a runner that
// names files only, the file must have failed.
func (c Canary) Reported(s Set) bool {
	var pass, fail Outcome
	files, named := Outcome(""), false
	for name, o := range s {
		switch {
		case strings.HasSuffix(name, c.pass):
			pass = o
		case strings.HasSuffix(name, c.fail):
			fail = o
		}
		if c.Kind == JavaScript {
			named = named || strings.Contains(name, inSuite)
			if hasScript(name) && strings.HasSuffix(c.Path, name) {
				files = o
			}
		}
	}
	if c.Kind == JavaScript && !named {
		return files == Failed
	}
	return pass == Passed && fail == Failed
}
