package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/wire"
)

// inbox is a Hosts whose questions a test reads and answers.
type inbox struct {
	mu  sync.Mutex
	all []advice.AskedHost
}

func (i *inbox) Reaches(by, host string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = append(i.all, advice.AskedHost{Host: host, By: by})
	return false
}

func (i *inbox) Asked() []advice.AskedHost {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]advice.AskedHost(nil), i.all...)
}

func (i *inbox) answer(at int, a advice.HostAnswer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all[at].Answer = a
}

func askedSession(i *inbox) *shown {
	return &shown{Session: Session{Target: Target{Name: "big"}, Start: wire.Start{Slot: "executor",
		Sandbox: core.Sandbox{Sessions: "proxy"}}}, hosts: i, channel: wire.NewChannel()}
}

// A worker that asks for something other than a single host, or for too many, violates the
// protocol.
func TestASessionAsksForFewHosts(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "*", "*.example.com", ".example.com", "a b", "x\x1b]0;y\a", "a/../b",
		"localhost\n"} {
		var broken *wire.Violation
		i := &inbox{}
		if err := askedSession(i).askHost(host); !errors.As(err, &broken) || len(i.all) > 0 {
			t.Errorf("askHost(%q) = %v, with %v in the inbox; want a violation", host, err, i.all)
		}
	}
	i := &inbox{}
	v := askedSession(i)
	for n := range wire.MaxSessionHosts {
		if err := v.askHost(fmt.Sprintf("h%d.example.com", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.askHost("more.example.com"); err == nil || len(i.all) != wire.MaxSessionHosts {
		t.Errorf("one host more: %v, with %d in the inbox; want an error", err, len(i.all))
	}
	if by := i.all[0].By; by != "the executor on the worker big" {
		t.Errorf("asked by %q, want the executor on the worker big", by)
	}
}

// Each answer, and each change of it, reaches the worker once.
func TestAnswersTravelToTheWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := &inbox{all: []advice.AskedHost{{Host: "old.test", Answer: advice.HostAlways}, {Host: "new.test"}}}
		v, there := askedSession(i), wire.NewChannel()
		ctx, cancel := context.WithCancel(t.Context())
		a, b := streams()
		var running sync.WaitGroup
		running.Go(func() { _ = v.channel.Run(ctx, a, -1) })
		running.Go(func() { _ = there.Run(ctx, b, 0) })
		running.Go(func() { v.sendAnswers(ctx) })
		next := func(want wire.Reach) {
			t.Helper()
			m, err := there.Receive(ctx)
			var got wire.Reach
			if err != nil || len(m) < 5 || m[0] != wire.ToolsReach || json.Unmarshal(m[5:], &got) != nil ||
				got != want {
				t.Fatalf("the worker got %q, %v; want %v", m, err, want)
			}
		}
		next(wire.Reach{Host: "old.test", Allowed: true})
		i.answer(1, advice.HostTask)
		next(wire.Reach{Host: "new.test", Allowed: true})
		time.Sleep(10 * answerPeriod) // nothing else is sent
		i.answer(1, advice.HostNo)
		next(wire.Reach{Host: "new.test"})
		cancel()
		running.Wait()
	})
}

// streams returns the two ends of a stream.
func streams() (a, b wire.Stream) {
	x, y := make(chan []byte, 100), make(chan []byte, 100)
	return end{x, y}, end{y, x}
}

type end struct {
	in  <-chan []byte
	out chan<- []byte
}

func (e end) Send(ctx context.Context, body []byte) error {
	select {
	case e.out <- append([]byte(nil), body...):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e end) Receive(ctx context.Context) ([]byte, error) {
	select {
	case m := <-e.in:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e end) Close(error) {}
