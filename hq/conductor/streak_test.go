package conductor

import (
	"encoding/json"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// What ferrus does in between does not end a streak of equal failures; what a session or you do does.
func TestWhatEndsAStreakOfFailures(t *testing.T) {
	failed := store.Entry{Event: string(core.KindChecked), Why: "exit 1",
		Data: json.RawMessage(`{"gate": {"verdict": "FAIL", "tree": "a"}}`)}
	for _, c := range []struct {
		between machine.Kind
		times   int
	}{
		{core.KindCheck, 2}, {core.KindClaim, 2}, {core.KindHold, 2}, {core.KindPrepared, 2}, {core.KindBaseRed, 2},
		{core.KindNoted, 2}, {core.KindResume, 1}, {core.KindAnswer, 1}, {core.KindComment, 1}, {core.KindSubmit, 1},
	} {
		var r failureStreak
		for _, line := range []store.Entry{failed, {Event: string(c.between)}, failed} {
			r.add(line)
		}
		if r.times != c.times {
			t.Errorf("with %s in between: %d times, want %d", c.between, r.times, c.times)
		}
	}
}
