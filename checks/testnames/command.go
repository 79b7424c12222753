package testnames

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// nameOptions say how a runner is made to tell names: what stands where it is called, and what
// is put behind that, unless the call has one of the words already.
var nameOptions = []struct {
	call   *lazyregexp.Regexp
	option string
	unless []string
}{
	{lazyregexp.New(`^\s*(?:\w+=\S*\s+|(?:env|time|nice|exec)\s+)*go(?:\s+-C\s+\S+)?\s+test\b`), " -json",
		[]string{"-json", "--json", "-v", "--v", "-c", "-list"}},
	{lazyregexp.New(`^\s*(?:\w+=\S*\s+|(?:env|time|nice|exec)\s+)*(?:npx\s+)?\S*\bjest\b`), " --verbose",
		[]string{"--verbose", "--json", "--reporters", "--listTests"}},
	{lazyregexp.New(`^\s*(?:\w+=\S*\s+|(?:env|time|nice|exec)\s+)*(?:npx\s+)?\S*\bvitest\s+run\b`),
		" --reporter=verbose", []string{"--reporter"}},
}

// pytestCall is where pytest is called.
var pytestCall = lazyregexp.New(
	`^\s*(?:\w+=\S*\s+|(?:env|time|nice|exec)\s+)*(?:\S*python[\d.]*\s+-m\s+)?\S*\bpytest\b`)

// plainPath is a path that a shell takes as it is.
var plainPath = lazyregexp.New(`^[\w./-]+$`)

// WithReports returns the command line with which each call of pytest in a line writes a report
// of its own, into files that begin with a path. One call needs no option in the line.
func WithReports(line, path string) string {
	calls, ok := split(line)
	if !ok || !plainPath.MatchString(path) {
		return line
	}
	count := 0
	for i, call := range calls {
		at := pytestCall.FindStringIndex(call)
		if at == nil {
			continue
		}
		if count++; count > 1 && !hasWord(call, []string{"--junitxml", "--junit-xml"}) {
			calls[i] = call[:at[1]] + fmt.Sprintf(" --junitxml=%s-%d.xml", path, count) + call[at[1]:]
		}
	}
	return strings.Join(calls, "")
}

// WithNames returns the command line with which a line names the names of its tests, and whether
// what go test prints is to be read by a [GoDecoder]. It changes nothing that it does not
// understand: only calls that are joined by && and ;, and whose output goes nowhere else.
func WithNames(line string) (named string, byGo bool) {
	calls, ok := split(line)
	if !ok {
		return line, false
	}
	for i, call := range calls {
		for n, by := range nameOptions {
			at := by.call.FindStringIndex(call)
			if at == nil || hasWord(call, by.unless) {
				continue
			}
			calls[i] = call[:at[1]] + by.option + call[at[1]:]
			byGo = byGo || n == 0
		}
	}
	return strings.Join(calls, ""), byGo
}

func hasWord(call string, words []string) bool {
	for _, field := range strings.Fields(call) {
		field, _, _ = strings.Cut(field, "=")
		if slices.Contains(words, field) {
			return true
		}
	}
	return false
}

// split returns the calls of a line, each with what joins it to the previous one; false if
// the line has more to it.
func split(line string) (calls []string, ok bool) {
	quote, from := rune(0), 0
	for i, c := range line {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else if quote == '"' && strings.ContainsRune("$`\\", c) {
				return nil, false
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("|<>`$(){}\\#\n", c):
			return nil, false
		case c == ';':
			calls, from = append(calls, line[from:i], ";"), i+1
		case c == '&':
			if i+1 < len(line) && line[i+1] == '&' && from <= i {
				calls, from = append(calls, line[from:i], "&&"), i+2
			} else if i+1 != from {
				return nil, false
			}
		}
	}
	return append(calls, line[from:]), quote == 0
}
