package testnames

import (
	"path"
	"strings"
)

// jsMarks are the signs of outcomes.
const jsMarks = "✓✔√✕✖×○✎↓"

// readJest reads the lines of jest and vitest, which name files, and with their verbose
// reporter the tests in them.
func (r *Reader) readJest(line string) bool {
	if r.file == "" && !strings.ContainsAny(line, jsMarks) && !strings.HasPrefix(line, "PASS ") &&
		!strings.HasPrefix(line, "FAIL ") {
		return false
	}
	if m := jsFile.FindStringSubmatch(line); m != nil {
		r.file, r.suites = path.Clean(m[2]), nil
		r.add(r.file, outcomes[m[1]])
		return true
	}
	if m := jsTest.FindStringSubmatch(line); m != nil {
		return r.readMarked(len(m[1]), m[3], outcomes[m[2]])
	}
	if m := jsSuite.FindStringSubmatch(line); m != nil && r.file != "" && !strings.HasPrefix(m[2], "●") {
		r.leave(len(m[1]))
		r.suites = append(r.suites, suite{len(m[1]), m[2]})
		return true
	}
	if strings.TrimSpace(line) != "" {
		r.file = ""
	}
	return false
}

// readMarked reads a line that begins with the mark of an outcome: a whole name of vitest,
// one of its files, or a test of jest below its suites.
func (r *Reader) readMarked(indent int, name string, o Outcome) bool {
	first, _, nested := strings.Cut(name, inSuite)
	switch file := jsCount.ReplaceAllString(name, ""); {
	case nested && hasScript(first):
		r.add(path.Clean(first), Passed) // It ran, whatever its tests did.
		r.add(name, o)
	case hasScript(file) && file != name:
		r.add(path.Clean(file), o)
	case r.file != "":
		r.leave(indent)
		parts := []string{r.file}
		for _, s := range r.suites {
			parts = append(parts, s.title)
		}
		r.add(strings.Join(append(parts, name), inSuite), o)
	}
	return true
}

// leave forgets the suites that a line with this indent is not in.
func (r *Reader) leave(indent int) {
	for len(r.suites) > 0 && r.suites[len(r.suites)-1].indent >= indent {
		r.suites = r.suites[:len(r.suites)-1]
	}
}

// hasScript reports whether a text is the name of a file in JavaScript or TypeScript.
func hasScript(name string) bool {
	switch path.Ext(name) {
	case ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx":
		return !strings.Contains(name, " ")
	}
	return false
}
