package checks

import (
	"slices"
	"strings"
	"testing"
)

// The first failing test is found with its message in what the runners that are known print.
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
			if got := strings.Join(FirstFailure(strings.Split(c.output, "\n")), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A red test whose end is usage text is reported with its name and message, and all that is
// reported counts as feedback.
func TestReportBeginsWithTheFailingTest(t *testing.T) {
	tail := []string{"--- FAIL: TestRun (0.00s)", "    run_test.go:7: got 2, want 1"}
	for range 60 {
		tail = append(tail, "      --flag   usage")
	}
	tail = append(tail, "FAIL")
	r := Record{Verdict: Fail, Commands: []Result{{Command: "go test ./...", Exit: 1, Tail: tail, Lines: len(tail)}}}
	report := r.Report(30)
	if !strings.Contains(report, "TestRun") || !strings.Contains(report, "got 2, want 1") {
		t.Error(report)
	}
	if lines := r.Commands[0].Excerpt(30); len(lines) != 30 || lines[29] != "FAIL" {
		t.Errorf("%d lines", len(lines))
	}
	if short := r.Commands[0].Excerpt(70); !slices.Equal(short, tail) {
		t.Error("what the last lines have is said twice")
	}
}
