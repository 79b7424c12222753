package testnames

import (
	"strings"

	"ferrus/ui/text/lazyregexp"
)

var (
	goTest   = lazyregexp.New(`^(?:Test|Example|Fuzz|Benchmark)`)
	goEnd    = lazyregexp.New(`^\s*--- (PASS|FAIL|SKIP): (.+) \([\d.]+s\)$`)
	goPkg    = lazyregexp.New(`^(?:ok|FAIL|\?)\s+\t?(\S+)\t`)
	pyLine   = lazyregexp.New(`^(\S+\.py)::(.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b`)
	rustLine = lazyregexp.New(`^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b`)
	rustDoc  = lazyregexp.New(` \(line \d+\)`)
	rustUnit = lazyregexp.New(`^\s*Running (?:unittests )?(\S+) \(`)
	rustDocs = lazyregexp.New(`^\s*Doc-tests (\S+)`)
	tapLine  = lazyregexp.New(`^\s*(not ok|ok) \d+(?: -)? *(.*?)(?:\s*# *(?i:(skip|todo))\b.*)?$`)
	ctest    = lazyregexp.New(`^\s*\d+/\d+ Test +#\d+: (\S+) \.*\s*(Passed|\*\*\*\S+)`)
	jsFile   = lazyregexp.New(`^(PASS|FAIL) (\S+\.[cm]?[jt]sx?)(?: |$)`)
	jsTest   = lazyregexp.New(`^(\s*)([✓✔√✕✖×○✎↓]) (.+?)(?: \(?[\d.]+ ?m?s\)?)?$`)
	jsSuite  = lazyregexp.New(`^(\s{2,})(\S.*)$`)
	jsCount  = lazyregexp.New(` \(\d+ tests?[^)]*\).*$`)
)

// outcomes are the words and signs of runners.
var outcomes = map[string]Outcome{
	"PASS": Passed, "FAIL": Failed, "SKIP": Skipped,
	"PASSED": Passed, "FAILED": Failed, "ERROR": Failed, "SKIPPED": Skipped, "XFAIL": Skipped, "XPASS": Passed,
	"ok": Passed, "not ok": Failed, "ignored": Skipped, "Passed": Passed,
	"✓": Passed, "✔": Passed, "√": Passed, "✕": Failed, "✖": Failed, "×": Failed, "○": Skipped, "✎": Skipped,
	"↓": Skipped,
}

// Reader collects the names in the lines of one command. The zero value works.
type Reader struct {
	names   Set
	pending Set    // of go test -v, until the package has its name
	target  string // of cargo
	file    string // of jest or vitest
	suites  []suite
}

// suite is a title that other lines are indented under.
type suite struct {
	indent int
	title  string
}

// Names returns what was read; nil if no line named a test.
func (r *Reader) Names() Set {
	if len(r.names)+len(r.pending) == 0 {
		return nil
	}
	all := Set{}
	all.Merge(r.names)
	all.Merge(r.pending)
	return all
}

// Add adds names from elsewhere.
func (r *Reader) Add(more Set) {
	if r.names == nil && len(more) > 0 {
		r.names = Set{}
	}
	r.names.Merge(more)
}

// readers are tried in this order; the first that knows a line has it.
var readers = []func(*Reader, string) bool{
	(*Reader).readGo, (*Reader).readPytest, (*Reader).readCargo, (*Reader).readTAP, (*Reader).readCTest,
	(*Reader).readJest,
}

// Read takes one line of plain text.
func (r *Reader) Read(line string) {
	if line == "" {
		return
	}
	for _, read := range readers {
		if read(r, line) {
			return
		}
	}
}

func (r *Reader) add(name string, o Outcome) {
	if r.names == nil {
		r.names = Set{}
	}
	r.names.Add(name, o)
}

func (r *Reader) readGo(line string) bool {
	if strings.Contains(line, "--- ") {
		m := goEnd.FindStringSubmatch(line)
		if m == nil {
			return false
		}
		if r.pending == nil {
			r.pending = Set{}
		}
		r.pending.Add(m[2], outcomes[m[1]])
		return true
	}
	if !strings.HasPrefix(line, "ok") && !strings.HasPrefix(line, "FAIL") && !strings.HasPrefix(line, "?") {
		return false
	}
	m := goPkg.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	for name, o := range r.pending {
		r.add(m[1]+inPackage+name, o)
	}
	r.pending = nil
	return true
}

func (r *Reader) readPytest(line string) bool {
	if !strings.Contains(line, ".py::") {
		return false
	}
	m := pyLine.FindStringSubmatch(line)
	if m != nil { // As the report of pytest has it: tests.test_a.TestC::test_m
		module := strings.ReplaceAll(strings.TrimSuffix(m[1], ".py"), "/", ".")
		head, params, _ := strings.Cut(m[2], "[")
		if params != "" {
			params = "[" + params
		}
		if at := strings.LastIndex(head, inFile); at >= 0 {
			module, head = module+"."+strings.ReplaceAll(head[:at], inFile, "."), head[at+len(inFile):]
		}
		r.add(module+inFile+head+params, outcomes[m[3]])
	}
	return m != nil
}

func (r *Reader) readCargo(line string) bool {
	if strings.HasPrefix(line, "test ") {
		if m := rustLine.FindStringSubmatch(line); m != nil {
			r.add(strings.TrimSpace(r.target+" "+rustDoc.ReplaceAllString(m[1], "")), outcomes[m[2]])
			return true
		}
	}
	if !strings.Contains(line, "Running ") && !strings.Contains(line, "Doc-tests ") {
		return false
	}
	for _, target := range []*lazyregexp.Regexp{rustUnit, rustDocs} {
		if m := target.FindStringSubmatch(line); m != nil {
			r.target = m[1]
			return true
		}
	}
	return false
}

func (r *Reader) readTAP(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	if !strings.HasPrefix(trimmed, "ok ") && !strings.HasPrefix(trimmed, "not ok ") {
		return false
	}
	m := tapLine.FindStringSubmatch(line)
	if m == nil || m[2] == "" {
		return m != nil
	}
	o := outcomes[m[1]]
	if m[3] != "" {
		o = Skipped
	}
	r.add("tap "+m[2], o)
	return true
}

func (r *Reader) readCTest(line string) bool {
	if !strings.Contains(line, " Test ") {
		return false
	}
	m := ctest.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	o := Failed
	switch {
	case m[2] == "Passed":
		o = Passed
	case strings.HasPrefix(m[2], "***Skipped"), strings.HasPrefix(m[2], "***Not"):
		o = Skipped
	}
	r.add("ctest "+m[1], o)
	return true
}
