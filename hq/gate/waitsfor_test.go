package gate

import (
	"strings"
	"testing"

	"ferrus/hq/project"
)

// A gate that waits says for what, in each place where it can wait, and nothing once it runs.
func TestWaitsFor(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	const ticket = 7
	want := func(words string) {
		t.Helper()
		got := WaitsFor(l.Task, ticket)
		if words == "" && got != "" || !strings.HasPrefix(got, words) {
			t.Errorf("it waits: %q, want %q", got, words)
		}
	}
	want("has no process now; ferrus check, HQ or ferrus run starts one")

	conductor, err := l.Store.TryLock(project.ConductorLock)
	l.ok(err)
	want("")
	conductor.Close()

	lane, err := l.Files.TryLock(project.GateLock)
	l.ok(err)
	want("waits for another check of this project to end (process ")
	lane.Close()

	held, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	defer held.close()
	want("") // it is just beginning
	earlier := mark(l.Task, laneFile(held.lane), marked{Ticket: ticket - 1})
	l.ok(earlier.wait())
	want("waits for the check before it to end (process ")
	l.ok(mark(l.Task, laneFile(held.lane), marked{Ticket: ticket}).wait())
	want("")
}
