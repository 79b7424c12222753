package conductor

import "testing"

// The list of tasks learns at once that a session of a task needs you, though the state stays the same: its program
// cannot work, or it is silent.
func TestTheQueueLearnsWhatSessionsNeed(t *testing.T) {
	t.Parallel()
	notified, need := 0, ""
	turn := queueTurn{observed: &observed{}, setup: &workspaceSetup{}, changed: func() { notified++ }}
	report := func(want int) {
		t.Helper()
		if turn.report(func() string { return need }); notified != want {
			t.Errorf("needs %q: notified %d times, want %d", need, notified, want)
		}
	}
	report(0)
	need = "codex is not logged in"
	report(1)
	report(1)
	need = ""
	report(2)
}
