package workflow

import (
	"strings"
	"testing"

	"ferrus/hq/project"
	"ferrus/machine/flow"
)

// A pair and a workflow do not work in the same files.
func TestOneWriterInTheCheckout(t *testing.T) {
	t.Parallel()
	b := newStore(t)
	lock, err := b.Project.Store.TryLock(project.PairLock)
	if err != nil {
		t.Fatal(err)
	}
	asks := Request{Type: flow.Oneshot, Title: "Add retry"}
	if _, err := b.Start(t.Context(), human, asks); err == nil || !strings.Contains(err.Error(), "a pair is") {
		t.Errorf("a workflow starts beside a pair: %v", err)
	}
	lock.Close()
	if err := b.CheckNoneHere(); err != nil {
		t.Errorf("without a workflow: %v", err)
	}
	if _, err := b.Start(t.Context(), human, asks); err != nil {
		t.Fatal(err)
	}
	if err := b.CheckNoneHere(); err == nil || !strings.Contains(err.Error(), "its tasks change the files here") {
		t.Errorf("beside a workflow: %v", err)
	}
}
