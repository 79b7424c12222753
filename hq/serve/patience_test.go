package serve_test

import (
	"context"
	"errors"
	"testing"

	"ferrus/hq/core"
)

// A client may cancel a call that takes too long for it, or make another one meanwhile. Neither
// loses an answer or gets it twice.

func TestCutWaitsLoseNoAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	a := p.worker()
	a.want("asked", "ask_human", args{"question": "what?"})
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := a.try(ctx, "wait_for_answer", nil); done <- err }()
		p.inFlight("wait_for_answer")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want context.Canceled", err)
		}
		p.inFlight("")
	}
	p.human("answer", "this")
	if got := a.want("answered", "wait_for_answer", nil); got.Answer != "this" {
		t.Errorf("answered %s, want this", got.JSON)
	}
}

func TestACallInTheBackgroundIsAnsweredOnce(t *testing.T) {
	p := newFixture(t, once)
	a := p.worker()
	a.want("asked", "ask_human", args{"question": "what?"})
	answers := make(chan answer, 2)
	wait := func(cursor string) {
		got, err := a.try(t.Context(), "wait_for_answer", args{"cursor": cursor})
		if err != nil {
			t.Error(err)
		}
		answers <- got
	}
	go wait("background")
	p.inFlight("wait_for_answer")
	if got := a.use("status", nil); got.State != "AwaitingHuman" {
		t.Errorf("beside a wait, status says %s", got.JSON)
	}
	go wait("again")
	p.human("answer", "this")
	statuses := map[core.Status]int{}
	for range 2 {
		got := <-answers
		statuses[got.Status]++
	}
	if statuses["answered"] != 1 || statuses["refused"] != 1 {
		t.Errorf("the statuses are %v, want one answered and one refused", statuses)
	}
	p.until("the work", func(w core.World) bool { return w.State == "Executing" })
}
