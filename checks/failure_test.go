package checks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The first failing test and its message are found in the output of the known runners.
func TestFirstFailure(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"go": {"ok  \ta\t0.1s\n--- FAIL: TestAdd (0.00s)\n    add_test.go:9: got 2, want 1\nUsage:\n  app [flags]\n" +
			"--- FAIL: TestSub (0.00s)\n    b\nFAIL", "--- FAIL: TestAdd (0.00s)\n    add_test.go:9: got 2, want 1"},
		"a subtest of go": {"--- FAIL: TestAll (0.00s)\n    --- FAIL: TestAll/one (0.00s)\n        " +
			"a_test.go:3: no\nFAIL",
			"    --- FAIL: TestAll/one (0.00s)\n        a_test.go:3: no"},
		"a build of go": {"# app\n./main.go:4:2: undefined: x\n", "./main.go:4:2: undefined: x"},
		"pytest": {"=== FAILURES ===\n_______ test_add _______\n\n    def test_add():\n>       assert add(1) == 1\n" +
			"E       assert 2 == 1\n\ntest_add.py:5: AssertionError\n=== short test summary info ===",
			"_______ test_add _______\n\n    def test_add():\n>       assert add(1) == 1\nE       assert 2 == 1\n\n" +
				"test_add.py:5: AssertionError"},
		"jest": {"FAIL ./a.test.js\n  ● sum › adds\n\n    Expected: 1\n    Received: 2\nTests: 1 failed",
			"  ● sum › adds\n\n    Expected: 1\n    Received: 2"},
		"cargo": {"---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:9:\n  left: 2\n\nfailed:",
			"---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:9:\n  left: 2"},
		"TAP":         {"1..2\nok 1\nnot ok 2 - adds\n  ---\n  got: 2\n# done", "not ok 2 - adds\n  ---\n  got: 2"},
		"no test":     {"make: *** [all] Error 1", ""},
		"all is well": {"ok  \ta\t0.1s", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, found := firstFailure(strings.Split(c.output, "\n"))
			if got := strings.Join(found, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A failing test whose output ends with usage text is reported by its name and message, and the
// whole report counts as feedback.
func TestReportBeginsWithTheFailingTest(t *testing.T) {
	tail := []string{"--- FAIL: TestRun (0.00s)", "    run_test.go:7: got 2, want 1"}
	for range 60 {
		tail = append(tail, "      --flag   usage")
	}
	tail = append(tail, "FAIL")
	r := Record{Verdict: Fail, Commands: []Result{{Command: "go test ./...", Exit: 1, Tail: tail, Lines: len(tail)}}}
	report := r.Report(30)
	if !strings.Contains(report, "TestRun") || !strings.Contains(report, "got 2, want 1") {
		t.Errorf("the report does not show TestRun and what it got:\n%s", report)
	}
	if lines := Excerpts([][]string{tail}, 30)[0]; len(lines) != 30 || lines[0] != tail[0] || lines[29] != "FAIL" {
		t.Errorf("the excerpt has %d lines, want 30 with the first and the last", len(lines))
	}
	if short := Excerpts([][]string{tail}, 70)[0]; !slices.Equal(short, tail) {
		t.Error("the report repeats what the last lines have")
	}
	log := []string{"listening on :80", tail[0], tail[1], "FAIL"}
	want := []string{tail[0], tail[1], "...", log[0], "FAIL"}
	if got := Excerpts([][]string{log}, 9)[0]; !slices.Equal(got, want) {
		t.Errorf("a failing test that the last lines have does not come first: %q", got)
	}
}

// All commands together print no more than the limit, and one that prints little leaves its
// share to the others.
func TestReportCountsTheLinesOfAllCommands(t *testing.T) {
	t.Parallel()
	r := Record{Verdict: Fail}
	for i, lines := range []int{100, 2, 100, 100} {
		c := Result{Command: fmt.Sprint("command ", i), Exit: 1, Lines: lines}
		for n := range lines {
			c.Tail = append(c.Tail, fmt.Sprintf("output %d %d", i, n+1))
		}
		r.Commands = append(r.Commands, c)
	}
	for most, want := range map[int][4]int{0: {}, 2: {1, 1, 0, 0}, 30: {9, 2, 9, 10}, 1000: {100, 2, 100, 100}} {
		report, got := r.Report(most), [4]int{}
		for i := range got {
			got[i] = strings.Count(report, fmt.Sprintf("\noutput %d ", i))
		}
		if got != want && most != 2 || got[0]+got[1]+got[2]+got[3] > most {
			t.Errorf("of %d lines the commands have %v, not %v", most, got, want)
		}
	}
}
