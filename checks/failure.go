package checks

import (
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// failureLines bounds what is shown of one failing test.
const failureLines = 12

// failureForms say how the runners that are known print a failing test: the line that names
// it, and which lines after it belong to its message. The first that a runner prints is the
// one to look at; what follows it is often usage text, or the fault of the first.
var failureForms = []struct {
	name    *lazyregexp.Regexp
	message *lazyregexp.Regexp // of the lines after it; any other line ends the message
}{
	// go test: --- FAIL: TestName (0.00s), and its output, indented.
	{lazyregexp.New(`^\s*--- FAIL: \S`), lazyregexp.New(`^\s+\S`)},
	// go vet and a build: # package, or file.go:1:2: what.
	{lazyregexp.New(`^\S+\.go:\d+:\d+: `), lazyregexp.New(`^(\t|\S+\.go:\d+:\d+: )`)},
	// pytest: ____ test_name ____, its source, and E with what failed.
	{lazyregexp.New(`^_{3,} \S.* _{3,}$`), lazyregexp.New(`^([> E]|\s*$|\S+:\d+: )`)},
	// jest: ● suite › test name; vitest: FAIL file > test name.
	{lazyregexp.New(`^\s*● \S.* › \S`), lazyregexp.New(`^(\s|$)`)},
	{lazyregexp.New(`^\s*FAIL\s+\S+ > \S`), lazyregexp.New(`^\S*(Error|\s|$|❯)`)},
	// cargo test: ---- tests::name stdout ----, then the panic.
	{lazyregexp.New(`^---- \S+ stdout ----$`), lazyregexp.New(`^(thread|assertion|\s|note:)`)},
	// TAP: not ok 1 - name, then YAML.
	{lazyregexp.New(`^\s*not ok \d+`), lazyregexp.New(`^\s`)},
}

// firstFailure returns the first failing test in the output of a command: the index of the line
// that names it, that line and its message; nil if no known runner printed one. A test that
// failed only because of its subtests is skipped for the first of these.
func firstFailure(lines []string) (at int, found []string) {
	for i, line := range lines {
		for _, form := range failureForms {
			if !form.name.MatchString(line) {
				continue
			}
			found := []string{line}
			for _, next := range lines[i+1:] {
				if len(found) == failureLines || !form.message.MatchString(next) || isSubtest(line, next) {
					break
				}
				found = append(found, next)
			}
			if len(found) == 1 && i+1 < len(lines) && isSubtest(line, lines[i+1]) {
				break // the subtest is next
			}
			return i, trimBlank(found)
		}
	}
	return 0, nil
}

// isSubtest reports whether a line, after a failing test, names a failing subtest of
// it.
func isSubtest(line, next string) bool {
	return strings.Contains(line, "--- FAIL: ") && strings.HasPrefix(strings.TrimSpace(next), "--- ")
}

// trimBlank returns lines without the blank ones at the end.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Excerpts returns what is worth showing of the output of commands, at most so many lines of
// all of them together. Each has the same share; what one does not need is left to the others.
func Excerpts(outputs [][]string, most int) [][]string {
	order := make([]int, len(outputs)) // the shortest first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(outputs[a]) - len(outputs[b]) })
	all, left := make([][]string, len(outputs)), max(0, most)
	for n, i := range order {
		share := left / (len(outputs) - n)
		if left > 0 {
			share = max(share, 1)
		}
		all[i] = excerpt(outputs[i], share)
		left -= len(all[i])
	}
	return all
}

// excerpt returns what is worth showing of one command's output, at most so many lines: the
// first failing test with its message, and then the last lines of the rest.
func excerpt(lines []string, most int) []string {
	last := func(of []string, most int) []string { return of[max(0, len(of)-most):] }
	at, first := firstFailure(lines)
	if len(first) == 0 || most < 3 {
		return last(lines, most)
	}
	if at == 0 && len(lines) <= most {
		return lines
	}
	first = first[:min(len(first), most-2)]
	rest := slices.Concat(lines[:at], lines[at+len(first):])
	if len(rest) == 0 {
		return first
	}
	return slices.Concat(first, []string{"..."}, last(rest, most-len(first)-1))
}
