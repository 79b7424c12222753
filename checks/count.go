package checks

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// Tests are how many tests a command said it ran. The numbers are what was
// printed: something to look at, and no proof.
type Tests struct {
	Tool    string `json:"tool"` // go test, pytest
	Unit    string `json:"unit"` // tests; packages where the tool names no tests
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed,omitempty"`
	Skipped int    `json:"skipped,omitempty"`
}

// Ran returns how many were run, with whatever outcome.
func (t Tests) Ran() int { return t.Passed + t.Failed }

func (t Tests) String() string {
	if t.Ran() == 0 {
		return "0 tests ran" + some(", %d skipped", t.Skipped)
	}
	unit := t.Unit
	if t.Passed == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%d %s passed", t.Passed, unit) + some(", %d failed", t.Failed) + some(", %d skipped", t.Skipped)
}

func some(format string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// plus adds up the tests of two tools or commands. Where one counts tests and
// the other only packages, the tests count.
func (t *Tests) plus(more *Tests) *Tests {
	switch {
	case t == nil:
		return more
	case more == nil, t.Unit == unitTests && more.Unit != unitTests && more.Ran() > 0:
		return t
	case more.Unit == unitTests && t.Unit != unitTests && t.Ran() > 0:
		return more
	}
	sum := *t
	if !strings.Contains(sum.Tool, more.Tool) {
		sum.Tool += ", " + more.Tool
	}
	sum.Passed, sum.Failed, sum.Skipped = sum.Passed+more.Passed, sum.Failed+more.Failed, sum.Skipped+more.Skipped
	return &sum
}

// Tests adds up the tests of all commands; nil if no known test runner reported any.
func (r Record) Tests() *Tests {
	var sum *Tests
	for _, c := range r.Commands {
		sum = sum.plus(c.Tests)
	}
	return sum
}

// Empty returns the commands of a tool that counts tests and ran none.
func (r Record) Empty() []string {
	var titles []string
	for _, c := range r.Commands {
		if c.OK() && c.Tests != nil && c.Tests.Ran() == 0 {
			titles = append(titles, oneLine(c.Title()))
		}
	}
	return titles
}

// What is counted.
const (
	unitTests    = "tests"
	unitPackages = "packages"
)

// outcome is what a line says of one test.
type outcome uint8

const (
	nothing outcome = iota // the tool was heard, and no test with it
	passed
	failed
	skipped
)

// countRule reads the lines of one tool. The first rule that fits a line has it.
type countRule struct {
	tool, unit string
	begins     string             // the line, without blanks in front
	has        string             // somewhere in it
	line       *lazyregexp.Regexp // nil: begins and has are enough
	each       outcome            // the line is one test
	sums       bool               // the line has numbers with words: 3 passed
	margin     bool               // only without blanks in front
}

var (
	goJSON  = lazyregexp.New(`"Action":"(?:pass|fail|skip)"`)
	tapLine = lazyregexp.New(`^(?:not )?ok \d+\b`)
	tapSkip = lazyregexp.New(`(?i)^(?:not )?ok \d+\b.*# *(?:skip|todo)`)
	pySum   = lazyregexp.New(
		`^=*\s*\d+ (?:passed|failed|skipped|errors?|x?failed|xpassed|deselected|warnings?)\b.* in [\d.]+s`)
	sumWord  = lazyregexp.New(`(\d+) (passed|failed|skipped|ignored|todo|errors?|xfailed|xpassed)\b`)
	pyNone   = lazyregexp.New(`^=*\s*no tests ran\b`)
	tapNone  = lazyregexp.New(`^1\.\.0\b`)
	vitSum   = lazyregexp.New(`^Tests\s{2,}\d+ `)
	goPassed = lazyregexp.New(`^ok\s+\t\S+\t`)
	goFailed = lazyregexp.New(`^FAIL\t\S+`)
)

// countRules are the tools that are understood.
var countRules = []countRule{
	{tool: "go test -json", unit: unitTests, begins: `{"`, has: `"Test":`,
		line: lazyregexp.New(`"Action":"pass"`), each: passed},
	{tool: "go test -json", unit: unitTests, begins: `{"`, has: `"Test":`,
		line: lazyregexp.New(`"Action":"fail"`), each: failed},
	{tool: "go test -json", unit: unitTests, begins: `{"`, has: `"Test":`, line: lazyregexp.New(`"Action":"skip"`),
		each: skipped},
	{tool: "go test -json", unit: unitTests, begins: `{"`, has: `"Package":`, line: goJSON},
	{tool: verboseGo, unit: unitTests, begins: "=== RUN "},
	{tool: verboseGo, unit: unitTests, begins: "--- PASS: ", each: passed},
	{tool: verboseGo, unit: unitTests, begins: "--- FAIL: ", each: failed},
	{tool: verboseGo, unit: unitTests, begins: "--- SKIP: ", each: skipped},
	{tool: "go test", unit: unitPackages, begins: "ok ", has: "[no tests to run]", line: goPassed},
	{tool: "go test", unit: unitPackages, begins: "ok ", line: goPassed, each: passed, margin: true},
	{tool: "go test", unit: unitPackages, begins: "FAIL\t", line: goFailed, each: failed, margin: true},
	{tool: "go test", unit: unitPackages, begins: "? ", has: "[no test files]"},
	{tool: "cargo test", unit: unitTests, begins: "test result: ", sums: true},
	{tool: "pytest", unit: unitTests, begins: "", has: " in ", line: pySum, sums: true},
	{tool: "pytest", unit: unitTests, begins: "", has: "no tests ran", line: pyNone},
	{tool: "jest", unit: unitTests, begins: "Tests: ", sums: true},
	{tool: "jest", unit: unitTests, begins: "No tests found"},
	{tool: "vitest", unit: unitTests, begins: "Tests ", line: vitSum, sums: true},
	{tool: "vitest", unit: unitTests, begins: "No test files found"},
	{tool: "tap", unit: unitTests, begins: "", has: "ok ", line: tapSkip, each: skipped, margin: true},
	{tool: "tap", unit: unitTests, begins: "ok ", line: tapLine, each: passed, margin: true},
	{tool: "tap", unit: unitTests, begins: "not ok ", line: tapLine, each: failed, margin: true},
	{tool: "tap", unit: unitTests, begins: "1..0", line: tapNone, margin: true},
}

// verboseGo lists failures also where it lists nothing else; only a test that
// was announced says that all of them are listed.
const (
	verboseGo = "go test -v"
	announced = "=== RUN "
)

// first are the bytes that a line of any rule can begin with.
var first = func() (table [256]bool) {
	for _, r := range countRules {
		if r.begins != "" {
			table[r.begins[0]] = true
		}
	}
	for _, c := range []byte("=0123456789n\x1b") {
		table[c] = true
	}
	return table
}()

// counter adds up what the lines of one command say. The zero value works.
type counter struct {
	tools   []Tests // in the order they were heard
	verbose bool
}

// worthCounting returns a line as plain text, if a rule could fit it. Most lines are left at
// their first byte.
func worthCounting(line []byte) (plain string, ok bool) {
	if content := bytes.TrimLeft(line, " \t"); len(content) > 0 && first[content[0]] {
		return text.Output(string(line[:min(len(line), lineBytes)])), true
	}
	return "", false
}

// countLine looks at a line of plain text.
func (c *counter) countLine(text string) {
	trimmed := strings.TrimLeft(text, " \t")
	if trimmed == "" || !first[trimmed[0]] {
		return
	}
	for i := range countRules {
		if r := &countRules[i]; r.fits(text, trimmed) {
			c.verbose = c.verbose || r.begins == announced
			r.add(c.tool(r), trimmed)
			return
		}
	}
}

func (r *countRule) fits(text, trimmed string) bool {
	return strings.HasPrefix(trimmed, r.begins) && strings.Contains(trimmed, r.has) &&
		(!r.margin || len(text) == len(trimmed)) && (r.line == nil || r.line.MatchString(trimmed))
}

func (c *counter) tool(r *countRule) *Tests {
	for i := range c.tools {
		if c.tools[i].Tool == r.tool {
			return &c.tools[i]
		}
	}
	c.tools = append(c.tools, Tests{Tool: r.tool, Unit: r.unit})
	return &c.tools[len(c.tools)-1]
}

func (r *countRule) add(t *Tests, line string) {
	t.count(r.each, 1)
	if !r.sums {
		return
	}
	for _, m := range sumWord.FindAllStringSubmatch(line, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > mostTests {
			continue
		}
		switch m[2] {
		case "passed", "xpassed":
			t.count(passed, n)
		case "failed", "error", "errors":
			t.count(failed, n)
		default:
			t.count(skipped, n)
		}
	}
}

// mostTests is more than any honest line says.
const mostTests = 1 << 24

func (t *Tests) count(o outcome, n int) {
	switch o {
	case passed:
		t.Passed += n
	case failed:
		t.Failed += n
	case skipped:
		t.Skipped += n
	}
}

// tests returns what all lines came to; nil when no tool was heard.
func (c *counter) tests() *Tests {
	var sum *Tests
	for _, t := range c.tools {
		if t.Tool != verboseGo || c.verbose {
			sum = sum.plus(&t)
		}
	}
	return sum
}
