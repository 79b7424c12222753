package cli

import (
	"testing"
	"time"
)

func TestSinceTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	for since, want := range map[string]time.Time{
		"": {}, "30d": now.AddDate(0, 0, -30), "12h": now.Add(-12 * time.Hour),
		"2026-11-01": time.Date(2026, 11, 1, 0, 0, 0, 0, time.Local),
	} {
		if got, err := sinceTime(since, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", since, got, err)
		}
	}
	for _, since := range []string{"x", "-1h", "-3d", "3 d", "2026-13-01", "99999999999d"} {
		if _, err := sinceTime(since, now); err == nil {
			t.Errorf("%q is accepted", since)
		}
	}
}

func TestSparkline(t *testing.T) {
	t.Parallel()
	for want, numbers := range map[string][]int{"  ": {0, 0}, "▁█": {1, 100}, " ▄█": {0, 5, 10}} {
		if got := sparkline(numbers); got != want {
			t.Errorf("%v: %q, not %q", numbers, got, want)
		}
	}
}
