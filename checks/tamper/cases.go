package tamper

import (
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

var (
	// aCase is a row of a table that a test goes through, and tableOf what opens such a table.
	aCase   = lazyregexp.New(`^\s*(?:pytest\.param)?[({\[].*["'\d].*[)}\]],?\s*(?:[#/].*)?$|^\s*(?:\[(?:InlineData|TestCase|DataRow)\(|yield \[|f\.Add\()`)
	tableOf = lazyregexp.New(`\bparametrize\(|\.each\(|^\s*\}\s*\{\s*$|\[\](?:struct\b.*|\w*[cC]ase)\{\s*$|(?i:\b(?:tests?|cases|test_?cases|table|examples)\s*:?=\s*.*[\[{(]\s*$)|\bwhere:|\bINSTANTIATE_\w+\(`)
	// standsAlone is a row that is in no brackets.
	standsAlone = lazyregexp.New(`^\s*(?:\[(?:InlineData|TestCase|DataRow)\(|yield \[|f\.Add\()`)
	// inOneLine is a table that is in one line.
	inOneLine = lazyregexp.New(`@CsvSource\(|@ValueSource\(|@EnumSource\(|\bparametrize\(.*\[.*\]|\.each\(\[.*\]\)|\bValues\(.*\)`)
)

const casesRemoved = "cases of a test are removed"

// cases raises rows that went from the tables of tests that stay, with none in their place.
func (f *finder) cases(t *testFile) {
	if gone, _ := t.tests.unmoved(); t.deleted || len(gone) > 0 || f.status(t.path) == 'A' {
		return
	}
	text, _ := f.change.Base(f.olderName(t.path))
	lines := strings.Split(text, "\n")
	var rows balance
	for _, l := range slices.Concat(t.went, t.came) {
		if aCase.MatchString(l.Text) && (l.Added || standsAlone.MatchString(l.Text) || isInTable(lines, l.Number)) {
			rows.count(l)
		}
	}
	gone, came := rows.left()
	if len(gone) <= came {
		gone = nil
	}
	for _, l := range t.went {
		if inOneLine.MatchString(l.Text) && slices.ContainsFunc(t.came, func(c checks.LineChange) bool {
			return inOneLine.MatchString(c.Text) && hasFewer(l.Text, c.Text)
		}) {
			gone = append(gone, l)
		}
	}
	if len(gone) > 0 {
		a := f.raise("assertions-removed", t.path)
		a.Why = casesRemoved
		a.quotes(gone)
	}
}

// isInTable reports whether the brackets around a line are those of a table.
func isInTable(lines []string, at int) bool {
	if at < 1 || at > len(lines) {
		return false
	}
	indent := indentOf(lines[at-1])
	for i := at - 2; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != "" && indentOf(lines[i]) < indent {
			return tableOf.MatchString(lines[i])
		}
	}
	return false
}

// hasFewer reports whether a line has only values of another one, and not all of them.
func hasFewer(was, now string) bool {
	before, after := valuesIn(was), valuesIn(now)
	return len(after) < len(before) && len(without(after, before)) == 0 && head(was) == head(now)
}

// head returns what comes before the brackets of a line.
func head(line string) string {
	line, _, _ = strings.Cut(strings.TrimSpace(line), "(")
	return line
}

// data raises a table in a file of its own that lost rows, and got none.
func (f *finder) data(file checks.FileChange) {
	if file.Status != 'M' || !dataFile.MatchString(file.Path) || !testPath.MatchString(file.Path) {
		return
	}
	text, _ := f.change.Base(file.Path)
	was := lines(text)
	text, _ = f.change.Present(file.Path)
	now := lines(text)
	if gone := without(was, now); len(gone) > 0 && len(without(now, was)) == 0 {
		a := f.raise("assertions-removed", file.Path)
		a.Why = casesRemoved
		for _, row := range gone {
			a.quote(checks.LineChange{Path: file.Path, Text: row})
		}
	}
}

// dataFile is a table with a row in each line.
var dataFile = lazyregexp.New(`\.(?:csv|tsv|jsonl|ndjson)$`)
