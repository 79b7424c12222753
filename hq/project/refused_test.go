package project

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/machine"
)

// TestARefusalIsShort whatever the agent asked for.
func TestARefusalIsShort(t *testing.T) {
	long := machine.Failed{Guard: "arguments", Reason: "there is no argument " + strings.Repeat("ä", 1<<20),
		Shape: map[string]int{"a": 1}}
	from := machine.Refusal{Code: machine.GuardFailed, Failed: slices.Repeat([]machine.Failed{long}, 100)}
	data, err := json.Marshal(NewRefused(time.Now(), "executor:x:1", "check", from))
	if err != nil || len(data) > 64<<10 {
		t.Errorf("the log has %d bytes, %v; want a bounded one", len(data), err)
	}
	if len(from.Failed) != 100 || from.Failed[0].Shape == nil {
		t.Error("the refusal itself has changed")
	}
}
