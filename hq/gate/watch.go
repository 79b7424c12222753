package gate

import (
	"context"
	"sync"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// lookEvery is how often the state is looked at where no change notice comes.
const lookEvery = 2 * time.Second

// watch returns a context that it ends when the ticket no longer runs; until
// then it renews the executor's lease. The stop function waits until watching
// has ended.
func (r *runner) watch(ctx context.Context, ticket uint64) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancel(ctx)
	if ticket == 0 { // The human's own run: there is nothing to watch.
		return watched, cancel
	}
	var both sync.WaitGroup
	both.Go(func() { r.follow(watched, ticket, cancel) })
	both.Go(func() { r.renew(watched) })
	return watched, func() { cancel(); both.Wait() }
}

// follow cancels when the ticket no longer runs. A state that cannot be read is
// ignored: the commit will report it.
func (r *runner) follow(ctx context.Context, ticket uint64, cancel func()) {
	for range looks(ctx, r.project, lookEvery) {
		if state, err := r.project.World(); err == nil && !runs(state.World, ticket) {
			cancel()
			return
		}
	}
}

// renew keeps the lease of an executor that waits for its gate.
func (r *runner) renew(ctx context.Context) {
	ticks := time.NewTicker(max(r.config.Lease.TTL()/3, time.Second))
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			// A renewal that failed is tried again at the next tick; two may fail.
			_, _ = r.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindHeartbeat, By: project.FerrusActor()})
		}
	}
}
