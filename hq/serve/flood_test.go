package serve_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store/longtest"
)

// A client that floods ferrus with requests fills neither the inbox nor the record, and the human's
// answer to one of them still reaches it.
func TestFloodOfRequestsIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it reads a flood")
	}
	all, atOnce := 200, 64
	if longtest.On() {
		all = 10_000
	}
	p := newFixture(t, once)
	p.register(machine.Executor, core.ModeWork)
	p.human("create_task", "a task")
	command := p.command(machine.Executor, "", nonce, "ASKS=edit")
	asker := &serve.Asker{Command: command.Args, Env: command.Env}
	t.Cleanup(asker.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	flood, replies := make(chan int), make(chan serve.Reply, all)
	var askers sync.WaitGroup
	for range atOnce {
		askers.Go(func() {
			for i := range flood {
				reply, err := asker.Ask(ctx, serve.Question{Kind: core.PermitCommand, What: fmt.Sprint("make ", i)})
				if err == nil { // else it waited until the end
					replies <- reply
				}
			}
		})
	}
	began := time.Now()
	permitted := false
	for i := range all {
		flood <- i
		if open := p.world().OpenPermissions(); !permitted && len(open) > 1 {
			p.permit(open[0], "once")
			permitted = true
		}
	}
	close(flood)
	open := len(p.world().OpenPermissions())
	allowed := 0
	for range all - open {
		switch reply := <-replies; {
		case reply.Allowed:
			allowed++
		case !strings.Contains(reply.Reason, "requests of this task wait for the human already"):
			t.Fatalf("%+v", reply)
		}
	}
	t.Logf("%d requests in %v", all, time.Since(began))
	stop()
	askers.Wait()
	if open > 16 || allowed != 1 {
		t.Errorf("%d wait, %d were allowed", open, allowed)
	}
	p.until("withdrawn", func(w core.World) bool { return len(w.OpenPermissions()) == 0 })
	if asked := p.world().Permissions.Asked; asked > open+allowed {
		t.Errorf("%d requests were recorded", asked)
	}
}
