package projection

import (
	"strings"
	"testing"
)

// TestSummaryIsShort checks that in every state /status has ten lines at most, names the state, and
// shows nothing as unknown.
func TestSummaryIsShort(t *testing.T) {
	for name := range scenes {
		got := Project(fixture(t, name), fixtureNow).Summary
		lines := strings.Split(strings.TrimSpace(got), "\n")
		if n := len(lines) - 2; n > 10 || n < 2 || !strings.HasPrefix(lines[len(lines)-1], "Everything else") {
			t.Errorf("%s: %d lines:\n%s", name, n, got)
		}
		if strings.Contains(got, "unknown") && name != "problem" {
			t.Errorf("%s: it says what is unknown:\n%s", name, got)
		}
	}
}
