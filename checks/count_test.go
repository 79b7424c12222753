package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commands returns commands without any options of their own.
func commands(run ...string) []Command {
	var all []Command
	for _, r := range run {
		all = append(all, Command{Run: r})
	}
	return all
}

func TestCountsOfKnownTools(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"go-verbose":   "go test -v: 2 tests passed, 1 failed, 1 skipped",
		"go-plain":     "go test: 2 packages passed, 2 failed",
		"go-none":      "go test: 0 tests ran",
		"go-json":      "go test -json: 1 test passed, 1 failed, 1 skipped",
		"cargo":        "cargo test: 2 tests passed, 1 failed, 1 skipped",
		"pytest":       "pytest: 4 tests passed, 1 failed, 2 skipped",
		"pytest-quiet": "pytest: 3 tests passed",
		"pytest-none":  "pytest: 0 tests ran",
		"jest":         "jest: 4 tests passed, 1 failed, 3 skipped",
		"jest-none":    "jest: 0 tests ran",
		"vitest":       "vitest: 5 tests passed, 2 failed, 1 skipped",
		"vitest-none":  "vitest: 0 tests ran",
		"tap":          "tap: 1 test passed, 1 failed, 2 skipped",
		"tap-none":     "tap: 0 tests ran",
		"other":        "none",
	}
	files, err := filepath.Glob("testdata/counts/*.txt")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d outputs, %d expected, %v", len(files), len(want), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		record, _ := start(t, Options{Commands: commands("cat '" + fixture(t, file) + "'")})
		got := "none"
		if tests := record.Tests(); tests != nil {
			got = tests.Tool + ": " + tests.String()
		}
		if got != want[name] {
			t.Errorf("%s: got %q, want %q", name, got, want[name])
		}
		if empty := len(record.Empty()) > 0; empty != strings.HasSuffix(got, "0 tests ran") {
			t.Errorf("%s: flagged as empty: %v, want %v", name, empty, !empty)
		}
	}
}

func fixture(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCountsInAFlood checks that lines that are not kept are counted as well.
func TestCountsInAFlood(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	record, _ := start(t, Options{Commands: commands(
		`echo '=== RUN   T'; yes -- '--- PASS: T' | head -n 300000; echo '--- FAIL: T'; yes | head -n 500000; exit 1`)})
	got := record.Commands[0].Tests
	if got == nil || got.Passed != 300000 || got.Failed != 1 {
		t.Errorf("the tests are %+v, want 300000 passed and 1 failed", got)
	}
}

func TestCountsAreAddedUp(t *testing.T) {
	t.Parallel()
	record, log := start(t, Options{Commands: []Command{
		{Name: "unit", Run: "echo '3 passed in 0.1s'"}, {Run: "printf 'ok  \\ta\\t0.1s\\n'"},
		{Run: "printf 'ok 1 - a\\nok 2 - b\\n'"},
	}})
	if got := record.Tests(); got == nil || got.String() != "5 tests passed" || got.Tool != "pytest, tap" {
		t.Errorf("the tests are %+v, want 5 passed from pytest and tap", got)
	}
	if !strings.Contains(record.Why, "5 tests passed") || !strings.Contains(record.Report(5),
		"`unit`: 3 tests passed") {
		t.Errorf("why %q, report %q", record.Why, record.Report(5))
	}
	if !strings.Contains(log, "=== [PASS] unit  (exit 0, 3 tests passed,") {
		t.Errorf("the log is %q, want a line for unit", log)
	}
}

func TestEmptyTestRunIsFlagged(t *testing.T) {
	t.Parallel()
	record, _ := start(t, Options{Commands: commands("echo 'no tests ran in 0.01s'")})
	if record.Verdict != Pass || !strings.Contains(record.Report(5), "0 tests ran") ||
		!strings.Contains(record.Why, "0 tests ran") {
		t.Errorf("the record is %s, report %q; want a pass that says 0 tests ran", record.Why, record.Report(5))
	}
}

func TestCommandsHaveTheirOwnPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	none := new(int)
	record, _ := start(t, Options{Dir: dir, Timeout: 1, Commands: []Command{
		{Run: `test "$(basename "$PWD")" = sub && test "$WHO" = me`, Dir: "sub", Env: []string{"WHO=me"},
			TimeoutSecs: none},
		{Run: `test -z "$WHO"`, TimeoutSecs: none},
		{Name: "slow", Run: "sleep 1000"},
	}})
	if record.Verdict != Timeout || !record.Commands[0].OK() || !record.Commands[1].OK() ||
		!strings.Contains(record.Why, "slow") {
		t.Errorf("the record is %s: %+v, want a timeout of slow alone", record.Why, record.Commands)
	}
	record, _ = start(t, Options{Dir: dir, Commands: []Command{{Run: "true", Dir: "gone"}}})
	if record.Verdict != Unproven || !strings.Contains(record.Why, "gone") {
		t.Errorf("the record is %s, want UNPROVEN because of gone", record.Why)
	}
}
