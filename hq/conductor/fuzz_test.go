package conductor

import (
	"testing"

	"ferrus/store"
)

// FuzzVerdict reads any journal line of a gate.
func FuzzVerdict(f *testing.F) {
	for _, line := range []string{`{"gate":{"verdict":"FAIL","tree":"a"}}`, `{"gate":7}`, `[`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var streak failureStreak
		streak.add(store.Entry{Event: "checked", Data: line})
		if streak.times > 1 {
			t.Errorf("one line counts as %d", streak.times)
		}
	})
}
