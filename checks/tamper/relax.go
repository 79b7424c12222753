package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// configLines are the changed lines of a file of configuration, as an alarm needs them.
type configLines struct {
	went, came []string
}

// describesMarker is a line below pytest's markers: a name, maybe with arguments, and words about it.
var describesMarker = lazyregexp.New(`^\s+\w+(?:\([^)]*\))?:\s`)

// checkConfig keeps the lines of files that an ordinary change touches, too.
func (f *finder) checkConfig(a *Alarm, l checks.LineChange) {
	if a.Rule != "ci-changed" && a.Rule != "ignore-changed" && a.Rule != "tool-settings" {
		return
	}
	if f.config == nil {
		f.config = map[*Alarm]*configLines{}
	}
	c := f.config[a]
	if c == nil {
		c = &configLines{}
		f.config[a] = c
	}
	text := strings.TrimSpace(l.Text)
	switch {
	case text == "" || strings.HasPrefix(text, "#"):
	case strings.HasSuffix(l.Path, "pytest.ini") && describesMarker.MatchString(l.Text):
	case l.Added:
		c.came = append(c.came, text)
	default:
		c.went = append(c.went, text)
	}
}

var (
	// output is a pattern of what tests write; plainAttributes neither hide a diff nor change content,
	// except of Windows scripts.
	output          = lazyregexp.New(`(?i)^/?(?:\.?\w*test\w*[-_.]?(?:cache|results?|reports?|outputs?|logs?)|\.tox|\.nox|\.[a-z][\w-]*(?:\.\w+)?|nosetests\.xml|[\w.]+\.test|[\w.*-]+\.(?:xml|log|out|tmp|swp|py[co]))/?$`)
	plainAttributes = lazyregexp.New(`^\S+(?:\s+(?:merge|diff|text|linguist-[\w-]+|export-subst|whitespace)(?:=[\w-]+)?|\s+-text|\s+eol=lf)+$` +
		`|^\*\.(?:bat|cmd|ps1|sln|vbs)(?:\s+(?:text|eol=crlf))+$`)
	// made is a pattern of what builds and package managers write.
	made = lazyregexp.New(`^/?(?:\*\*/)?(?:coverage|dist|build|out|node_modules|\.nyc_output|\.next|\.cache)(?:/(?:\*\*?)?)?$`)
	// hidesCode is a pattern of .gitignore that may leave out code or tests.
	hidesCode = lazyregexp.New(`(?i)test|spec|snap|golden|fixture|^!|^/?\*+$|\.(?:go|py|[cm]?[jt]sx?|rs|rb|java|kt|c|cc|cpp|cs|php|swift|toml|cfg|ini|mod)$|^/?(?:src|lib|pkg|internal|cmd)/?$`)
)

// relax leaves to the reviewer what ordinary work changes in files of configuration.
func (f *finder) relax() {
	for a, c := range f.config {
		switch {
		case a.Rule == "ignore-changed" && path.Base(a.Path) == ".gitignore":
			hidesMore := func(l string) bool { return strings.HasPrefix(l, "!") }
			a.NeedsHuman = slices.ContainsFunc(c.went, hidesMore) || slices.ContainsFunc(c.came, func(l string) bool {
				return hidesCode.MatchString(l) && !output.MatchString(l)
			})
		case a.Rule == "ignore-changed" && path.Base(a.Path) == ".gitattributes":
			a.NeedsHuman = slices.ContainsFunc(slices.Concat(c.went, c.came), func(l string) bool {
				return !plainAttributes.MatchString(l)
			})
		case a.Rule == "tool-settings":
			a.NeedsHuman = (f.usesTool(a.Path) || f.isCalled(a.Path)) && f.loosened(a, c)
		case a.Rule == "ignore-changed" && path.Base(a.Path) != ".gitmodules":
			// A tool looks at more where patterns only went.
			a.NeedsHuman = slices.ContainsFunc(c.came, func(l string) bool { return !made.MatchString(l) })
		case a.Rule == "ignore-changed":
		default:
			a.NeedsHuman = f.status(a.Path) != 'A' && f.provesLess(a.Path)
		}
	}
}

// status returns what happened to a file.
func (f *finder) status(name string) byte {
	for _, file := range f.change.Files {
		if file.Path == name {
			return file.Status
		}
	}
	return 0
}

// otherSystem is a condition that is false on the systems that gates run on.
var otherSystem = lazyregexp.New(`(?i)(?:GOOS|platform|os\.name|family|system\(\)|os)\b[^=!]*(?:==|\.startswith\(|\.startsWith\()=?\s*["'](?:win\w*|nt|cygwin|js|wasip1|wasm|plan9|aix|java|emscripten)["']` +
	`|OS\.WINDOWS|skipOnWindows|["']windows["']\s*==\s*runtime\.GOOS|\bisWindows\b|\bIS_WINDOWS\b|windows\)`)

// skipsOthers leaves out all other tests of the file, or of the run.
var skipsOthers = lazyregexp.New(`\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.only\b|\bonly:\s*true\b|\bf(?:it|describe|context)\s*\(` +
	`|\bfocus:\s*true\b|\ballow_module_level\s*=\s*True`)

// isOrdinarySkip reports whether a skip leaves out nothing that ran: it is for another system,
// or in a test that came with it.
func (f *finder) isOrdinarySkip(t *testFile, l checks.LineChange) bool {
	if skipsOthers.MatchString(l.Text) {
		return false
	}
	if f.status(t.path) == 'A' {
		return true
	}
	text, ok := f.change.Present(t.path)
	if !ok {
		return false
	}
	lines := strings.Split(text, "\n")
	if was, _ := f.change.Base(f.olderName(t.path)); strings.HasPrefix(l.Text, goBuild) &&
		strings.Contains(was, "// +build "+strings.TrimPrefix(l.Text, goBuild)+"\n") {
		return true // It is written in the newer form.
	}
	if otherSystem.MatchString(l.Text) || isForOtherSystem(lines, l.Number) || f.isShort(lines, l) {
		return true
	}
	return f.isInNewTest(t, lines, l)
}

// runsOnlyIf is a test in JavaScript with a condition of its own, and itsName what it is called.
var (
	runsOnlyIf = lazyregexp.New(`\{[^}]*\b(?:skip|todo):\s*[^f\s]|^\s*(?:if\s*\(.*\)\s*|.*(?:&&|\?)\s*)(?:\w+\.)?(?:it|test|describe)\s*\(`)
	itsName    = lazyregexp.New("\\(\\s*([\"'`].+?[\"'`])\\s*,")
)

// becameConditional adds the tests that were there and got a condition.
func (t *testFile) becameConditional() {
	if t.lang.name != "javascript" {
		return
	}
	for _, was := range t.tests.removed {
		name := itsName.FindStringSubmatch(was.Text)
		if name == nil || runsOnlyIf.MatchString(was.Text) {
			continue
		}
		for _, l := range t.came {
			if runsOnlyIf.MatchString(l.Text) && strings.Contains(l.Text, name[1]) && len(t.skips) < kept {
				t.skips = append(t.skips, l)
			}
		}
	}
}

// conditions adds the lines that came as conditions of skips that were there: directly above
// one, or in the brackets that it opens.
func (f *finder) conditions(t *testFile) {
	t.becameConditional()
	text, _ := f.change.Present(t.path)
	lines := strings.Split(text, "\n")
	for _, l := range t.came {
		if l.Number >= len(lines) || t.lang.skip.MatchString(l.Text) {
			continue
		}
		guards := t.lang.name == "rust" && compiledIf.MatchString(l.Text) &&
			isAttributeOfTest(t, lines, l.Number-1)
		above := condition.MatchString(l.Text) && t.lang.skip.MatchString(lines[l.Number]) &&
			!slices.ContainsFunc(t.skips, func(s checks.LineChange) bool { return s.Number == l.Number+1 })
		inside := l.Number >= 2 && opens.MatchString(lines[l.Number-2]) && t.lang.skip.MatchString(lines[l.Number-2])
		if (above || inside || guards) && len(t.skips) < kept {
			t.skips = append(t.skips, l)
		}
	}
}

// isAttributeOfTest reports whether the attributes around a line, which is one, are of a test.
func isAttributeOfTest(t *testFile, lines []string, at int) bool {
	for _, step := range []int{-1, 1} {
		for i := at + step; i >= 0 && i < len(lines); i += step {
			if t.lang.test.MatchString(lines[i]) {
				return true
			} else if !strings.HasPrefix(strings.TrimSpace(lines[i]), "#[") {
				break
			}
		}
	}
	return false
}

// compiledIf is a condition of Rust for what comes below.
var compiledIf = lazyregexp.New(`^\s*#\[cfg(?:_attr)?\(`)

var (
	condition = lazyregexp.New(`^\s*(?:\}\s*)?(?:else\s*)?(?:el)?(?:if|unless|when|switch|case)\b`)
	opens     = lazyregexp.New(`^\s*@.*\(\s*$`)
)

// isForOtherSystem reports whether the line above is a condition for another system.
func isForOtherSystem(lines []string, at int) bool {
	return at >= 2 && at-2 < len(lines) && otherSystem.MatchString(lines[at-2]) && !strings.Contains(lines[at-2], "||")
}

// goBuild begins a line that says where a file in Go is compiled.
const goBuild = "//go:build "

// shortTests is the condition under which go test leaves out long tests.
const shortTests = "if testing.Short() {"

// shortArgument hands the option -short on to another function, as what it is.
var shortArgument = lazyregexp.New(`^[^!=|&]*[(,]\s*testing\.Short\(\)\s*[,)][^!=|&]*$`)

// isShort reports whether a skip needs the option -short, and go test is called without it.
func (f *finder) isShort(lines []string, l checks.LineChange) bool {
	guarded := strings.TrimSpace(l.Text) == shortTests || shortArgument.MatchString(l.Text) ||
		l.Number >= 2 && l.Number-2 < len(lines) && strings.TrimSpace(lines[l.Number-2]) == shortTests
	runs := func(what string) bool {
		return slices.ContainsFunc(f.change.Commands, func(c checks.Command) bool {
			return strings.Contains(c.String(), what)
		})
	}
	return guarded && runs("go test") && !runs("-short") && !runs("GOFLAGS")
}

// isInNewTest reports whether a line is in a test that came, or a decorator of one, and no test went. One that got
// other parameters did neither.
func (f *finder) isInNewTest(t *testFile, lines []string, l checks.LineChange) bool {
	gone, came := t.tests.unmoved()
	if t.tests.gone > 0 || l.Number < 1 || l.Number > len(lines) {
		return false
	}
	var changed []string // the names of tests with other parameters
	for _, was := range gone {
		name := nameOf(was.Text)
		if name == "" || !slices.ContainsFunc(came, func(c string) bool { return nameOf(c) == name }) {
			return false
		}
		changed = append(changed, name)
	}
	at := l.Number - 1
	if isDecorator(lines, at) {
		at = decorated(t, lines, at)
	} else {
		for at >= 0 && !t.lang.test.MatchString(lines[at]) {
			at--
		}
		if at >= 0 && at != l.Number-1 && indentOf(lines[l.Number-1]) <= indentOf(lines[at]) {
			return false // It is below the test, for all of the file.
		}
	}
	return at >= 0 && slices.Contains(came, strings.TrimSpace(lines[at])) &&
		!slices.Contains(changed, nameOf(lines[at]))
}

// nameOf returns the name of a test that is a function, by the line that begins it; empty for another one.
func nameOf(line string) string {
	if m := testName.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// testName is the name of a test that is a function.
var testName = lazyregexp.New(`\b(?:def|func|function|fn|fun|void)\s+(\w+)\s*[(<\[]`)

// decorator begins an attribute of what is below it.
var decorator = lazyregexp.New(`^\s*(?:@|#\[|\[\w)`)

// isDecorator reports whether a line is a decorator, or in the brackets that one opens.
func isDecorator(lines []string, at int) bool {
	for i := at; i >= 0 && strings.TrimSpace(lines[i]) != ""; i-- {
		switch {
		case i == at && decorator.MatchString(lines[i]), i < at && opens.MatchString(lines[i]):
			return true
		case i < at && indentOf(lines[i]) < indentOf(lines[at]), strings.HasPrefix(strings.TrimSpace(lines[i]), ")"):
			return false
		}
	}
	return false
}

// decorated returns the line of the test that a decorator is for, -1: it is for something else.
func decorated(t *testFile, lines []string, at int) int {
	for at > 0 && !decorator.MatchString(lines[at]) {
		at--
	}
	for i := at + 1; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		switch {
		case t.lang.test.MatchString(lines[i]):
			return i
		case decorator.MatchString(lines[i]), indentOf(lines[i]) > indentOf(lines[at]), strings.HasPrefix(text, ")"),
			strings.HasPrefix(text, "#"), strings.HasPrefix(text, "//"):
		default:
			return -1
		}
	}
	return -1
}

// indentOf returns how far a line is indented.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
