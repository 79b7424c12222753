package merge

import (
	"errors"
	"strings"
	"testing"

	"ferrus/hq/land"
	"ferrus/hq/project"
)

// A landing whose task is cancelled meanwhile says so, and not that the executor has it back.
func TestALandingIsCancelled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t)
	f.tasks(work{"a.txt": "a\n"})
	f.stage(1)
	w := waiting{Merger: f.m, options: f.o, item: f.item(1), tell: func(string) {}}
	f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 1))
	_, over, err := w.poll(t.Context())
	refused := (*land.RefusedError)(nil)
	if !over || !errors.As(err, &refused) || !strings.Contains(refused.What, "#1 was cancelled") {
		t.Errorf("over %v, %v; want that #1 was cancelled", over, err)
	}
}
