package run

import "testing"

func TestTellingLine(t *testing.T) {
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"=== RUN", "--- FAIL: TestRetry (0.01s)", "    x_test.go:3: no", "FAIL", "FAIL"}, "--- FAIL: TestRetry (0.01s)"},
		{[]string{"   Compiling x", "error[E0308]: mismatched types", "note"}, "error[E0308]: mismatched types"},
		{[]string{"one", "  two  "}, "two"},
		{nil, ""},
	} {
		if got := telling(test.lines); got != test.want {
			t.Errorf("telling(%q) = %q, want %q", test.lines, got, test.want)
		}
	}
}
