package conductor

import (
	"sync"
	"testing"

	"ferrus/hq/session"
)

// One run on a base begins after another, in the order in which the tasks came. Nothing is polled: who has the turn
// next is notified, and a task that has ended meanwhile is passed over.
func TestBasesRunOneAfterAnother(t *testing.T) {
	t.Parallel()
	runner := func() *baseRunner {
		return &baseRunner{observed: &observed{loop: session.NewLoop(t.Context())}}
	}
	first, ended, third := runner(), runner(), runner()
	turn := &baseTurn{}
	for _, r := range []*baseRunner{first, first, ended, third, third} {
		if got := turn.claim(r); got != (r == first) {
			t.Fatalf("a claim is answered with %v: %+v", got, turn)
		}
	}
	ended.loop.Start(func() {})
	ended.loop.Close()
	notified, once := make(chan struct{}), sync.Once{}
	third.loop.Start(func() {
		if turn.claim(third) {
			once.Do(func() { close(notified) })
		}
	})
	defer third.loop.Close()
	turn.leave(first)
	<-notified
	turn.leave(third)
	if !turn.claim(first) {
		t.Error("the turn is not free")
	}
}
