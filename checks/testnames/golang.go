package testnames

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// event is a line of go test -json: https://pkg.go.dev/cmd/test2json
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// GoDecoder turns what go test -json prints into what go test prints, and collects the
// names of the tests. Lines that are no events it passes on as they are.
type GoDecoder struct {
	to    io.Writer
	names Set
	kept  []string // packages
	line  []byte
	tests map[string]*goPackage
	fault error // of to; the first one
}

// goPackage is a package whose tests run.
type goPackage struct {
	lines []string           // of the package itself, in order
	tests map[string]*goText // that run
	order []string           // of tests, as they began
}

// goText is what a test has printed.
type goText struct {
	head  string // --- FAIL: TestA (0.00s)
	lines []string
	bytes int
}

// Bounds of what is kept: of a line, and of the output of a test.
const (
	longestLine = 1 << 20
	testBytes   = 256 << 10
)

// NewGoDecoder returns a decoder that writes to another writer.
func NewGoDecoder(to io.Writer) *GoDecoder {
	return &GoDecoder{to: to, names: Set{}, tests: map[string]*goPackage{}}
}

// Names returns the tests that ended so far.
func (d *GoDecoder) Names() Set { return d.names }

// Cached returns the packages that go test did not run because their results were cached.
func (d *GoDecoder) Cached() []string { return d.kept }

// Write takes output of go test.
func (d *GoDecoder) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			d.line = append(d.line, rest...)
			if len(d.line) > longestLine {
				d.flushLine()
			}
			break
		}
		d.line = append(d.line, rest[:i+1]...)
		d.flushLine()
		rest = rest[i+1:]
	}
	return len(p), d.fault
}

// Close writes what is left of packages that did not end.
func (d *GoDecoder) Close() error {
	d.flushLine()
	for _, p := range d.tests {
		d.write(p.rest())
	}
	d.tests = map[string]*goPackage{}
	return d.fault
}

func (d *GoDecoder) write(text string) {
	if text != "" && d.fault == nil {
		_, d.fault = io.WriteString(d.to, text)
	}
}

// flushLine handles the line that was collected.
func (d *GoDecoder) flushLine() {
	line := d.line
	d.line = d.line[:0]
	var e event
	if !bytes.HasPrefix(line, []byte(`{"`)) || json.Unmarshal(line, &e) != nil || e.Action == "" {
		d.write(string(line))
		return
	}
	if e.Package == "" {
		if e.Action == "build-output" {
			d.write(e.Output)
		}
		return
	}
	p := d.tests[e.Package]
	if p == nil {
		p = &goPackage{tests: map[string]*goText{}}
		d.tests[e.Package] = p
	}
	if e.Test == "" {
		d.handlePackage(p, e)
	} else {
		d.handleTest(p, e)
	}
}

// handlePackage handles an event of a package. Only a failed package shows all of its
// output.
func (d *GoDecoder) handlePackage(p *goPackage, e event) {
	switch e.Action {
	case "output":
		p.lines = append(p.lines, e.Output)
	case "pass", "skip":
		for _, line := range p.lines {
			if strings.HasPrefix(line, "ok ") && strings.HasSuffix(line, "\t(cached)\n") {
				d.kept = append(d.kept, e.Package)
			}
			if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, "\t") {
				d.write(line)
			}
		}
		delete(d.tests, e.Package)
	case "fail":
		d.write(p.rest())
		delete(d.tests, e.Package)
	}
}

// handleTest handles an event of a test. A passing test is silent.
func (d *GoDecoder) handleTest(p *goPackage, e event) {
	t := p.tests[e.Test]
	if t == nil {
		t = &goText{}
		p.tests[e.Test], p.order = t, append(p.order, e.Test)
	}
	switch e.Action {
	case "output":
		t.add(e.Output)
	case "pass", "fail", "skip":
		d.names.Add(e.Package+inPackage+e.Test, Outcome(e.Action))
		if e.Action == "fail" {
			p.showFailure(e.Test, t)
		}
		p.end(e.Test)
	}
}

// showFailure gives what a failed test printed to the test that it is a part of, or to the package.
func (p *goPackage) showFailure(name string, t *goText) {
	depth := strings.Count(name, "/")
	for above := name; strings.Contains(above, "/"); {
		above = above[:strings.LastIndex(above, "/")]
		if parent := p.tests[above]; parent != nil {
			indent := strings.Repeat("    ", depth-strings.Count(above, "/"))
			parent.lines = append(parent.lines, t.indented(indent)...)
			return
		}
	}
	p.lines = append(p.lines, t.indented("")...)
}

// indented returns all lines, the outcome first, as go test has them.
func (t *goText) indented(indent string) []string {
	all := []string{indent + t.head}
	for _, line := range t.lines {
		all = append(all, indent+line)
	}
	return all
}

func (p *goPackage) end(name string) {
	delete(p.tests, name)
	for i, n := range p.order {
		if n == name {
			p.order = append(p.order[:i], p.order[i+1:]...)
			return
		}
	}
}

// rest is all that is left of a package that failed: tests that did not end come first.
func (p *goPackage) rest() string {
	var b strings.Builder
	for _, name := range p.order {
		t := p.tests[name]
		b.WriteString(t.head + strings.Join(t.lines, ""))
	}
	b.WriteString(strings.Join(p.lines, ""))
	return b.String()
}

// add adds a line of output, without what only the verbose form has.
func (t *goText) add(line string) {
	for _, sign := range []string{"=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS", "--- SKIP"} {
		if strings.HasPrefix(line, sign) {
			return
		}
	}
	if strings.HasPrefix(line, "--- FAIL: ") {
		t.head = line
		return
	}
	t.lines, t.bytes = append(t.lines, line), t.bytes+len(line)
	for t.bytes > testBytes {
		t.bytes -= len(t.lines[0])
		t.lines = t.lines[1:]
	}
}
