package turn

import (
	"sync"
	"testing"

	"ferrus/hq/session"
)

// looped is a run that claims its turn on a loop.
type looped struct{ loop *session.Loop }

func (r *looped) Notify() bool { return r.loop.Post(func() {}) }

// One run on a base begins after another, in the order in which the tasks came. Nothing is polled: who has the turn
// next is notified, and a task that has ended meanwhile is passed over.
func TestBasesRunOneAfterAnother(t *testing.T) {
	t.Parallel()
	runner := func() *looped { return &looped{session.NewLoop(t.Context())} }
	first, ended, third := runner(), runner(), runner()
	turn := &Bases{}
	for _, r := range []*looped{first, first, ended, third, third} {
		if got := turn.Claim(r); got != (r == first) {
			t.Fatalf("a claim is answered with %v: %+v", got, turn)
		}
	}
	ended.loop.Start(func() {})
	ended.loop.Close()
	notified, once := make(chan struct{}), sync.Once{}
	third.loop.Start(func() {
		if turn.Claim(third) {
			once.Do(func() { close(notified) })
		}
	})
	defer third.loop.Close()
	turn.Leave(first)
	<-notified
	turn.Leave(third)
	if !turn.Claim(first) {
		t.Error("the turn is not free")
	}
}
