package advice

import (
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/machine"
)

// TestApprovedWorkIsNotSentBack: the shell's refusal says why, and the way out.
func TestApprovedWorkIsNotSentBack(t *testing.T) {
	t.Parallel()
	what, hints := DescribeRefusal(&machine.Refusal{Code: machine.NoSuchTransition, Machine: "task",
		State: "Complete", Event: core.KindReject,
		Options: []machine.Option{{Event: core.KindReset, By: []machine.Role{machine.Human}}}})
	const want = "in HQ, comments on its diff (F4) send it back; ferrus land lands it | you can run: ferrus reset"
	if got := strings.Join(hints, " | "); what != "cannot reject while Complete: the work is approved" || got != want {
		t.Errorf("it says %q, with %q", what, got)
	}
}

// TestOneWhoTalksIsNotSentAway: while an agent works, what is said of another task says how to reach
// that agent, and does not suggest to give its work up.
func TestOneWhoTalksIsNotSentAway(t *testing.T) {
	t.Parallel()
	for _, s := range []machine.State{"Executing", "Checking", "Addressing", "Consultation"} {
		got := Closed(core.KindCreateTask, s)
		if !strings.Contains(got, "plain text reaches the working agent") || strings.Contains(got, "/reset") {
			t.Errorf("in %s: %s", s, got)
		}
	}
}
