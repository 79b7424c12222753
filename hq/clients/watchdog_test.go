package clients

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A round without a call ends at the limit; a call, or a busy machine, gives it more time, but not for ever.
func TestWatchdogTellsSlowFromStuck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		busy  bool
		every time.Duration // between two calls; 0: there is none
		want  time.Duration
	}{
		{"no call", false, 0, time.Minute},
		{"no call on a busy machine", true, 0, stretch * time.Minute},
		{"calls without an end", false, 50 * time.Second, stretch * time.Minute},
		{"one call in time, then none", false, 100 * time.Second, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				w := newWatchdog(time.Minute)
				w.busy = func() bool { return c.busy }
				began := time.Now()
				if c.every > 0 {
					go func() {
						for tick := time.Tick(c.every); ; w.called() {
							select {
							case <-tick:
							case <-ctx.Done():
								return
							}
						}
					}()
				}
				w.watch(ctx, cancel)
				if took := time.Since(began); took != c.want || !errors.Is(context.Cause(ctx), errCutOff) {
					t.Errorf("it ended after %v (%v), not %v", took, context.Cause(ctx), c.want)
				}
				synctest.Wait()
			})
		})
	}
}

// A round that its client has ended is not cut off.
func TestWatchdogLeavesAnEndedRoundAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(nil) })
		newWatchdog(time.Minute).watch(ctx, cancel)
		if errors.Is(context.Cause(ctx), errCutOff) {
			t.Error("it was cut off")
		}
	})
}

// What is said of a round that was cut off tells how far it came, and whether it may only be slow.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"cut off: it never called the model":                   (&Result{}).cutOff(false),
		"cut off: it called the model, but not ferrus's tools": (&Result{}).cutOff(true),
		"cut off: it took the task, and did not submit it":     (&Result{FirstCall: 1}).cutOff(true),
		"cut off: it never called the model; other work loads this machine, so it may only be slow: " +
			"try again when there is less": (&Result{Slow: true}).cutOff(false),
	} {
		if got != want {
			t.Errorf("it says %q, not %q", got, want)
		}
	}
}
